// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the goroutine profile in protocol buffer form. Besides the
// goroutines, this form shows the contents of their stacks
// (golang.org/issue/66566). writeGoroutine calls writeGoroutineSpace. The data
// comes from runtime/stackspace.go.
//
// The profile has two sample types, goroutine/count, which is the default, and
// stack_space/bytes, and two disjoint sets of samples. The first set has one
// sample for each distinct stack and label set, with the number of goroutines
// and no stack_space. The second set has no goroutines, and no labels except
// stack_size. It divides the memory of all stacks:
//
//	stack, root first              stack_space
//	F1, ..., Fn                    the frames of Fn, called by ... by F1
//	runtime.goexit                 the words of used stacks outside of frames that
//	                               traces show: above F1, and of wrappers
//	runtime._DeepStack             of stacks that are too deep for traces to show
//	                               them to the end, the part that is not shown
//	runtime._DeepStack, F1 ... Fn  the frames of Fn in such stacks
//	F1, runtime._FreeStack         allocated and not used, by first function and by
//	                               size (label stack_size)
//	runtime._SystemStack, F1       stacks of system goroutines, by first function
//	runtime._SystemStack           those of further first functions, if there are
//	                               more than 32
//	runtime._SystemStack, runtime._g0, _gsignal, _gcrash
//	                               stacks that the runtime allocated for threads
//	runtime._StackCache            stack memory that no goroutine or thread owns
//
// Free memory is a leaf beside the frames, because a tree then has each function
// once, and a table of leaves shows it as free and not as a function's frame.
//
// The sum is the value of /memory/classes/heap/stacks:bytes at the time when
// the profile stopped the world.

package pprof

import (
	"cmp"
	"internal/profilerecord"
	"io"
	"maps"
	"runtime"
	"slices"
	"sort"
	"unsafe"
)

// writeGoroutineSpace writes the goroutine profile as a protocol buffer.
func writeGoroutineSpace(w io.Writer) error {
	var totals profilerecord.StackTotals
	groups := groupStacks(goroutineStacks(&totals))

	b := newProtoProfile(w, protoHeader{
		periodType:  protoType{"goroutine", "count"},
		sampleTypes: []protoType{{"goroutine", "count"}, {"stack_space", "bytes"}},
		defaultType: "goroutine",
	})
	b.goroutineCounts(groups)

	s := newStackSpace()
	for _, g := range groups {
		s.addGoroutines(g)
	}
	s.addOthers(&totals)
	s.write(b)
	return b.build()
}

// goroutineStacks records the stacks of all goroutines except system
// goroutines. It sets totals to the stack memory that is in no record, and to
// the total of all stack memory.
func goroutineStacks(totals *profilerecord.StackTotals) ([]profilerecord.StackRecord, []unsafe.Pointer) {
	n, _ := pprof_goroutineProfileWithStackSpace(nil, nil, nil)
	for {
		// Goroutines may start before the next call: leave some room
		// for them.
		records := make([]profilerecord.StackRecord, n+n/64+10)
		labels := make([]unsafe.Pointer, len(records))
		var ok bool
		n, ok = pprof_goroutineProfileWithStackSpace(records, labels, totals)
		if ok {
			return records[:n], labels[:n]
		}
	}
}

// A stackGroup is a number of goroutines with the same label map and with equal
// stacks, first functions and stack sizes.
type stackGroup struct {
	stack     []uintptr // leaf first
	labels    *labelMap
	labelSet  string  // labels.String(), because equal sets may be different maps
	start     uintptr // entry PC of the first function
	allocated uintptr // bytes of each stack
	used      uintptr // bytes in use, of all stacks together
	count     int
}

