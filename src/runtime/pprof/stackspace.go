// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The goroutine profile in protocol buffer form has two sample types, and two
// disjoint sets of samples: counts of goroutines by stack and labels, and bytes
// of stack memory by prefix of stacks. The documentation of [Profile] lists the
// kinds of the latter. runtime/stackspace.go measures.

package pprof

import (
	"cmp"
	"internal/profilerecord"
	"io"
	"slices"
	"unsafe"
)

// writeGoroutineSpace writes the goroutine profile as a protocol buffer.
func writeGoroutineSpace(w io.Writer) error {
	var totals profilerecord.StackTotals
	groups := groupStacks(goroutineStacks(&totals))

	b := newProfileBuilder(w)
	b.pbValueType(tagProfile_PeriodType, "goroutine", "count")
	b.pb.int64Opt(tagProfile_Period, 1)
	b.pbValueType(tagProfile_SampleType, "goroutine", "count")
	b.pbValueType(tagProfile_SampleType, "stack_space", "bytes")
	b.pb.int64Opt(tagProfile_DefaultSampleType, b.stringIndex("goroutine"))
	b.pb.int64Opt(tagProfile_DocURL, b.stringIndex("https://pkg.go.dev/runtime/pprof#Profile"))
	b.goroutineCounts(groups)

	s := newStackSpace()
	for _, g := range groups {
		s.addGoroutines(g)
	}
	s.addOthers(&totals)
	s.write(b)
	return b.build()
}

const (
	tagProfile_DocURL = 15 // int64 (string table index)
	tagLabel_NumUnit  = 4  // int64 (string table index)
)

// goroutineStacks records the stacks of all goroutines but system goroutines,
// with their labels, and sets totals.
func goroutineStacks(totals *profilerecord.StackTotals) ([]profilerecord.StackRecord, []unsafe.Pointer) {
	n, _ := pprof_goroutineProfileWithStackSpace(nil, nil, nil)
	for {
		n += n/64 + 10 // goroutines may start
		records, labels := make([]profilerecord.StackRecord, n), make([]unsafe.Pointer, n)
		var ok bool
		n, ok = pprof_goroutineProfileWithStackSpace(records, labels, totals)
		if ok {
			return records[:n], labels[:n]
		}
	}
}

// A stackGroup is goroutines with equal stacks, labels and stack sizes.
type stackGroup struct {
	stackGroupKey
	stack []uintptr // leaf first
	used  uintptr   // bytes in use, of all stacks together
	count int
}

type stackGroupKey struct {
	pcs              string // the bytes of stack
	labels           *labelMap
	start, allocated uintptr // as in profilerecord.StackSpace
}

func groupStacks(records []profilerecord.StackRecord, labels []unsafe.Pointer) []*stackGroup {
	var groups []*stackGroup
	index := make(map[stackGroupKey]*stackGroup)
	for i := range records {
		stack, space := records[i].Stack, records[i].Space()
		const word = int(unsafe.Sizeof(uintptr(0)))
		pcs := unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(stack))), len(stack)*word)
		key := stackGroupKey{pcs, (*labelMap)(labels[i]), space.Start, space.Allocated}
		g := index[key]
		if g == nil {
			g = &stackGroup{stackGroupKey: key, stack: slices.Clip(stack)}
			index[key] = g
			groups = append(groups, g)
		}
		g.count++
		g.used += space.Used
	}
	return groups
}

