// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What another profile has beside cmemory: growth has what malloc maps. It is
// written as it is without this package and then changed, because a program
// without it has no code for it.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

package mallocprofile

import (
	"bytes"
	"fmt"
	"internal/profile"
	"io"
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