// groupStacks groups goroutines. The largest groups come first. Groups of equal
// size are ordered by stack, labels, first function and stack size.
func groupStacks(records []profilerecord.StackRecord, labels []unsafe.Pointer) []*stackGroup {
	var groups []*stackGroup
	index := make(map[string]*stackGroup)
	var key []byte
	for i := range records {
		stack, space := slices.Clip(records[i].Stack), records[i].Space()
		key = append(key[:0], bytesOf(stack)...)
		key = append(key, bytesOf([]uintptr{uintptr(labels[i]), space.Start, space.Allocated})...)
		g := index[string(key)]
		if g == nil {
			g = &stackGroup{stack: stack, labels: (*labelMap)(labels[i]), start: space.Start, allocated: space.Allocated}
			g.labelSet = g.labels.String()
			index[string(key)] = g
			groups = append(groups, g)
		}
		g.count++
		g.used += space.Used
	}
	slices.SortFunc(groups, func(x, y *stackGroup) int {
		return cmp.Or(cmp.Compare(y.count, x.count), slices.Compare(x.stack, y.stack),
			cmp.Compare(x.labelSet, y.labelSet), cmp.Compare(x.start, y.start), cmp.Compare(x.allocated, y.allocated))
	})
	return groups
}

// bytesOf returns the memory of words as bytes, for use in map keys.
func bytesOf(words []uintptr) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*int(unsafe.Sizeof(words[0])))
}

// goroutineCounts writes the samples that count goroutines by stack and labels,
// the greatest count first.
func (b *profileBuilder) goroutineCounts(groups []*stackGroup) {
	type key struct{ stack, labels string }
	index := make(map[key]int)
	var merged []stackGroup
	for _, g := range groups {
		k := key{string(bytesOf(g.stack)), g.labelSet}
		if i, ok := index[k]; ok {
			merged[i].count += g.count
			continue
		}
		index[k] = len(merged)
		merged = append(merged, *g)
	}
	// sort.SliceStable and sort.Slice add less code than package slices.
	sort.SliceStable(merged, func(i, j int) bool { return merged[i].count > merged[j].count })
	var locs []uint64
	for _, g := range merged {
		var labels func()
		if g.labels != nil {
			labels = func() {
				for _, l := range g.labels.Set.List {
					b.pbLabel(tagSample_Label, l.Key, l.Value, 0)
				}
			}
		}
		locs = b.appendLocsForStack(locs[:0], g.stack)
		b.pbSample([]int64{int64(g.count), 0}, locs, labels)
	}
}

// A stackSpace divides the memory of stacks among the samples of stack_space.
type stackSpace struct {
	names profilerecord.StackSpaceNames

	// nodes is the tree of all prefixes of stacks. Node 0 is its root,
	// which stands for the empty prefix. children finds the node of a
	// prefix by the prefix's parent and its last PC.
	nodes    []stackNode
	children map[stackEdge]int

	entry int64                   // bytes in use outside of frames, of stacks that traces show to the end
	free  map[freeStack]freeSpace // allocated and not used

	sizes []uintptr // scratch space of addGoroutines
	pcs   []uintptr // scratch space of stack
	locs  []uint64  // scratch space of write
}

// A stackNode is a prefix of stacks: the prefix of its parent, followed by pc.
type stackNode struct {
	stackEdge
	bytes int64 // of the frame at pc
}

type stackEdge struct {
	parent int
	pc     uintptr
}

// A freeStack is a kind of stacks whose free memory makes one sample.
type freeStack struct {
	first     string  // name of the first function
	allocated uintptr // bytes of each stack
}

// A freeSpace is the free memory of one kind of stacks.
type freeSpace struct {
	pc    uintptr // the lowest of the added return PCs in the first function, or 0
	bytes int64
}

func newStackSpace() *stackSpace {
	return &stackSpace{
		names:    pprof_stackSpaceNames(),
		nodes:    make([]stackNode, 1),
		children: make(map[stackEdge]int),
		free:     make(map[freeStack]freeSpace),
	}
}

// child returns the node of parent's prefix followed by pc.
func (s *stackSpace) child(parent int, pc uintptr) int {
	edge := stackEdge{parent, pc}
	n, ok := s.children[edge]
	if !ok {
		n = len(s.nodes)
		s.nodes = append(s.nodes, stackNode{stackEdge: edge})
		s.children[edge] = n
	}
	return n
}

