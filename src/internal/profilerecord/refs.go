// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Refs: what the runtime tells runtime/pprof about the references by which a
// garbage collection cycle reached the heap. The recorder (runtime/mrefs*.go)
// fills these records while it marks, without names; runtime/pprof (refs.go,
// internal/refpath) turns them into names afterwards, in ordinary Go.
//
// The types and functions that records point to are hints, read from memory
// that changed meanwhile: Type may be missing, and an Offset may point to
// padding. What is always true: a record's Parent comes before it, and the
// Objects and Bytes of all records are what the cycle marked.

package profilerecord

import "unsafe"

// A RefsProfile is one recording: a tree of references.
type RefsProfile struct {
	// Nodes is the tree, parents before their children. Nodes[0] is its root,
	// and stands for nothing.
	Nodes []RefsNode

	Cycle    uint32 // number of the GC cycle, as in runtime.MemStats.NumGC
	Live     uint64 // bytes that the cycle marked: /gc/heap/live:bytes
	Duration int64  // nanoseconds from the request to the end of marking
	Paused   int64  // nanoseconds of stopped world that the recording added
	Memory   uint64 // bytes of memory that the recording used

	// LostObjects and LostBytes are in nodes above their own, or in one of
	// RefsNoMemory, because memory for the recording ran out.
	LostObjects, LostBytes int64

	// Sites tells where sampled objects were allocated, if that was asked for. For
	// LostSites objects of LostSiteBytes there was no memory.
	Sites                    []RefsSite
	LostSites, LostSiteBytes int64
}

// A RefsNode is one element of a path: a reference, found in what its Parent
// stands for, and the objects that marking claimed through it.
type RefsNode struct {
	Parent                  int32
	Kind                    RefsKind
	Role                    RefsRole
	Untyped                 bool    // the reference did not tell Type: it is from the object's allocation header
	Offset                  uintptr // of the word that refers to the objects: see Kind
	PC                      uintptr // of a frame, of the function of a timer or cleanup, or of a closure (entry)
	Name                    string  // of a variable, without its function's
	Form                    uint8   // abi.FrameVar...: what Static is to the variable, of RefsLocal and RefsCaptured
	Count                   uintptr // of such a variable's elements, if it is an array, or 0
	InlineDepth, InlineHash uint8   // of the inlined function that such a variable is one of, or 0

	Static  unsafe.Pointer // *abi.Type of a variable: a global that is itself the reference; nil: unknown
	Type    unsafe.Pointer // *abi.Type of the objects: see Role
	Dyn     unsafe.Pointer // *abi.Type: the dynamic type, if the reference is an interface
	Labels  unsafe.Pointer // the goroutine's pprof labels, of RefsGoroutine
	Leaked  bool           // the last goroutineleak profile found the goroutines blocked for ever
	Objects int64          // of this node alone
	Bytes   int64          // of this node alone
}

// A RefsSite is sampled objects that were allocated at one place and reached at one node.
type RefsSite struct {
	Stack   []uintptr // the memory profiler's, as in MemProfileRecord
	Size    int64     // of each object
	Node    int32     // index in Nodes
	Lost    bool      // not the node's own objects: memory for their own did not suffice
	Tiny    bool      // blocks for several tiny objects, of which Node has the first found
	Age     uint32    // collections that the objects have survived, this one included, down to a power of two
	Objects int64
	Labels  unsafe.Pointer // as in MemProfileRecord
	Scope   unsafe.Pointer // as in MemProfileRecord
}

// A RefsKind tells where a reference was found.
type RefsKind uint8

const (
	RefsNone RefsKind = iota

	// Roots. Their Parent is 0.

	RefsGlobal         // the global variable Name, as the linker calls it
	RefsRuntimeGlobal  // the same, of a package of the runtime
	RefsModuleData     // a word of a module without table of globals: Name is ready to print
	RefsGoroutine      // goroutines with equal Labels and Leaked. Not an element of the path
	RefsFinalizer      // an object of Type with a finalizer
	RefsFinalizerQueue // finalizers that are to run
	RefsCleanup        // a cleanup, which runs the function at PC
	RefsCleanupQueue   // cleanups that are to run
	RefsTimer          // a timer, which runs the function at PC, or of a channel if that is 0
	RefsWeak           // handles of weak pointers
	RefsBarrier        // what only the write barrier saw
	RefsAllocated      // what was allocated while marking
	RefsNoMemory       // what memory for the recording did not suffice for

	// Elements below a root.

	RefsFunction // the function that is the Parent's finalizer or cleanup
	RefsArgument // what that function will be called with

	RefsFrame     // a goroutine's frame with return PC, the caller's below its Parent
	RefsDeepStack // the frames that were left out of a deep stack
	RefsLocal     // the variable Name of the Parent's frame, or a temporary without Name
	RefsSlot      // unknown locals of the Parent's frame: Offset is the distance below their end
	RefsArg       // unknown arguments and results of the Parent's frame, at Offset
	RefsRegisters // a frame that was scanned conservatively
	RefsDefer     // a deferred call, or its record
	RefsContext   // the closure that the Parent's function is about to be called with

	RefsField      // Offset in the Parent's Type, array indices folded to 0
	RefsMapTable   // the storage of the Parent's map
	RefsMapKey     // Offset in the key type of the Parent's map
	RefsMapValue   // Offset in the element type of the Parent's map
	RefsChanBuffer // the buffer of the Parent's channel
	RefsChanElem   // Offset in the element type of the Parent's channel
	RefsChanWaiter // goroutines that wait for the Parent's channel
	RefsCaptured   // the variable Name that the Parent, a closure, has captured; or, if Form is 0, at Offset in it
	RefsUnknown    // somewhere in an object of unknown type
)

// A RefsRole tells what Type says of a node's objects.
type RefsRole uint8

const (
	RefsObject   RefsRole = iota // values of Type, each object one or an array of them
	RefsVariable                 // no object: a global variable of Type, which holds references
	RefsMap                      // headers of maps of Type
	RefsTable                    // groups, tables and directories of maps of Type
	RefsChan                     // channels of Type
	RefsBuffer                   // buffers of channels of Type
	RefsClosure                  // closures of the function at PC
	RefsType                     // type descriptors made by package reflect
)
