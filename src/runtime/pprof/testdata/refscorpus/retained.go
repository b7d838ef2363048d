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
)

func init() {
	measure = func(built []*shape, moving bool) result {
		r := measureShapes(built)
		if moving {
			r.add(measureMovables())
		}
		return r
	}
}

// measureShapes measures what the variables of each shape retain in a snapshot
// of the heap graph. While other goroutines run, the result may differ by a
// hundredth, and may lack the objects that the snapshot did not reach. With the
// race detector, a set takes seconds, so only each eighth shape is measured.
func measureShapes(built []*shape) (r result) {
	g, err := takeGraph()
	if err != nil {
		fmt.Println(err)
		return result{profiles: 1, wrong: 1}
	}
	for i, s := range built {
		if raceEnabled && i%8 != 0 {
			continue
		}
		if s.least == nil || s.loose || raceEnabled && s.racy || busy && (s.alone || s.fleeting) {
			continue
		}
		r.profiles++
		if err := s.measure(g); err != nil {
			fmt.Println(err)
			r.wrong++
		}
	}
	return r
}

func (s *shape) measure(g *heapgraph.Graph) error {
	var sets []string
	for _, v := range s.roots {
		if v.addr == 0 {
			return nil
		}
		sets = append(sets, v.name)
	}
	got, stats, err := retainedBy(g, sets...)
	switch {
	case errors.Is(err, heapgraph.ErrSet) && *s.least == (total{}): // the variables refer to no objects
		return nil
	case err != nil:
		return fmt.Errorf("%s: %v", s.name, err)
	}
	if !busy && got != *s.least || !near(got.objects, s.least.objects, stats.Unreached.Objects) || !near(got.bytes, s.least.bytes, stats.Unreached.Bytes) {
		return fmt.Errorf("%s: %v retain %d objects, %d bytes, and the oracle %d, %d: %+v",
			s.name, sets, got.objects, got.bytes, s.least.objects, s.least.bytes, stats)
	}
	return nil
}

// takeGraph takes a snapshot.
func takeGraph() (*heapgraph.Graph, error) {
	var b bytes.Buffer
	if _, err := new(pprof.HeapGraph).Write(&b); err != nil {
		return nil, err
	}
	f, err := heapgraph.NewFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, err
	}
	return f.Graph(nil)
}

// retainedBy returns the sum of what each of the sets retains.
func retainedBy(g *heapgraph.Graph, names ...string) (sum total, r *heapgraph.Retained, err error) {
	sets := make([]heapgraph.Set, len(names))
	for i, name := range names {
		sets[i].Name = name
	}
	r, err = g.Retained(sets...)
	if err != nil {
		return sum, nil, err
	}
	for _, s := range r.Sets {
		sum.add(s.Objects, s.Bytes)
	}
	return sum, r, nil
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
	got, stats, err := retainedBy(g, "main.seesaws", "main.carriers")
	arrays := total{2, 0} // the array of seesaws and that of carriers
	want := int64(2*len(seesaws)+carried*len(carriers)) + arrays.objects
	if err != nil || !near(got.objects, want, stats.Unreached.Objects+stats.Untyped.Objects) {
		fmt.Printf("movables: %d objects are retained, want %d: %+v, error %v\n", got.objects, want, stats, err)
		r.wrong++
	}
	return r
}
