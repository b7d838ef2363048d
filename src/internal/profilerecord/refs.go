// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the records in which the runtime passes to runtime/pprof the
// references by which a garbage collection cycle reached the heap. The recorder
// (runtime/mrefs*.go) collects the references while it marks, and makes the
// records after that. Types and functions have no names in the records:
// runtime/pprof finds their names by package internal/refpath.
//
// The types and functions to which records point may be wrong, because the
// recorder reads them from memory that changes at the same time. Type may be
// missing, and Offset may be the offset of padding. But the Parent of a record
// always comes before the record, and the sums of Objects and Bytes over all
// records are always those of the objects that the cycle marked.

package profilerecord

import "unsafe"

// A RefsProfile is one recording: a tree of references.
type RefsProfile struct {
	// Nodes is the tree. Parents come before their children. Nodes[0] is
	// the root of the tree, and has no reference and no objects.
	Nodes []RefsNode

	Cycle    uint32 // number of the GC cycle, as in runtime.MemStats.NumGC
	Live     uint64 // bytes that the cycle marked: /gc/heap/live:bytes
	Scan     uint64 // bytes of these that the cycle scanned, which are the sum of Scan of all nodes
	Duration int64  // nanoseconds from the moment at which it was the requester's turn until marking ended
	Paused   int64  // nanoseconds that the recording added to the time with the world stopped
	Memory   uint64 // bytes of memory that the recording used

	// LostObjects and LostBytes count the objects whose own nodes are
	// missing, and their bytes: there was no room for the nodes, their
	// paths would have been too long, or references to them are only in
	// objects that have no record of their node, such as those of user
	// arenas. The objects are in nodes above their own, or in the node of
	// RefsNoMemory.
	LostObjects, LostBytes int64

	// Sites has the places where sampled objects were allocated, if the
	// caller asked for them. There was no room for the sites of LostSites
	// objects, which have LostSiteBytes bytes.
	Sites                    []RefsSite
	LostSites, LostSiteBytes int64

	// SitesBefore is the cycle of the recording before that has sites, or 0.
	SitesBefore uint32
}

// A RefsNode is one element of a path: a reference in the objects or the root
// that its Parent stands for, and the objects that marking claimed through the
// reference.
type RefsNode struct {
	Parent      int32 // index in Nodes
	Kind        RefsKind
	Role        RefsRole
	Untyped     bool    // the reference does not give the type; Type is nil, or from the object's allocation header, or inferred
	Inferred    bool    // Type is that of sampled objects with which the objects have size and pointers in common
	Offset      uintptr // of the word that refers to the objects, as Kind says
	PC          uintptr // return PC of a frame, or entry PC of the function of a timer, cleanup or closure
	Name        string  // name of a variable, without the name of its function
	Form        uint8   // for RefsLocal and RefsCaptured: vartable.Form..., which says how Static describes the variable
	Count       uintptr // for RefsLocal: number of elements if the variable is a local array, or 0
	InlineDepth uint8   // for RefsLocal: depth of the inlined function that has the variable, or 0
	InlineHash  uint16  // hash of its name

	Static  unsafe.Pointer // *abi.Type of a variable, or nil if not known
	Type    unsafe.Pointer // *abi.Type of the objects, as Role says, or nil if not known
	Dyn     unsafe.Pointer // *abi.Type: the dynamic type if the reference is an interface, or nil
	Labels  unsafe.Pointer // for RefsGoroutine: the pprof labels of the goroutines
	Second  bool           // in the heap graph, references of the objects count only for objects that no other references reach
	Request bool           // for RefsGoroutine: the goroutines serve requests for the recording
	Array   bool           // the objects are arrays of values of Type, although the reference is to one value
	Leaked  bool           // for RefsGoroutine: the last goroutineleak profile found the goroutines blocked for ever
	Objects int64          // number of objects at this node, without the nodes below
	Bytes   int64          // bytes of these objects
	Scan    int64          // bytes of these objects that the cycle scanned
	Unused  int64          // bytes of these objects to which no reference refers
}

