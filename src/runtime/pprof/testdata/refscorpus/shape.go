// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file defines shapes, and compares them with a profile. Unless the fields
// of a shape make an exception, each path that begins with one of the shape's
// roots must be expected, with exactly the expected objects and bytes. The sum
// of all these paths must be the sum of the objects that the oracle (oracle.go)
// reached.

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
	roots       []variable     // variables, which alone hold this shape
	owns        *regexp.Regexp // matches the paths of this shape if it has no roots
	build       func()         // builds the shape
	before      func()         // if not nil, called before each recording
	after       func()         // if not nil, called after each recording
	want        func() []ref   // the table of paths that a profile must have
	loose       bool           // there may be other paths
	blocks      bool           // keeps finalizers from running
	racy        bool           // not checked under the race detector
	alone       bool           // not checked while other goroutines run: these may still have a pointer to a part of it in a register, or hold a part of it while they walk all goroutines
	fleeting    bool           // not checked if another collection ran after the call of the function before, and before the recording
	check       func(got paths, p *profile) error
	shares      bool   // other variables may also hold parts of it, and these parts may be at any of the variables
	most, least *total // what the oracle reaches from the roots, and what it reaches only from them
}

// A variable is a global variable, with the linker's name for it. If it has no
// address, it stands for the first function of a goroutine.
type variable struct {
	name       string
	addr, size uint64
}

func global[T any](name string, v *T) variable {
	return variable{name, uint64(uintptr(unsafe.Pointer(v))), uint64(reflect.TypeFor[T]().Size())}
}

// A ref is an expectation: a number of objects, each of which is at one of some
// paths.
type ref struct {
	paths []string
	total // -1 stands for any number but 0
}

// at expects objects of one size at a path.
func at(objects int, each int64, path ...string) ref {
	return either(objects, each, strings.Join(path, between))
}

// either expects objects of one size at some paths, in any proportion.
func either(objects int, each int64, paths ...string) ref {
	return ref{paths: paths, total: total{int64(objects), int64(objects) * each}}
}

// count expects a number of objects at a path. It is for objects whose size
// only the oracle knows, such as maps, channels and closures.
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

// plain returns a path with "(slot)" in place of each slot of a frame, such as
// "(slot-0x8)", and of "(registers)", because the compiler chooses slots and
// registers.
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

// below returns the sum of the objects of a type at roots whose names begin
// with root.
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

// compare returns an error that lists the differences between the shape and its
// paths in a profile, or nil.
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

// take removes the paths of a ref, and returns the difference from what the ref
// expects, if there is one.
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

// longest is the most differences that are listed for a shape.
const longest = 10

func is(got, want int64) bool { return got == want || want < 0 && got > 0 }

// agrees reports whether what the oracle reached is consistent with the table
// of the shape.
func (s *shape) agrees() bool {
	var known total
	exact := !s.loose && !s.shares && s.check == nil
	for _, want := range s.want() {
		known.add(max(want.objects, 0), max(want.bytes, 0))
		exact = exact && want.objects >= 0 && want.bytes >= 0
	}
	return known == *s.most || !exact && known.objects <= s.most.objects && known.bytes <= s.most.bytes
}
