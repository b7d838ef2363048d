// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The profile cmemory. This package writes it, because a program that does not
// import the package has none of its code.

package mallocprofile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"
	_ "unsafe" // for linkname
)

// blocks is what is sampled. Values are estimates for all blocks.
type blocks struct {
	rate     int64  // bytes between two samples, on average
	ownBytes uint64 // what the profiler has mapped
	sites    []site
}

// A site is the blocks of one call stack.
type site struct {
	stack  []frame  // leaf first
	labels []string // keys and values
	values [4]int64 // in the order of valueTypes
}

var valueTypes = [...][2]string{{"alloc_objects", "count"}, {"alloc_space", "bytes"}, {"inuse_objects", "count"}, {"inuse_space", "bytes"}}

// A frame is a function, and a line of its source file or the file with its
// code. A function of C has a symbol, which may be a mangled name.
type frame struct {
	function, file, symbol string
	line                   int64
}

// register makes the profile. A profile of the program that has this name stays.
func register(count func() int, read func() (*blocks, error)) {
	if pprof.Lookup("cmemory") != nil {
		return
	}
	newWrittenProfile("cmemory", count, func(w io.Writer, debug int) error {
		all, err := read()
		if err != nil {
			return err
		}
		if debug > 0 {
			return all.writeText(w)
		}
		return all.writeProto(w)
	})
}

//go:linkname newWrittenProfile
func newWrittenProfile(name string, count func() int, write func(w io.Writer, debug int) error)

// unavailable makes a profile that says why there is none.
func unavailable(why string) {
	err := errors.New("runtime/cgo/mallocprofile: " + why)
	register(func() int { return 0 }, func() (*blocks, error) { return nil, err })
}

func (all *blocks) comment() string {
	return fmt.Sprintf("The profiler's own memory: %d bytes", all.ownBytes)
}

// writeText writes the sums, and then each call stack, those with the most
// bytes in use first.
func (all *blocks) writeText(w io.Writer) error {
	b := bufio.NewWriter(w)
	var sum [4]int64
	for _, s := range all.sites {
		for i, v := range s.values {
			sum[i] += v
		}
	}
	fmt.Fprintf(b, "cmemory profile: %s, one sample per %d bytes\n# %s\n", valuesText(sum), all.rate, all.comment())
	slices.SortStableFunc(all.sites, func(x, y site) int {
		return cmp.Or(cmp.Compare(y.values[3], x.values[3]), cmp.Compare(y.values[1], x.values[1]))
	})
	for _, s := range all.sites {
		fmt.Fprintf(b, "\n%s\n", valuesText(s.values))
		for l := range slices.Chunk(s.labels, 2) {
			fmt.Fprintf(b, "# label %q=%q\n", l[0], l[1])
		}
		writeFrames(b, s.stack)
	}
	return b.Flush()
}

func valuesText(v [4]int64) string {
	return fmt.Sprintf("%d: %d [%d: %d]", v[2], v[3], v[0], v[1])
}

func writeFrames(w io.Writer, stack []frame) {
	for _, f := range stack {
		fmt.Fprintf(w, "#\t%s\t%s", f.function, f.file)
		if f.line != 0 {
			fmt.Fprintf(w, ":%d", f.line)
		}
		fmt.Fprintln(w)
	}
}