// A RefsSite has the sampled objects that were allocated at one place and
// reached at one node.
type RefsSite struct {
	Stack   []uintptr // call stack of the heap profiler, as in MemProfileRecord
	Size    int64     // of each object, in bytes
	Node    int32     // index in Nodes
	Lost    bool      // the objects' own node is missing: Node is above it, or is that of RefsNoMemory
	Tiny    bool      // the objects are blocks of several tiny objects, of which Node has the first that was found
	Age     uint32    // number of collections that the objects have survived, counting this one, rounded down to a power of two, or to the number from SitesBefore on
	Objects int64
	Scan    int64          // bytes of the objects that the cycle scanned
	Unused  int64          // bytes of the objects to which no reference refers
	Labels  unsafe.Pointer // as in LabelledMemRecord
	Scope   unsafe.Pointer // as in LabelledMemRecord
}

// A RefsKind says where a reference was found.
type RefsKind uint8

const (
	RefsNone RefsKind = iota

	// Roots. Their Parent is 0.

	RefsGlobal         // the global variable Name, which is the linker's name
	RefsRuntimeGlobal  // a global variable of a package of the runtime
	RefsModuleData     // a block of data or bss of a module without a table of globals; Name is ready to print
	RefsGoroutine      // goroutines with equal Labels and Leaked; refpath.Namer does not name them
	RefsFinalizer      // an object of Type with a finalizer
	RefsFinalizerQueue // finalizers that are to run
	RefsCleanup        // a cleanup, which runs the function at PC
	RefsCleanupQueue   // cleanups that are to run, of the function at PC, or of functions that are not known if PC is 0
	RefsTimer          // a timer, which runs the function at PC or, if PC is 0, sends on a channel
	RefsWeak           // handles of weak pointers
	RefsBarrier        // objects that only the write barrier found
	RefsAllocated      // objects that were allocated while marking and that no reference claimed
	RefsNoMemory       // objects whose paths are not known, because there was no room for them, or because only user arenas hold the objects

	// Elements below a root.

	RefsFunction // the function that is the Parent's finalizer or cleanup, or the runtime's function that calls the cleanup
	RefsArgument // the argument with which that function will be called

	RefsFrame     // a goroutine's frame with return PC; the Parent is the caller's frame
	RefsDeepStack // the frames that were left out of a deep stack
	RefsLocal     // the variable Name of the Parent's frame, or a temporary without Name
	RefsSlot      // an unknown local of the Parent's frame; Offset is the distance below the end of the locals
	RefsArg       // an unknown argument or result of the Parent's frame, at Offset
	RefsRegisters // a frame that was scanned conservatively, or saved registers
	RefsDefer     // a deferred call, or its record
	RefsContext   // the closure with which the Parent's function is about to be called

	RefsField      // Offset in the Parent's Type, with array indices folded to 0
	RefsMapTable   // the storage of the Parent's map
	RefsMapKey     // Offset in the key type of the Parent's map
	RefsMapValue   // Offset in the element type of the Parent's map
	RefsChanBuffer // the buffer of the Parent's channel
	RefsChanElem   // Offset in the element type of the Parent's channel
	RefsChanWaiter // goroutines that wait for the Parent's channel
	RefsCaptured   // the variable Name that the Parent, a closure, has captured or, if Form is 0, the word at Offset in the closure
	RefsUnknown    // a word of which only the Parent is known, such as a word in an object of unknown type
)

// A RefsRole says how Type describes the objects of a node.
type RefsRole uint8

const (
	RefsObject   RefsRole = iota // each object is a value of Type or an array of such values
	RefsVariable                 // no objects, but a variable of Type that holds references
	RefsMap                      // headers of maps of Type
	RefsTable                    // tables and directories of maps of Type
	RefsChan                     // channels of Type
	RefsBuffer                   // buffers of channels of Type
	RefsClosure                  // closures of the function at PC
	RefsType                     // type descriptors that package reflect has made
	RefsGroups                   // groups of maps of Type
)
