// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frames: the variable of a stack to which a word belongs, and what refers to
// objects from outside of frames.

package refs

import (
	"internal/profilerecord"
	"internal/vartable"
)

// MaxPathFrames is the number of outermost frames that a path may have. Of all
// other frames of a deep stack, it has only the one to which the word belongs.
const MaxPathFrames = 96

// A Frame is a frame of a stack.
type Frame struct {
	Node         uint32
	Argp, Varp   uintptr
	Args         uintptr // bytes of arguments
	Conservative bool    // any word may be a pointer, and none belongs to a known variable
	User         uintptr // what the user of this package needs in Local
}

// HasArgument reports whether the word at p is among the arguments of f. It
// then belongs to f, although it lies in the caller's frame.
func (f *Frame) HasArgument(p uintptr) bool { return p >= f.Argp && p < f.Argp+f.Args }

// FramesEnded reports whether the word at p is the first of a stack's words that
// is in no frame. Words of frames come in the order of their addresses, and
// last is the address of the latest one, or 0. After them come words outside of
// the stack, and stack objects, which also come in this order if there is no
// word between: then they count as words of frames.
func FramesEnded(last, p uintptr, onStack bool) bool {
	return last != 0 && (!onStack || p < last)
}

// IsDeep reports whether the path of frame i of n, counted from the innermost,
// leaves out frames. It has the path of frame n-MaxPathFrames, then DeepNode,
// and then the frame itself. Other frames are below the nodes of their callers.
func IsDeep(i, n int) bool { return i < n-MaxPathFrames }

// DeepNode returns the node that stands for the frames that paths below parent
// leave out.
//
//go:nowritebarrierrec
func (ps *Paths) DeepNode(parent uint32) uint32 {
	return ps.Find(&Key{Parent: parent, Kind: profilerecord.RefsDeepStack})
}

// FrameNode returns the node of frames at pc below parent: the caller's node,
// DeepNode, or the goroutine's.
//
//go:noinline
//go:nowritebarrierrec
func (ps *Paths) FrameNode(parent uint32, pc uintptr) uint32 {
	return ps.Find(&Key{Parent: parent, Kind: profilerecord.RefsFrame, Place: pc})
}

// ResolveLocal is Resolve for a word of frame f.
//
//go:nowritebarrierrec
func (ps *Paths) ResolveLocal(e *Edge, f *Frame, o *Target, key *Key) bool {
	*key = Key{Parent: f.Node}
	if f.Conservative {
		return ps.doubtful(o, key)
	}
	arg := f.HasArgument(e.Slot)
	place, pos := uint8(vartable.PlaceLocal), f.Varp-e.Slot
	if arg {
		place, pos = vartable.PlaceArg, e.Slot-f.Argp
	}
	v, ok := ps.Heap.Local(e.User, f.User, place, pos)
	if !ok {
		key.Kind, key.Place = profilerecord.RefsSlot, pos
		if arg {
			key.Kind = profilerecord.RefsArg
		}
		return o.orDoubtful(ps.Unknown(o, key))
	}
	if v.Dict.Known {
		ps.SetArgument(&v, f.Argp, f.Varp)
	}
	key.Parent = ps.ownFrame(f, &v)
	key.Kind, key.Place = profilerecord.RefsLocal, ps.mapEntry(e, f, &v)
	if e.Off = v.Start() - pos; arg {
		e.Off = pos - v.Start()
	}
	exact := ps.variable(e, &v, o, key)
	if v.Dict.Known || v.Form == vartable.FormClosure {
		o.Check = CheckNever // the key depends on other words of the frame, too
	}
	if v.Named && v.Form != vartable.FormChan { // a channel of a shape has no type
		return exact
	}
	return o.orDoubtful(exact)
}

// orDoubtful makes the reference to o doubtful if its key is not exact, and
// returns exact. For example, the runtime's frames have words of the channel for
// which a goroutine waits, which do not say of which type it is.
func (o *Target) orDoubtful(exact bool) bool {
	if !exact {
		o.Extent.Form = ExtentDoubtful
	}
	return exact
}

