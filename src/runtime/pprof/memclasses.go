// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The classes of Go's memory, as the profiles peak and memory name them.

package pprof

import "internal/profilerecord"

// A memClass is a class of memory. frames has the names of its frames in
// samples, root first.
type memClass struct {
	memSpace
	frames []string
}

const goMemory = "Go memory" // the frame of all of Go's memory

// A memSpace has the values of a sample, in bytes.
type memSpace struct{ taken, present uint64 }

// goClasses returns the classes of Go's memory, all of it present. recent is
// the name of the class of new objects.
func goClasses(m *profilerecord.MemClasses, recent string) (classes []memClass) {
	const runtime = "Runtime structures"
	for _, c := range []struct {
		bytes  uint64
		frames []string
	}{
		{m.Live, []string{"Live heap at the last collection"}},
		{m.New, []string{recent}},
		{m.Fragmented, []string{"Fragmented heap"}},
		{m.Free, []string{"Free heap"}},
		{m.Stacks, []string{"Goroutine stacks"}},
		{m.OSStacks, []string{"Thread stacks"}},
		{m.MSpanInUse, []string{runtime, "mspan in use"}},
		{m.MSpanFree, []string{runtime, "mspan free"}},
		{m.MCacheInUse, []string{runtime, "mcache in use"}},
		{m.MCacheFree, []string{runtime, "mcache free"}},
		{m.MetadataOther, []string{runtime, "other metadata"}},
		{m.Buckets, []string{runtime, "profiling buckets"}},
		{m.Other, []string{runtime, "other"}},
	} {
		classes = append(classes, memClass{memSpace{c.bytes, c.bytes}, append([]string{goMemory}, c.frames...)})
	}
	return classes
}