// goroutineCounts writes the samples that count goroutines by stack and labels,
// the greatest count first.
func (b *profileBuilder) goroutineCounts(groups []*stackGroup) {
	type key struct{ pcs, labels string } // equal labels may be different maps
	index := make(map[key]int)
	var merged []stackGroup
	for _, g := range groups {
		k := key{g.pcs, g.labels.String()}
		i, ok := index[k]
		if !ok {
			i = len(merged)
			index[k] = i
			merged = append(merged, stackGroup{stackGroupKey: g.stackGroupKey, stack: g.stack})
		}
		merged[i].count += g.count
	}
	var locs []uint64
	for _, g := range sorted(merged, func(x, y *stackGroup) int {
		return cmp.Or(cmp.Compare(y.count, x.count), slices.Compare(x.stack, y.stack))
	}) {
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

// A stackSpace divides stack memory among the prefixes of stacks. nodes[0] is
// the empty one, and parents stand before their children.
type stackSpace struct {
	names profilerecord.StackSpaceNames
	nodes []stackNode
	index map[stackEdge]int
	sizes []uintptr // scratch space of addGoroutines
}

// A stackNode is the prefix of its parent, followed by pc.
type stackNode struct {
	stackEdge
	bytes int64
}

type stackEdge struct {
	parent int
	pc     uintptr
	size   uintptr // label stack_size of free memory
}

func newStackSpace() *stackSpace {
	return &stackSpace{names: pprof_stackSpaceNames(), nodes: make([]stackNode, 1), index: make(map[stackEdge]int)}
}

// child returns the node at the end of an edge.
func (s *stackSpace) child(edge stackEdge) int {
	n, ok := s.index[edge]
	if !ok {
		n = len(s.nodes)
		s.nodes = append(s.nodes, stackNode{stackEdge: edge})
		s.index[edge] = n
	}
	return n
}

// add adds bytes to the node of a stack, given root first.
func (s *stackSpace) add(bytes int64, stack ...uintptr) (node int) {
	for _, pc := range stack {
		node = s.child(stackEdge{parent: node, pc: pc})
	}
	s.nodes[node].bytes += bytes
	return node
}

// addGoroutines adds the stacks of a group. Free memory is a leaf below the
// first function, so that a flame graph has each function once.
func (s *stackSpace) addGoroutines(g *stackGroup) {
	stack := runtime_expandFinalInlineFrame(g.stack)
	s.sizes = slices.Grow(s.sizes[:0], len(stack))[:len(stack)]
	root, outside := 0, s.names.UnframedStack
	complete := pprof_stackFrameSizes(stack, s.sizes)
	if !complete {
		outside = s.names.DeepStack
		root = s.add(0, outside)
	}
	used, node, first := int64(g.used), root, 0
	for i, pc := range slices.Backward(stack) {
		node = s.child(stackEdge{parent: node, pc: pc})
		if bytes := int64(s.sizes[i]) * int64(g.count); bytes != 0 {
			s.nodes[node].bytes += bytes
			used -= bytes
			first = cmp.Or(first, node)
		}
	}
	s.add(used, outside)
	if (!complete || first == 0) && g.start != 0 {
		first = s.add(0, g.start+1)
	}
	free := s.child(stackEdge{first, s.names.FreeStack, g.allocated})
	s.nodes[free].bytes += int64(g.allocated)*int64(g.count) - int64(g.used)
}

// addOthers adds the stack memory that belongs to no goroutine of the profile.
func (s *stackSpace) addOthers(t *profilerecord.StackTotals) {
	for _, f := range t.System {
		if f.PC != 0 {
			s.add(int64(f.Bytes), s.names.SystemStack, f.PC+1)
		}
	}
	// With GODEBUG=efence=1, stacks are allocated where Total does not count.
	s.add(max(int64(t.Total)-s.total(), 0), s.names.StackCache)
}

// total returns the bytes of all samples.
func (s *stackSpace) total() (sum int64) {
	for _, n := range s.nodes {
		sum += n.bytes
	}
	return sum
}

// write writes the samples.
func (s *stackSpace) write(b *profileBuilder) {
	// callers has the nearest node above each that has bytes, and the part of
	// above that has the locations from the parent to it.
	callers := make([]struct{ node, start, end int }, len(s.nodes))
	var above, locs []uint64
	var pcs []uintptr
	for i, n := range s.nodes {
		if n.bytes == 0 {
			continue
		}
		c := &callers[i]
		for c.node = n.parent; c.node != 0 && s.nodes[c.node].bytes == 0; {
			c.node = s.nodes[c.node].parent
		}
		pcs = pcs[:0]
		for k := n.parent; k != s.nodes[c.node].parent; k = s.nodes[k].parent {
			pcs = append(pcs, s.nodes[k].pc)
		}
		c.start = len(above)
		above = b.appendLocsForStack(above, pcs)
		c.end = len(above)
		locs = b.appendLocsForStack(locs[:0], append(pcs[:0], n.pc))
		for k := i; k != 0; k = callers[k].node {
			locs = append(locs, above[callers[k].start:callers[k].end]...)
		}
		var label func()
		if n.size != 0 {
			label = func() { b.pbUnitLabel("stack_size", int64(n.size), "bytes") }
		}
		b.pbSample([]int64{0, n.bytes}, locs, label)
	}
}

// pbUnitLabel writes a label that is a number in a unit.
func (b *profileBuilder) pbUnitLabel(key string, num int64, unit string) {
	start := b.pb.startMessage()
	b.pb.int64(tagLabel_Key, b.stringIndex(key))
	b.pb.int64(tagLabel_Num, num)
	b.pb.int64(tagLabel_NumUnit, b.stringIndex(unit))
	b.pb.endMessage(tagSample_Label, start)
}

//go:linkname pprof_goroutineProfileWithStackSpace runtime.pprof_goroutineProfileWithStackSpace
func pprof_goroutineProfileWithStackSpace(p []profilerecord.StackRecord, labels []unsafe.Pointer, totals *profilerecord.StackTotals) (n int, ok bool)

//go:linkname pprof_stackFrameSizes runtime.pprof_stackFrameSizes
func pprof_stackFrameSizes(pcs, sizes []uintptr) (complete bool)

//go:linkname pprof_stackSpaceNames runtime.pprof_stackSpaceNames
func pprof_stackSpaceNames() profilerecord.StackSpaceNames
