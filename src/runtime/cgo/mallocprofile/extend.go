// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What other profiles have beside cmemory: growth has what malloc maps, and
// memory names the blocks that have mappings of their own. A profile is written
// as it is without this package and then changed, because a program without it
// has no code for it.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

package mallocprofile

import (
	"bytes"
	"fmt"
	"internal/profile"
	"io"
	"slices"
	"strings"
	_ "unsafe" // for linkname
)

type writeFunc = func(w io.Writer, debug int) error

// extendProfile replaces the function that writes a profile, if there is such a
// profile.
//
//go:linkname extendProfile
func extendProfile(name string, extend func(writeFunc) writeFunc)

// changed returns a function that changes what write writes.
func changed(write writeFunc, proto func(*protoProfile), text func(string) string) writeFunc {
	return func(w io.Writer, debug int) error {
		var b bytes.Buffer
		if err := write(&b, debug); err != nil {
			return err
		}
		if debug > 0 {
			_, err := io.WriteString(w, text(b.String()))
			return err
		}
		p, err := profile.Parse(&b)
		if err != nil {
			return err
		}
		changed := newProtoProfile(p)
		proto(changed)
		return changed.Write(w)
	}
}

// mallocs are what malloc has mapped and unmapped at a call stack.
type mallocs struct {
	stack                     []frame
	mapped, unmapped, growths int64
}

// extendGrowth adds samples of the kind malloc to the profile growth.
func extendGrowth(read func() []mallocs) {
	extendProfile("growth", func(write writeFunc) writeFunc {
		return changed(write, func(p *protoProfile) {
			types := make(map[string]int)
			for i, t := range p.SampleType {
				types[t.Type] = i
			}
			for _, m := range read() {
				values := make([]int64, len(types))
				values[types["mapped_space"]], values[types["unmapped_space"]], values[types["growths"]] = m.mapped, m.unmapped, m.growths
				p.add(m.stack, []string{"kind", "malloc"}, values)
			}
		}, func(text string) string {
			all := read()
			var sum mallocs
			var b strings.Builder
			for _, m := range all {
				sum.mapped, sum.unmapped, sum.growths = sum.mapped+m.mapped, sum.unmapped+m.unmapped, sum.growths+m.growths
				fmt.Fprintf(&b, "\n%v\n", m)
				writeFrames(&b, m.stack)
			}
			return fmt.Sprintf("%s\n# total: %v\n%s", text, sum, b.String())
		})
	})
}

func (m mallocs) String() string {
	return fmt.Sprintf("kind=malloc mapped_space=%d unmapped_space=%d growths=%d", m.mapped, m.unmapped, m.growths)
}

// largeBlocks is a class of the profile memory, leaf first.
var largeBlocks = []frame{{function: "large blocks of malloc"}, {function: "C heap"}, {function: "Not Go's memory"}}

// extendMemory moves what resident returns from the class Other to one of C's
// heap.
func extendMemory(resident func() int64) {
	extendProfile("memory", func(write writeFunc) writeFunc {
		return changed(write, func(p *protoProfile) {
			i := slices.IndexFunc(p.Sample, func(s *profile.Sample) bool {
				return len(s.Location) == 2 && isName(s.Location[0], "Other") && isName(s.Location[1], "Not Go's memory")
			})
			if i < 0 {
				return // the system tells no classes
			}
			other := p.Sample[i].Value
			values := make([]int64, len(other))
			n := resident()
			for i := range other {
				values[i] = min(n, other[i])
				other[i] -= values[i]
			}
			p.add(largeBlocks, nil, values)
		}, func(text string) string {
			const class = "# Not Go's memory > Other = "
			before, after, found := strings.Cut(text, class)
			var other int64
			if _, err := fmt.Sscan(after, &other); !found || err != nil {
				return text
			}
			_, after, _ = strings.Cut(after, "\n")
			n := min(resident(), other)
			return fmt.Sprintf("%s# Not Go's memory > C heap > large blocks of malloc = %d\n%s%d\n%s", before, n, class, other-n, after)
		})
	})
}

func isName(l *profile.Location, name string) bool {
	return len(l.Line) == 1 && l.Line[0].Function.Name == name
}
