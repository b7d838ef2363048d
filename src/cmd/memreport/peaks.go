// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the profiles peak and growth.

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// readPeak returns the peak, with the line that had allocated the most.
func readPeak(p *profile.Profile) (k peak) {
	for _, comment := range p.Comments {
		var moment string
		if n, _ := fmt.Sscanf(comment, "peak: %d bytes in use at %s", &k.Bytes, &moment); n == 2 {
			k.Time, _ = time.Parse(time.RFC3339Nano, moment)
		}
	}
	value := sampleValue(p, "peak_space")
	sums := make(map[string]int64)
	for _, s := range p.Sample {
		own, _ := ownFrame(frames(s))
		if !strings.Contains(own.function, ".") {
			continue // a class, such as Goroutine stacks
		}
		code := own.String()
		sums[code] += value(s)
		if n := sums[code]; n > sums[k.Code] || n == sums[k.Code] && code < k.Code {
			k.Code = code
		}
	}
	k.Share = sums[k.Code]
	return k
}

// began returns the time of the first profile memory, by the server's clock.
func (t *take) began() (at time.Time) {
	if p := t.profile("memory.0.pb.gz"); p != nil {
		for _, comment := range p.Comments {
			if _, text, ok := strings.Cut(comment, " is as of "); ok {
				at, _ = time.Parse(time.RFC3339Nano, text)
			}
		}
	}
	return at
}

// allocated returns the bytes that code has allocated of the memory that was
// there, at the moment when it was most.
func (t *take) allocated(code string) (most int64) {
	for i := range t.Moments {
		p := t.profile(numbered("memory", i))
		if p == nil {
			continue
		}
		value := sampleValue(p, "memory_space")
		var sum int64
		for _, s := range p.Sample {
			if own, _ := ownFrame(frames(s)); own.String() == code {
				sum += value(s)
			}
		}
		most = max(most, sum)
	}
	return most
}

// addMapped adds the program's own mappings, of a profile for each moment.
func (f *facts) addMapped(all ...*profile.Profile) {
	found := make(map[string]*mapping)
	n := len(all)
	for i, p := range all {
		if p == nil && !f.Compare && f.take.isGap("growth", i) {
			continue
		}
		if p == nil {
			return
		}
		in, out := sampleValue(p, "mapped_space"), sampleValue(p, "unmapped_space")
		for _, s := range p.Sample {
			if label(s, "kind") != "mmap" {
				continue
			}
			own, call := ownFrame(frames(s))
			key := f.key(own.String())
			m := found[key]
			if m == nil {
				m = &mapping{Mapped: make([]int64, n), Unmapped: make([]int64, n)}
				found[key] = m
			}
			m.Code, m.Call = own.String(), call.function
			m.Mapped[i] += in(s)
			m.Unmapped[i] += out(s)
		}
	}
	for _, m := range found {
		f.Mapped = append(f.Mapped, *m)
	}
	largest(f.Mapped, func(m mapping) int64 { return m.Mapped[n-1] - m.Mapped[0] }, func(m mapping) string { return m.Code })
}

// addGrown adds the code that made stacks larger.
func (f *facts) addGrown(p *profile.Profile) {
	if p == nil {
		return
	}
	for _, s := range siteChanges(nil, p, "stack_growth") {
		if !strings.HasPrefix(s.Code, "runtime._") {
			f.Grown = append(f.Grown, s)
		}
	}
}
