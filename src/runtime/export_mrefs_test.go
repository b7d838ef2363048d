// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What mrefs_test.go needs of the recorder of references.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"unsafe"
)

// RefsSlot is a reference in a value, as refsSlotAt finds it.
type RefsSlot struct {
	Kind string
	Off  uintptr
	Type *abi.Type
}

var refsSlotNames = [...]string{
	refsSlotNone:      "",
	refsSlotPointer:   "pointer",
	refsSlotPool:      "pool",
	refsSlotSlice:     "slice",
	refsSlotString:    "string",
	refsSlotMap:       "map",
	refsSlotChan:      "chan",
	refsSlotFunc:      "func",
	refsSlotIface:     "interface",
	refsSlotIfaceType: "interface's type",
	refsSlotUnsafe:    "unsafe.Pointer",
}

func RefsSlotAt(t *abi.Type, off uintptr) RefsSlot {
	s := refsSlotAt(t, off)
	return RefsSlot{refsSlotNames[s.kind], s.off, s.typ}
}

// RefsTypeString returns what a type is called.
func RefsTypeString(t *abi.Type) string { return toRType(t).string() }

// RefsGroupOffset is refsGroupOffset.
func RefsGroupOffset(t *abi.Type, off uintptr) (isElem bool, in uintptr) {
	return refsGroupOffset((*abi.MapType)(unsafe.Pointer(t)), off)
}

// RefsOldest returns the places of the oldest of goroutines with these numbers,
// in the order in which their stacks are followed.
func RefsOldest(goids []uint64) (places []int) {
	var o refsOldest
	for i, id := range goids {
		o.insert(refsAge{id, uint32(i)})
	}
	for _, a := range o.roots[:o.n] {
		places = append(places, int(a.root))
	}
	return places
}

// RefsAlone is refsAlone.
type RefsAlone struct{ a refsAlone }

const RefsAloneWork = refsAloneWork

func (a *RefsAlone) Want()                                  { a.a.want() }
func (a *RefsAlone) Take() (alone, ok bool)                 { return a.a.take() }
func (a *RefsAlone) Lets(work int64) (done int64, may bool) { return a.a.lets(work) }
func (a *RefsAlone) Did(work int64) bool                    { return a.a.did(work) }
func (a *RefsAlone) HandOver(work int64)                    { a.a.handOver(work) }

// RefsTree is nodes that no recording uses.
type RefsTree struct{ nodes refsNodeTable }

func NewRefsTree() *RefsTree {
	t := new(RefsTree)
	if !t.nodes.alloc() {
		panic("no memory for nodes")
	}
	return t
}

func (t *RefsTree) Free() { t.nodes.free() }

const (
	RefsMaxNodes = refsMaxNodes
	RefsMaxDepth = refsMaxDepth
)

// Global returns the node of a global variable.
func (t *RefsTree) Global(i uintptr) uint32 {
	return t.nodes.find(&refsKey{kind: profilerecord.RefsGlobal, role: profilerecord.RefsVariable, off: i})
}

// Field returns the node of objects of a type below a field.
func (t *RefsTree) Field(parent uint32, off uintptr, typ *abi.Type) uint32 {
	return t.nodes.find(&refsKey{parent: parent, kind: profilerecord.RefsField, off: off, typ: uintptr(unsafe.Pointer(typ))})
}

// Count counts objects at a node.
func (t *RefsTree) Count(n uint32, objects, bytes int64) { t.nodes.count(n, objects, bytes) }

// At returns the objects and bytes counted at a node.
func (t *RefsTree) At(n uint32) (objects, bytes int64) {
	return t.nodes.at(n).objects.Load(), t.nodes.at(n).bytes.Load()
}

// Lost returns what was counted above its own node.
func (t *RefsTree) Lost() (objects, bytes int64) {
	return t.nodes.lostObjects.Load(), t.nodes.lostBytes.Load()
}

// RefsIsLost reports whether n stands for a node that could not be added, and
// below which one.
func RefsIsLost(n uint32) (parent uint32, lost bool) {
	return n &^ refsLost, n&refsLost != 0
}

// RefsRecordLimited records references with so many nodes at most.
func RefsRecordLimited(nodes uint32) *profilerecord.RefsProfile {
	refsNodes.most = nodes
	defer func() { refsNodes.most = 0 }()
	p, failed := pprof_refs(false)
	if failed != "" {
		panic(failed)
	}
	return p
}

