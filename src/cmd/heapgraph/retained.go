// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints what sets of objects and references retain.

package main

import (
	"debug/heapgraph"
	"flag"
	"fmt"
	"io"
	"regexp"

	"github.com/google/pprof/profile"
)

var retainedCommand = &command{
	name:     "retained",
	args:     "set... snapshot",
	nargs:    2,
	optional: 99,
	short:    "print what types, variables or fields retain",
	long: `Retained prints how much memory would be free without a set, and the paths from
the set to it. A set is all objects of a type, or all references in a variable
or a field, by the name that other commands and refs profiles print, such as
main.Session, main.sessions, main.Session.buf or
map[string]*main.Session[value]. In a name, ... stands for any text. If nothing
has the name, the set has all that it matches as a regular expression for the
whole name. If there are several sets, the last one has what it retains alone,
and each other one what it retains in addition to the sets after it.
With -o, it writes a profile for pprof with these paths.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(retained)
		fs.IntVar(&c.n, "n", 10, "print at most so many `paths` of each set; 0 is no limit")
		fs.StringVar(&c.o, "o", "", "write a profile for pprof to `file`, and print nothing")
		return c.run
	},
}

// retained has the flags of the command.
type retained struct {
	n int
	o string
}

func (c *retained) run(t *task, args []string) error {
	name := args[len(args)-1]
	if c.o != "" {
		if err := checkOutput(c.o, name); err != nil {
			return err
		}
	}
	s, err := t.loadGraph(name)
	if err != nil {
		return err
	}
	end := t.progress.begin("marking")
	r, err := s.retained(args[:len(args)-1])
	end()
	if err != nil {
		return fmt.Errorf("%s: %s", s.name, message(err))
	}
	s.live = r.Live
	if c.o == "" {
		s.printSets(r, c.n)
		return nil
	}
	write := func(w io.Writer) error { return s.writeSets(r, w) }
	if isStdout(c.o) {
		return write(t.out)
	}
	return writeFile(c.o, write)
}

// retained returns what the sets of the names retain.
func (s *snapshot) retained(names []string) (*heapgraph.Retained, error) {
	sets := make([]heapgraph.Set, len(names))
	for i, name := range names {
		sets[i] = heapgraph.Set{Name: name}
		if s.HasSet(sets[i]) {
			continue
		}
		if re, err := regexp.Compile("^(?:" + name + ")$"); err == nil {
			sets[i].Match = re.MatchString
		}
	}
	return s.Retained(sets...)
}

// retainedHeader returns the lines about the snapshot and what is reached.
func (s *snapshot) retainedHeader(r *heapgraph.Retained) []string {
	lines := []string{s.origin(), fmt.Sprintf("%s live in %s: %s reached without the sets, %s freed later, by finalizers and cleanups, %s not reached.",
		s.t.size(s.live.Bytes), count(s.live.Objects, "object"), s.share(r.Outside.Bytes), s.share(r.FreedLater.Bytes), s.share(r.Unreached.Bytes))}
	if r.Untyped.Objects > 0 {
		lines = append(lines, fmt.Sprintf("%s in %s that the sets do not retain has no type.", s.t.size(r.Untyped.Bytes), count(r.Untyped.Objects, "object")))
	}
	return append(lines, s.notes()...)
}

// printSets prints what sets retain, and the first n paths of each.
func (s *snapshot) printSets(r *heapgraph.Retained, n int) {
	for _, line := range s.retainedHeader(r) {
		s.t.printf("%s\n", line)
	}
	s.t.printf("\n%10s %6s %9s  set\n", "retained", "share", "objects")
	for i := range r.Sets {
		x := &r.Sets[i]
		s.printShare(x.Amount, x.Name)
	}
	for i := range r.Sets {
		x := &r.Sets[i]
		s.t.printf("\n%10s %6s %9s  paths from %s (type of the objects)\n", "size", "share", "objects", x.Name)
		for _, p := range first(x.Paths, n) {
			s.printShare(p.Amount, pathWithType(&p))
		}
		s.t.printMore(len(x.Paths), n)
	}
}

func (s *snapshot) printShare(a heapgraph.Amount, name string) {
	s.t.printf("%10s %6s %9d  %s\n", s.t.size(a.Bytes), s.share(a.Bytes), a.Objects, name)
}

// pathWithType returns a path, and the type of its objects unless the path is
// that type.
func pathWithType(p *heapgraph.RetainedPath) string {
	text := heapgraph.JoinPath(p.Path)
	if text == p.Type {
		return text
	}
	return text + " (" + p.Type + ")"
}

// writeSets writes a profile of what sets retain: the outermost frame is the
// set, and the others are the path.
func (s *snapshot) writeSets(r *heapgraph.Retained, w io.Writer) error {
	p := &profileBuilder{functions: make(map[string]*profile.Location)}
	p.SampleType = []*profile.ValueType{{Type: "retained_objects", Unit: "count"}, {Type: "retained_space", Unit: "bytes"}}
	p.DefaultSampleType = "retained_space"
	if !s.Time.IsZero() {
		p.TimeNanos = s.Time.UnixNano()
	}
	p.Comments = s.retainedHeader(r)
	for i := range r.Sets {
		set := &r.Sets[i]
		p.Comments = append(p.Comments, fmt.Sprintf("retained by %s: %d bytes in %d objects", set.Name, set.Bytes, set.Objects))
		for _, x := range set.Paths {
			sample := &profile.Sample{
				Value: []int64{x.Objects, x.Bytes},
				Label: map[string][]string{"root": {"retained"}, "set": {set.Name}, "type": {x.Type}},
			}
			for k := len(x.Path) - 1; k >= 0; k-- {
				sample.Location = append(sample.Location, p.location(x.Path[k]))
			}
			sample.Location = append(sample.Location, p.location("(retained) "+set.Name))
			p.Sample = append(p.Sample, sample)
		}
	}
	if err := p.CheckValid(); err != nil {
		return err
	}
	return p.Write(w)
}
