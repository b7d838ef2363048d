// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The parts of memory that is not Go's, as the profile memory has them.

package main

import "fmt"

// foreignParts are classes in the class foreign, by frames below it.
var foreignParts = []struct {
	frame string
	class class
	row   string // in the table
	note  string
}{
	{"Executable and libraries", "code", "code", "the executable and shared libraries"},
	{"Mapped files", "files", "files", "mapped files"},
	{"Shared memory", "shared", "shared", "shared memory: memfd, /dev/shm, SysV"},
	{"C heap", "c-heap", "C heap", "malloc, without its large blocks"},
	{"C stacks", "c-stacks", "C stacks", "stacks of C's threads"},
	{"Mapped by the program", "program", "program", "mapped by the program, without a file"},
	{"Other", "not-known", "not known", "large blocks of malloc, mappings by C"},
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

// mostForeign says which part of memory that is not Go's has grown most, if that
// is known.
func (f *facts) mostForeign() []string {
	best, text := int64(0), []string(nil)
	for _, p := range foreignParts {
		if n, ok := f.change(p.class); ok && n > best {
			best = n
			text = []string{fmt.Sprintf("most of it is %q of the profile: %s came, now %s", p.frame, formatSize(n), formatSize(f.size(p.class)))}
		}
	}
	return text
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
