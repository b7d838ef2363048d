// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Retained sizes of sets, compared with the oracle: the variables of a shape
// must retain the objects that the oracle reaches from them and from no other
// variable.

package main

import (
	"bytes"
	"debug/heapgraph"
	"errors"
	"fmt"
	"runtime/pprof"
	"slices"
)

func init() {
	measure = func(built []*shape, moving bool) result {
		r := measureShapes(built, moving || raceEnabled)
		if moving {
			r.add(measureMovables())
		}
		resting.Store(false)
		return r
	}
}

// measureShapes measures what the variables of each shape retain in a snapshot
// of the heap graph. While other goroutines run, the result may differ by a
// hundredth, and may lack the objects that the snapshot did not reach.
//
// With the race detector, going through the graph takes seconds, and while
// mutators run, the graph has five times as many objects. Shapes that share no
// objects with others can be measured at once: each set of several retains what
// it retains alone.
func measureShapes(built []*shape, atOnce bool) (r result) {
	g, err := takeGraph()
	if err != nil {
		fmt.Println(err)
		return result{profiles: 1, wrong: 1}
	}
	var together []*shape
	sets := 0
	for _, s := range built {
		switch {
		case s.least == nil || s.loose || raceEnabled && s.racy || busy && (s.alone || s.fleeting):
		case !atOnce || s.shares || *s.least == (total{}):
			r.add(measureTogether(g, s))
		default:
			if sets += len(s.roots); sets > mostSets {
				r.add(measureTogether(g, together...))
				together, sets = nil, len(s.roots)
			}
			together = append(together, s)
		}
	}
	r.add(measureTogether(g, together...))
	return r
}

// mostSets is the largest number of sets that heapgraph.Graph.Retained takes.
const mostSets = 100

// measureTogether measures what the variables of some shapes retain.
func measureTogether(g *heapgraph.Graph, shapes ...*shape) (r result) {
	shapes = slices.DeleteFunc(shapes, func(s *shape) bool {
		return slices.ContainsFunc(s.roots, func(v variable) bool { return v.addr == 0 })
	})
	if len(shapes) == 0 {
		return r
	}
	var names []string
	for _, s := range shapes {
		for _, v := range s.roots {
			names = append(names, v.name)
		}
	}
	r.profiles = len(shapes)
	x, err := retain(g, names...)
	if errors.Is(err, heapgraph.ErrSet) && len(shapes) == 1 && *shapes[0].least == (total{}) { // the variables refer to no objects
		return r
	}
	if err != nil {
		fmt.Printf("%v: %v\n", names, err)
		r.wrong = len(shapes)
		return r
	}
	sets := x.Sets
	for _, s := range shapes {
		if !s.retains(sumOf(sets[:len(s.roots)]), x) {
			r.wrong++
		}
		sets = sets[len(s.roots):]
	}
	return r
}

// retains reports whether the oracle agrees that the variables of s retain so
// much, and prints the difference.
func (s *shape) retains(got total, x *heapgraph.Retained) bool {
	unreached := x.Unreached
	if (busy || got == *s.least) && near(got.objects, s.least.objects, unreached.Objects) && near(got.bytes, s.least.bytes, unreached.Bytes) {
		return true
	}
	fmt.Printf("%s: %v retain %d objects, %d bytes, and the oracle %d, %d: %+v\n",
		s.name, s.roots, got.objects, got.bytes, s.least.objects, s.least.bytes, x)
	return false
}

// takeGraph takes a snapshot. Mutators rest while it is read, and until the next
// one.
func takeGraph() (*heapgraph.Graph, error) {
	var b bytes.Buffer
	resting.Store(false)
	_, err := new(pprof.HeapGraph).Write(&b)
	resting.Store(true)
	if err != nil {
		return nil, err
	}
	f, err := heapgraph.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, err
	}
	return f.Graph(nil)
}

// retain returns what each of the sets retains.
func retain(g *heapgraph.Graph, names ...string) (*heapgraph.Retained, error) {
	sets := make([]heapgraph.Set, len(names))
	for i, name := range names {
		sets[i].Name = name
	}
	return g.Retained(sets...)
}

// sumOf returns the sum of what sets retain.
func sumOf(sets []heapgraph.RetainedSet) (t total) {
	for _, s := range sets {
		t.add(s.Objects, s.Bytes)
	}
	return t
}

// near reports whether got is within a hundredth of want, or would be if it
// were greater by at most unknown.
func near(got, want, unknown int64) bool {
	return got <= want+want/100 && got+unknown >= want-want/100
}

// measureMovables measures what the seesaws and the carriers retain while
// mutators move the movables.
func measureMovables() (r result) {
	r.profiles++
	g, err := takeGraph()
	if err != nil {
		fmt.Println(err)
		return result{profiles: 1, wrong: 1}
	}
	x, err := retain(g, "main.seesaws", "main.carriers")
	if err != nil {
		fmt.Printf("movables: %v\n", err)
		r.wrong++
		return r
	}
	got := sumOf(x.Sets).objects
	arrays := total{2, 0} // the array of seesaws and that of carriers
	want := int64(2*len(seesaws)+carried*len(carriers)) + arrays.objects
	if !near(got, want, x.Unreached.Objects+x.Untyped.Objects) {
		fmt.Printf("movables: %d objects are retained, want %d: %+v\n", got, want, x)
		r.wrong++
	}
	return r
}
