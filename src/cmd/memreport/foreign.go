// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The parts of memory that is not Go's, as the profile memory has them.

package main

import "fmt"

const threadStacks class = "c-stacks"

// foreignParts are classes in the class foreign, by frames below it.
var foreignParts = []struct {
	frame string
	class class
	row   string // in the table
	note  string
	c     bool // C's, as far as is known, and no mapping of the program's
}{
	{"Executable and libraries", "code", "code", "the executable and shared libraries", false},
	{"Mapped files", "files", "files", "mapped files", false},
	{"Shared memory", "shared", "shared", "shared memory: memfd, /dev/shm, SysV", false},
	{"C heap", "c-heap", "C heap", "malloc", true},
	{"C stacks", threadStacks, "C stacks", "stacks of C's threads", true},
	{"Mapped by the program", "program", "program", "mapped by the program, without a file", false},
	{"Other", "not-known", "not known", "mappings by C; malloc's large blocks, without runtime/cgo/mallocprofile", true},
}

func init() {
	for _, p := range foreignParts {
		classes = append(classes, p.class)
	}
}

// addForeign adds a sample of memory that is not Go's to its part.
func (m *moment) addForeign(all []frame, bytes int64) {
	if len(all) < 2 {
		return // the system does not tell
	}
	for _, p := range foreignParts {
		if all[len(all)-2].function == p.frame {
			m.Classes[p.class] += bytes
		}
	}
}

// ofC returns the size of memory that is not Go's and that touching mappings does
// not change.
func (m moment) ofC() (sum int64) {
	for _, p := range foreignParts {
		if p.c {
			sum += m.Classes[p.class]
		}
	}
	return sum
}

// changeOfC returns how much ofC has grown in the watch, if the parts are known.
func (f *facts) changeOfC() (int64, bool) {
	_, ok := f.lastWatched().Classes["c-heap"]
	return f.lastWatched().ofC() - f.firstWatched().ofC(), ok
}

// mostForeign says which part of memory that is not Go's has grown most, if that
// is known.
func (f *facts) mostForeign() []string {
	c, frame := f.largestForeign()
	if c == "" {
		return nil
	}
	n, _ := f.change(c)
	text := []string{fmt.Sprintf("most of it is %q of the profile: %s came, now %s", frame, formatSize(n), formatSize(f.size(c)))}
	if c == threadStacks {
		text = append(text, threadsNeeded)
	}
	return text
}

// threadsNeeded says why a program has more threads.
const threadsNeeded = "each thread has a stack: goroutines that lock their threads, or block in system calls or C, need threads of their own"

// largestForeign returns the part of memory that is not Go's that has grown most,
// or nothing.
func (f *facts) largestForeign() (c class, frame string) {
	best := int64(0)
	for _, p := range foreignParts {
		if n, ok := f.change(p.class); ok && n > best && (p.c || !f.touchesMappings()) {
			best, c, frame = n, p.class, p.frame
		}
	}
	return c, frame
}

// foreignRows returns lines for the parts of a megabyte or more.
func (f *facts) foreignRows() (lines []string) {
	for _, p := range foreignParts {
		if now := f.now().Classes[p.class]; now >= mega {
			lines = append(lines, f.row(p.class, "    "+p.row, now, p.note))
		}
	}
	return lines
}