// add adds bytes to the node of a stack, given leaf first.
func (s *stackSpace) add(bytes int64, stack ...uintptr) {
	n := 0
	for _, pc := range slices.Backward(stack) {
		n = s.child(n, pc)
	}
	s.nodes[n].bytes += bytes
}

// addGoroutines adds the stacks of a group of goroutines.
func (s *stackSpace) addGoroutines(g *stackGroup) {
	stack := runtime_expandFinalInlineFrame(g.stack)
	s.sizes = slices.Grow(s.sizes[:0], len(stack))[:len(stack)]
	if pprof_stackFrameSizes(stack, s.sizes) {
		framed, first := s.addFrames(0, stack, g.count)
		s.entry += int64(g.used) - framed
		s.addFree(cmp.Or(first, entryPC(g.start)), g)
	} else {
		deep := s.child(0, s.names.DeepStack)
		framed, _ := s.addFrames(deep, stack, g.count)
		s.nodes[deep].bytes += int64(g.used) - framed
		s.addFree(entryPC(g.start), g)
	}
}

// entryPC returns a return PC in the function that starts at start, or 0.
func entryPC(start uintptr) uintptr {
	if start == 0 {
		return 0
	}
	return start + 1
}

// addFrames adds the frames of n equal stacks, whose frame sizes are in
// s.sizes, to the tree below root. It returns the bytes of all frames, and the
// PC of the outermost frame that has a size.
func (s *stackSpace) addFrames(root int, stack []uintptr, n int) (framed int64, first uintptr) {
	node := root
	for i, pc := range slices.Backward(stack) {
		node = s.child(node, pc)
		if s.sizes[i] == 0 {
			continue
		}
		bytes := int64(s.sizes[i]) * int64(n)
		s.nodes[node].bytes += bytes
		framed += bytes
		first = cmp.Or(first, pc)
	}
	return framed, first
}

// addFree adds the memory that the stacks of g have allocated and not used. pc
// is a return PC in their first function, or 0 if that function is unknown.
func (s *stackSpace) addFree(pc uintptr, g *stackGroup) {
	kind := freeStack{allocated: g.allocated}
	if pc != 0 {
		frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		kind.first = runtime_FrameSymbolName(&frame)
	}
	space, ok := s.free[kind]
	if !ok || pc < space.pc {
		space.pc = pc
	}
	space.bytes += int64(g.allocated)*int64(g.count) - int64(g.used)
	s.free[kind] = space
}

// addOthers adds the stack memory that belongs to no goroutine of the profile.
func (s *stackSpace) addOthers(t *profilerecord.StackTotals) {
	for _, f := range t.System {
		if f.PC != 0 {
			s.add(int64(f.Bytes), entryPC(f.PC), s.names.SystemStack)
		}
	}
	s.add(int64(t.SystemOther), s.names.SystemStack)
	s.add(int64(t.G0), s.names.G0, s.names.SystemStack)
	s.add(int64(t.Gsignal), s.names.Gsignal, s.names.SystemStack)
	s.add(int64(t.Gcrash), s.names.Gcrash, s.names.SystemStack)
	// The difference is negative only if some stacks are not part of Total.
	// Total counts stacks of the heap, and with GODEBUG=efence=1 stacks are
	// allocated elsewhere.
	s.add(max(int64(t.Total)-s.total(), 0), s.names.StackCache)
}

// total returns the bytes of all samples.
func (s *stackSpace) total() int64 {
	sum := s.entry
	for _, n := range s.nodes {
		sum += n.bytes
	}
	for _, f := range s.free {
		sum += f.bytes
	}
	return sum
}