// ResolveUnframed is Resolve for a word of a stack whose frame is not known. node
// is that of the goroutine, or DeepNode.
//
//go:nowritebarrierrec
func (ps *Paths) ResolveUnframed(node uint32, o *Target, key *Key) bool {
	*key = Key{Parent: node, Kind: profilerecord.RefsUnknown}
	return ps.Unknown(o, key)
}

// ownFrame returns the node of the frame of v, a variable of frame f: f without
// the calls that are inlined in the function which has v. For example, x is
// below handle, and not below the call of sync.(*Mutex).Lock in which handle
// waits.
//
//go:nowritebarrierrec
func (ps *Paths) ownFrame(f *Frame, v *Variable) uint32 {
	frame := ps.At(f.Node)
	pc, function := ps.Heap.CallAt(frame.Place, int(v.InlineDepth))
	if v.InlineDepth != 0 && (pc == 0 || vartable.FunctionHash(function) != v.InlineHash) {
		pc, _ = ps.Heap.CallAt(frame.Place, 0)
	}
	if frame.Kind != profilerecord.RefsFrame || pc == 0 || pc == frame.Place {
		return f.Node
	}
	return ps.FrameNode(frame.Parent, pc)
}

// mapEntry returns the entry of the map's header if v is the group of a map in
// frame f, because header and group have one node, and otherwise v's.
//
//go:nowritebarrierrec
func (ps *Paths) mapEntry(e *Edge, f *Frame, v *Variable) uintptr {
	if v.Form == vartable.FormMapGroup && v.Itab != 0 {
		header, ok := ps.Heap.Local(e.User, f.User, vartable.PlaceLocal, uintptr(v.Itab)*ptrSize)
		if ok && header.Form == vartable.FormMapHeader {
			return header.Entry
		}
	}
	return v.Entry
}

// SetArgument sets the type of v, if that is a type argument, from the
// dictionary of the frame.
func (ps *Paths) SetArgument(v *Variable, argp, varp uintptr) {
	if !v.Dict.Known || !v.Dict.Live {
		return
	}
	switch dict := uintptr(v.Dict.Position) * ptrSize; v.Dict.Place {
	case vartable.PlaceArg:
		ps.setArgument(v, ps.Heap.Word(argp+dict, argp))
	case vartable.PlaceLocal:
		ps.setArgument(v, ps.Heap.Word(varp-dict, varp))
	}
}

// A Saved says what a word is that a goroutine has outside of its stack.
type Saved uint8

const (
	SavedRegister  Saved = iota
	SavedContext         // the closure with which the goroutine continues
	SavedDefer           // a word of a defer record, or one that refers to a record
	SavedDeferFunc       // the function of a defer record
)

// SavedOf returns what the word at p is. deferFunc is the address of the function
// in the defer record that has the word or to which it refers, or 0 if there is
// none, and context is the address of the closure of SavedContext.
func SavedOf(p, deferFunc, context uintptr) Saved {
	switch {
	case deferFunc != 0 && p == deferFunc:
		return SavedDeferFunc
	case deferFunc != 0:
		return SavedDefer
	case p == context:
		return SavedContext
	}
	return SavedRegister
}

// ResolveSaved is Resolve for a word that a goroutine has outside of its stack.
// node is that of the frame that made the defer record, or of the innermost
// frame.
//
//go:nowritebarrierrec
func (ps *Paths) ResolveSaved(e *Edge, node uint32, what Saved, o *Target, key *Key) bool {
	*key = Key{Parent: node, Kind: profilerecord.RefsDefer}
	switch what {
	case SavedDeferFunc:
		return ps.Closure(e, o, key)
	case SavedDefer:
		return ps.Pointee(typeAt(ps.Known.Defer), e.Val, o, key)
	case SavedContext:
		key.Kind = profilerecord.RefsContext
		return ps.Closure(e, o, key)
	}
	return ps.doubtful(o, key)
}

// doubtful is Resolve for a word that may be no pointer, or one that is no
// longer used. key.Parent is the node of the frame.
//
//go:nowritebarrierrec
func (ps *Paths) doubtful(o *Target, key *Key) bool {
	key.Kind = profilerecord.RefsRegisters
	ps.Unknown(o, key)
	o.Extent.Form = ExtentDoubtful
	return false
}
