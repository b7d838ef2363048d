// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What a shape is, and how a profile is held against it: each path that begins
// with one of the shape's roots must be expected, with exactly these objects and
// bytes, and all of them together must be what the oracle reached.

package main

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unsafe"
)

// A shape is a part of the heap whose form is known.
type shape struct {
	name        string
	roots       []variable     // the global variables that nothing but this shape is held by
	owns        *regexp.Regexp // instead: which paths are this shape's
	build       func()         // makes it
	before      func()         // is called before each recording
	after       func()         // and after it
	want        func() []ref   // what must be in the profile
	loose       bool           // there may be other paths, which no table of ours lists
	blocks      bool           // no finalizer can run
	racy        bool           // cannot be told under the race detector
	alone       bool           // a goroutine at work may hold it too: a stale register, a walk of all goroutines
	fleeting    bool           // cannot be told if other cycles ran between before and the recording
	check       func(got paths, p *profile) error
	shares      bool   // other variables may hold parts of it too, and then these parts are below any
	most, least *total // what the roots hold, and hold alone, by the oracle
}

// A variable is a global variable with the linker's name for it.
// Without an address it stands for a goroutine's first function.
type variable struct {
	name       string
	addr, size uint64
}

func global[T any](name string, v *T) variable {
	return variable{name, uint64(uintptr(unsafe.Pointer(v))), uint64(reflect.TypeFor[T]().Size())}
}

// A ref is a number of objects that are all reached by one of some paths.
type ref struct {
	paths []string
	total // -1 is any number but 0
}

// at expects objects of one size at a path.
func at(objects int, each int64, path ...string) ref {
	return either(objects, each, strings.Join(path, between))
}

// either expects objects of one size at some paths, in any proportion.
func either(objects int, each int64, paths ...string) ref {
	return ref{paths: paths, total: total{int64(objects), int64(objects) * each}}
}

// count expects objects of the runtime's or a library's own types at a path,
// whose size we do not know. The oracle does.
func count(objects int, path ...string) ref {
	return ref{paths: []string{strings.Join(path, between)}, total: total{int64(objects), -1}}
}

// some expects at least one object at a path.
func some(path ...string) ref {
	return ref{paths: []string{strings.Join(path, between)}, total: total{-1, -1}}
}

// paths are the sums of a profile's samples by path.
type paths map[string]total

var slotNumber = regexp.MustCompile(`\.\((?:slot|registers)[^)]*\)`)

// plain returns a path without what the compiler chooses: which slot of a frame
// a variable has.
func plain(path string) string {
	return slotNumber.ReplaceAllString(path, ".(slot)")
}

func (p *profile) paths() paths {
	sums := paths{}
	for _, s := range p.samples {
		path := plain(s.path())
		if len(s.labels) > 0 {
			path += " {" + strings.Join(s.labels, ",") + "}"
		}
		t := sums[path]
		t.add(s.objects, s.bytes)
		sums[path] = t
	}
	return sums
}

// below sums objects of a type under roots whose names begin so.
func (p *profile) below(root, typ string) (t total) {
	for _, s := range p.samples {
		if s.typ == typ && strings.HasPrefix(s.elements[0], root) {
			t.add(s.objects, s.bytes)
		}
	}
	return t
}

func (s *shape) has(path string) bool {
	if s.owns != nil {
		return s.owns.MatchString(path)
	}
	root, _, _ := strings.Cut(path, between)
	return slices.ContainsFunc(s.roots, func(v variable) bool {
		return v.name == root && (v.addr != 0 || !strings.Contains(path, between+"runtime."))
	})
}

// compare returns what is wrong with a profile as far as it is about the shape.
func (s *shape) compare(all paths, p *profile) error {
	got, sum := paths{}, total{}
	for path, t := range all {
		if s.has(path) && t != (total{}) {
			got[path] = t
			sum.add(t.objects, t.bytes)
		}
	}
	var wrong []string
	for _, want := range s.want() {
		wrong = append(wrong, got.take(want)...)
	}
	if s.check != nil {
		if err := s.check(got, p); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if !s.loose && !s.shares && s.check == nil {
		for path, t := range got {
			wrong = append(wrong, fmt.Sprintf("unexpected: %d objects, %d bytes at %s", t.objects, t.bytes, path))
		}
	}
	slices.Sort(wrong)
	if more := len(wrong) - longest; more > 0 {
		wrong = append(wrong[:longest], fmt.Sprintf("and %d more", more))
	}
	if s.most != nil && !s.loose && !sum.between(s.least, s.most) {
		wrong = append([]string{fmt.Sprintf("%d objects, %d bytes below %s; the oracle reached %d, %d, and of those without other variables %d, %d",
			sum.objects, sum.bytes, s.roots[0].name, s.most.objects, s.most.bytes, s.least.objects, s.least.bytes)}, wrong...)
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("%s:\n\t%s", s.name, strings.Join(wrong, "\n\t"))
}

// take removes what a ref expects, and returns what differs from it.
func (got paths) take(want ref) []string {
	var sum total
	for _, path := range want.paths {
		sum.add(got[path].objects, got[path].bytes)
		delete(got, path)
	}
	if is(sum.objects, want.objects) && is(sum.bytes, want.bytes) {
		return nil
	}
	return []string{fmt.Sprintf("%d objects, %d bytes, want %d, %d at %s",
		sum.objects, sum.bytes, want.objects, want.bytes, strings.Join(want.paths, "\n\t\tor "))}
}

func (t total) between(least, most *total) bool {
	return t.objects >= least.objects && t.objects <= most.objects && t.bytes >= least.bytes && t.bytes <= most.bytes
}

// longest is the number of differences that are told of a shape.
const longest = 10

func is(got, want int64) bool { return got == want || want < 0 && got > 0 }

// agrees tells if the oracle can be right about the shape, before there is a profile.
func (s *shape) agrees() bool {
	var known total
	exact := !s.loose && !s.shares && s.check == nil
	for _, want := range s.want() {
		known.add(max(want.objects, 0), max(want.bytes, 0))
		exact = exact && want.objects >= 0 && want.bytes >= 0
	}
	return known == *s.most || !exact && known.objects <= s.most.objects && known.bytes <= s.most.bytes
}
