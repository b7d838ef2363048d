// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// A duration says how long a section took, and which of its packages took the
// longest. It shows where a run can be made shorter.
type duration struct {
	section   string
	begun     time.Time
	took      time.Duration
	processor time.Duration // of all its processes
	pkg       string
	pkgTook   time.Duration
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (d *duration) addPackage(name string, took time.Duration) {
	if took > d.pkgTook {
		d.pkg, d.pkgTook = name, took
	}
}

// writeLongest prints the ten sections that took longest.
func writeLongest(out io.Writer, sections []duration) {
	if len(sections) < 2 {
		return
	}
	longest := slices.SortedStableFunc(slices.Values(sections), func(a, b duration) int {
		return int(b.took - a.took)
	})
	fmt.Fprintln(out, "\nlongest sections:")
	for _, d := range longest[:min(10, len(longest))] {
		fmt.Fprintf(out, "\t%v, %v of processors: %s", d.took.Round(time.Second), d.processor.Round(time.Second), d.section)
		if d.pkg != "" {
			fmt.Fprintf(out, " (%s %v)", d.pkg, d.pkgTook.Round(time.Second))
		}
		fmt.Fprintln(out)
	}
}