// RefsMemory returns how many bytes of memory the recorder has.
func RefsMemory() uint64 { return refsMemory.used.Load() }

// RefsChunks returns how many of the first n chunks of words have a place of
// their own, in a region that is large enough.
func RefsChunks(n uint32) (places int) {
	seen := make(map[[2]uint32]bool)
	for i := range n {
		region, chunk := refsChunkPlace(i)
		if chunk < refsRegionLen(region) {
			seen[[2]uint32{region, chunk}] = true
		}
	}
	return len(seen)
}

// RefsVarCacheCheck compares what a cache of decoded variables finds and what
// reading the entries finds, for so many functions of the program, each of
// their stack maps, and the words around each variable. It returns how many
// words these are, how many differ, and how many entries were read when a
// function was looked up once more.
func RefsVarCacheCheck(functions int) (words, differ int, again uint64) {
	c := (*refsVarCache)(refsSysAlloc(unsafe.Sizeof(refsVarCache{})))
	defer func() {
		c.free()
		refsSysFree(unsafe.Pointer(c), unsafe.Sizeof(*c))
	}()
	md := &firstmoduledata
	for _, entry := range md.ftab[:min(len(md.ftab)-1, functions)] {
		f := funcInfo{(*_func)(unsafe.Pointer(&md.pclntable[entry.funcoff])), md}
		maps := int32(0)
		if p := (*stackmap)(funcdata(f, abi.FUNCDATA_LocalsPointerMaps)); p != nil {
			maps = p.n
		}
		for m := int32(-1); m < maps; m++ {
			n, wrong := c.check(f, m)
			words, differ = words+n, differ+wrong
			decoded := c.decoded
			c.findVar(f, abi.FrameVarLocal, 0, m)
			again += c.decoded - decoded
		}
	}
	return words, differ, again
}

// check compares what c and the entries of f tell.
func (c *refsVarCache) check(f funcInfo, m int32) (words, differ int) {
	r := refsVarReader{datap: f.datap, p: uintptr(funcdata(f, abi.FUNCDATA_FrameVars))}
	if r.p == 0 {
		return 0, 0
	}
	for v := (refsVar{}); r.next(&v, m); {
		for _, place := range []uint8{abi.FrameVarCaptured, abi.FrameVarArg, abi.FrameVarLocal} {
			for _, pos := range []uintptr{0, v.start - goarch.PtrSize, v.start, v.start + goarch.PtrSize} {
				want, wantOK := refsFindVar(f, place, pos, m)
				have, haveOK := c.findVar(f, place, pos, m)
				if !wantOK {
					want = refsVar{}
				}
				want.text, want.size, want.depth, want.hash = 0, 0, 0, 0 // only for names
				words++
				if want != have || wantOK != haveOK {
					differ++
				}
			}
		}
	}
	return words, differ
}

// RefsSegments returns how many of the first n records of an array have a place
// of their own, in a segment that is long enough.
func RefsSegments(n uint32) (places int) {
	a := refsArray{size: 1}
	seen := make(map[[2]uintptr]bool)
	for i := range n {
		segment, record := refsSegmentOf(i)
		if record < a.segmentSize(segment) {
			seen[[2]uintptr{uintptr(segment), record}] = true
		}
	}
	return len(seen)
}

// RefsMarksGlobals reports whether a recording marks what globals hold.
func RefsMarksGlobals() bool {
	return refs.on && refsMarking.stage <= refsStageGlobals
}

// RefsHasScannedStacks reports whether a recording has followed the stacks of
// the program's goroutines, and not what pools hold.
func RefsHasScannedStacks() bool {
	return refs.on && refsMarking.stage >= refsStageSpecials && refsMarking.stage < refsStagePools
}

// RefsOwnFunction reports whether a function is the own one of a program with
// some modinfo.
func RefsOwnFunction(modinfo, function string) bool {
	own := refsOwnPackages(modinfo)
	return own.hasFunction(function)
}

// RefsIsOwn reports whether a package is the own one of a program with some
// modinfo.
func RefsIsOwn(modinfo, pkg string) bool {
	own := refsOwnPackages(modinfo)
	return own.has(pkg)
}