// write writes the samples.
func (s *stackSpace) write(b *profileBuilder) {
	s.writeFrames(b)
	kinds := slices.Collect(maps.Keys(s.free))
	sort.Slice(kinds, func(i, j int) bool {
		x, y := kinds[i], kinds[j]
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.allocated, y.allocated)) < 0
	})
	for _, k := range kinds {
		f := s.free[k]
		stack := []uintptr{s.names.FreeStack, f.pc}
		if f.pc == 0 {
			stack = stack[:1]
		}
		if f.bytes != 0 {
			s.locs = b.appendLocsForStack(s.locs[:0], stack)
			b.pbSample([]int64{0, f.bytes}, s.locs, b.stackSizeLabel(k.allocated))
		}
	}
	if s.entry != 0 {
		b.pbSample([]int64{0, s.entry}, []uint64{b.goexitLocation(s.names.Goexit)}, nil)
	}
}

// writeFrames writes the samples of the tree. A sample has the node's own
// frame, the frame of its caller (the nearest node above it that has a frame),
// and the frames above the caller. The caller of most nodes is the node that
// was written last. For these, the locations above the caller are known
// already.
func (s *stackSpace) writeFrames(b *profileBuilder) {
	var above []uint64 // locations of the frames above the node written last, outermost first
	last := 0
	for i, n := range s.nodes {
		if n.bytes == 0 {
			continue
		}
		caller := n.parent
		for caller != 0 && s.nodes[caller].bytes == 0 {
			caller = s.nodes[caller].parent
		}
		if caller != last {
			s.locs = b.appendLocsForStack(s.locs[:0], s.stack(s.nodes[caller].parent, 0))
			slices.Reverse(s.locs)
			above = append(above[:0], s.locs...)
		}
		s.locs = b.appendLocsForStack(s.locs[:0], s.stack(n.parent, s.nodes[caller].parent))
		slices.Reverse(s.locs)
		above = append(above, s.locs...)
		last = i

		s.locs = b.appendLocsForStack(s.locs[:0], []uintptr{n.pc})
		for _, l := range slices.Backward(above) {
			s.locs = append(s.locs, l)
		}
		b.pbSample([]int64{0, n.bytes}, s.locs, nil)
	}
}

// stack returns the PCs of node n and of the nodes above it, leaf first, up to
// node root, which it leaves out. The result is valid until the next call.
func (s *stackSpace) stack(n, root int) []uintptr {
	s.pcs = s.pcs[:0]
	for ; n != root; n = s.nodes[n].parent {
		s.pcs = append(s.pcs, s.nodes[n].pc)
	}
	return s.pcs
}

// stackSizeLabel returns a function that writes the label stack_size.
func (b *profileBuilder) stackSizeLabel(size uintptr) func() {
	return func() { b.pbUnitLabel("stack_size", int64(size), "bytes") }
}

// pbUnitLabel writes a label that is a number in a unit.
func (b *profileBuilder) pbUnitLabel(key string, num int64, unit string) {
	start := b.pb.startMessage()
	b.pb.int64(tagLabel_Key, b.stringIndex(key))
	b.pb.int64(tagLabel_Num, num)
	b.pb.int64(tagLabel_NumUnit, b.stringIndex(unit))
	b.pb.endMessage(tagSample_Label, start)
}

const tagLabel_NumUnit = 4 // int64 (string table index)

// goexitLocation returns the location of runtime.goexit, the root of every
// goroutine's stack. It must be called last, because after this call
// appendLocsForStack no longer leaves goexit out of stacks.
func (b *profileBuilder) goexitLocation(pc uintptr) uint64 {
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	b.deck.reset()
	b.deck.tryAdd(pc, []runtime.Frame{frame}, lookupTried)
	return b.emitLocation()
}

//go:linkname pprof_goroutineProfileWithStackSpace runtime.pprof_goroutineProfileWithStackSpace
func pprof_goroutineProfileWithStackSpace(p []profilerecord.StackRecord, labels []unsafe.Pointer, totals *profilerecord.StackTotals) (n int, ok bool)

//go:linkname pprof_stackFrameSizes runtime.pprof_stackFrameSizes
func pprof_stackFrameSizes(pcs, sizes []uintptr) (complete bool)

//go:linkname pprof_stackSpaceNames runtime.pprof_stackSpaceNames
func pprof_stackSpaceNames() profilerecord.StackSpaceNames
