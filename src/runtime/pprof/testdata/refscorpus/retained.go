// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Retained sizes of sets, held against the oracle: the variables of a shape
// retain the objects that the oracle reaches from them, and not from others.

package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/pprof"
)

// measure measures what the variables of each shape retain or, if others are at
// work, which takes longer, of every tenth. Then the result may differ by a
// hundredth, and by the objects of which it is not known.
func measure(built []*shape) (r result) {
	for i, s := range built {
		if busy && i%10 != 0 {
			continue
		}
		if s.least == nil || s.loose || raceEnabled && s.racy || busy && (s.alone || s.fleeting) {
			continue
		}
		r.profiles++
		if err := s.measure(); err != nil {
			fmt.Println(err)
			r.wrong++
		}
	}
	return r
}

func (s *shape) measure() error {
	var sets []string
	for _, v := range s.roots {
		if v.addr == 0 {
			return nil
		}
		sets = append(sets, v.name)
	}
	got, stats, err := retainedBy(sets...)
	switch {
	case errors.Is(err, pprof.ErrRetainedSets) && *s.least == (total{}): // the variables refer to no objects
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

// retainedBy returns what the sets retain together.
func retainedBy(sets ...string) (sum total, stats pprof.RetainedStats, err error) {
	r := pprof.Retained{Sets: sets}
	stats, err = r.Write(io.Discard, 0)
	for _, s := range stats.Sets {
		sum.add(s.Objects, s.Bytes)
	}
	return sum, stats, err
}

// near reports whether got is within a hundredth of want, or lacks at most as
// much as is not known.
func near(got, want, unknown int64) bool {
	return got <= want+want/100 && got+unknown >= want-want/100
}

// measureMovables measures what the places of movables retain while mutators
// move these.
func measureMovables() (r result) {
	r.profiles++
	got, stats, err := retainedBy("main.seesaws", "main.carriers")
	arrays := total{2, 0} // of seesaws and of carriers
	want := int64(2*len(seesaws)+carried*len(carriers)) + arrays.objects
	if err != nil || !near(got.objects, want, stats.Unreached.Objects+stats.Untyped.Objects) {
		fmt.Printf("movables: %d objects are retained, want %d: %+v, error %v\n", got.objects, want, stats, err)
		r.wrong++
	}
	return r
}
