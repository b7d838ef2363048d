// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints the lines about a snapshot. The output of most commands
// begins with these lines.

package main

import (
	"fmt"
	"strings"
	"time"
)

// header returns the first lines of an output.
func (s *snapshot) header() []string { return append([]string{s.origin(), s.contents()}, s.notes()...) }

// notes returns the lines about the types, paths and references that the
// snapshot lacks. The last line says whether references are missing.
func (s *snapshot) notes() []string {
	var lines []string
	if s.Allocated.Objects > 0 {
		lines = append(lines, fmt.Sprintf("%s in %s was allocated while the snapshot was taken, and has no type.",
			s.t.size(s.Allocated.Bytes), count(s.Allocated.Objects, "object")))
	}
	if s.Lost.Objects > 0 {
		lines = append(lines, fmt.Sprintf("%s in %s has the type of an object above it, because its own path could not be recorded.",
			s.t.size(s.Lost.Bytes), count(s.Lost.Objects, "object")))
	}
	return append(lines, s.complete())
}

// origin returns the program and the time of the snapshot as text.
func (s *snapshot) origin() string {
	var parts []string
	for _, part := range []string{s.MainPath, s.GoVersion, strings.Trim(s.OS+"/"+s.Arch, "/")} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if !s.Time.IsZero() {
		parts = append(parts, s.Time.Format(time.DateTime+" -0700"))
	}
	return s.name + ": " + strings.Join(parts, ", ")
}

// contents returns the size of the live heap, and the parts of it that are
// reached, as text.
func (s *snapshot) contents() string {
	return fmt.Sprintf("%s live in %s: %s reached from roots, %s only from less certain roots, %s not reached.",
		s.t.size(s.live.Bytes), count(s.live.Objects, "object"), s.share(s.reach.First.Bytes),
		s.share(s.reach.Second.Bytes), s.share(s.dom.Unreached().Bytes))
}

// complete returns a sentence about missing references.
func (s *snapshot) complete() string {
	switch s.Truncated {
	case "":
		return "The snapshot is not truncated."
	case "references":
		return fmt.Sprintf("The snapshot is truncated: %s missing, and retained sizes are upper bounds.", s.missing())
	}
	return fmt.Sprintf("The snapshot is truncated: %s missing, first references to objects among them, and retained sizes cannot be relied on.", s.missing())
}

// missing returns the number of missing references, with a verb.
func (s *snapshot) missing() string {
	if s.Dropped == 1 {
		return "1 reference is"
	}
	return fmt.Sprintf("%d references are", s.Dropped)
}

// printHeader prints the first lines of an output, and an empty one.
func (s *snapshot) printHeader() {
	for _, line := range s.header() {
		s.t.printf("%s\n", line)
	}
	s.t.printf("\n")
}

// sentence returns a text as a sentence.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
