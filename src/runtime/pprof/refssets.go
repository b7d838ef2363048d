// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the members of sets by the names of a recording.

package pprof

import (
	"errors"
	"fmt"
	"internal/profilerecord"
	"internal/refpath"
	"reflect"
	"slices"
	"strings"
	_ "unsafe" // for linkname
)

// maxSetBytes is the largest number of bytes of a set's name.
const maxSetBytes = 1 << 10

// maxRetainedRecordings is the largest number of recordings that look for the
// members of sets.
const maxRetainedRecordings = 10

// recordNew records sets whose members are not known. A recording lacks
// references that lead only to objects that other references have reached
// before. If the recording holds the known members back, it may have some of
// these references, and show more members. recordNew repeats the recording with
// all members that are known until it shows no more, or until there are
// maxRetainedRecordings recordings.
func (r *Retained) recordNew(sets []string) (*profilerecord.RefsProfile, error) {
	r.names, r.members = nil, nil
	switch {
	case len(sets) == 0:
		return nil, fmt.Errorf("%w: Sets is empty", ErrRetainedSets)
	case len(sets) > profilerecord.RefsMaxSets:
		return nil, fmt.Errorf("%w: %d sets are more than %d", ErrRetainedSets, len(sets), profilerecord.RefsMaxSets)
	}
	for _, set := range sets {
		if set == "" || len(set) > maxSetBytes {
			return nil, fmt.Errorf("%w: a name has %d bytes, want 1 to %d", ErrRetainedSets, len(set), maxSetBytes)
		}
	}
	match := r.Match
	if match == nil {
		match = matchName
	}
	search := setSearch{sets: sets, match: match, found: make([]bool, len(sets))}
	p, members, failed := pprof_refsRetained(nil, search.choose)
	for n, more := 1, members; failed == "" && len(more) > 0 && n < maxRetainedRecordings; n++ {
		members = distinct(members)
		p, more, failed = pprof_refsRetained(members, search.choose)
		members = append(members, more...)
	}
	if failed != "" {
		return nil, errors.New(failed)
	}
	for i, set := range sets {
		if !search.found[i] {
			return nil, fmt.Errorf("%w: nothing in the heap has the name %q", ErrRetainedSets, set)
		}
	}
	r.names, r.members = sets, distinct(members)
	return p, nil
}

// distinct removes repeated members from a slice, and returns the shorter
// slice.
func distinct(members []profilerecord.RefsMember) []profilerecord.RefsMember {
	seen := make(map[profilerecord.RefsMember]bool)
	return slices.DeleteFunc(members, func(m profilerecord.RefsMember) bool {
		was := seen[m]
		seen[m] = true
		return was
	})
}

// matchName reports whether a name matches a set, in which "..." stands for any
// text. A set without the type of a reference matches the name with any type.
// testing/heaptest calls it.
//
//go:linkname matchName
func matchName(set, name string) bool {
	return matchPattern(set, name) || matchPattern(set, withoutType(name))
}

// withoutType returns the name of a reference without its type. The type
// follows the first space that is neither in brackets nor within a type such as
// chan int. The name of an element of a slice, a map or a channel has no such
// type. If the element is an interface, a function or an unsafe.Pointer, then
// the type of its value, the function, or the type of the pointer may follow in
// parentheses.
func withoutType(name string) string {
	if strings.HasPrefix(name, "(") { // text in parentheses is not the name of a reference
		return name
	}
	depth, open := 0, 0 // open is the index of the latest bracket that is in no other
	for i, c := range name {
		switch {
		case strings.ContainsRune("([{", c):
			if depth == 0 {
				open = i
			}
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ' ' && depth == 0 && !isTypeBegun(name[:i], open):
			return name[:i]
		}
	}
	if i := strings.LastIndex(name, "]("); i >= 0 && strings.HasSuffix(name, ")") {
		return name[:i+1]
	}
	return name
}

// isTypeBegun reports whether s ends within a type that may continue after a
// space: chan int, struct { ... }, interface { ... } or func() error. The
// parameter open is the index of the latest bracket that is in no other.
func isTypeBegun(s string, open int) bool {
	return strings.HasSuffix(s, "chan") || strings.HasSuffix(s, "chan<-") || strings.HasSuffix(s, "struct") || strings.HasSuffix(s, "interface") ||
		strings.HasSuffix(s, ")") && strings.HasSuffix(s[:open], "func")
}

// matchPattern reports whether s matches a pattern in which "..." stands for
// any text. A row of more than three dots can be divided into "..." and single
// dots, which stand for themselves, in several ways. The pattern matches if it
// matches in one of these ways.
func matchPattern(pattern, s string) bool {
	if !strings.Contains(pattern, "...") {
		return s == pattern
	}
	for strings.Contains(pattern, manyDots) {
		pattern = strings.ReplaceAll(pattern, manyDots, manyDots[3:])
	}
	at := make([]bool, len(pattern)+1) // whether pattern[:i] matches the part of s that has been read
	at[0] = true
	most := 0 // largest i for which at[i] is true
	for n := 0; ; n++ {
		for i := 0; i <= most; i++ {
			if at[i] && strings.HasPrefix(pattern[i:], "...") {
				at[i+3] = true
				most = max(most, i+3)
			}
		}
		if n == len(s) {
			return at[len(pattern)]
		}
		most = min(most+1, len(pattern))
		for i := most; i >= 0; i-- {
			at[i] = i > 0 && at[i-1] && pattern[i-1] == s[n] || at[i] && strings.HasPrefix(pattern[i:], "...")
		}
		for most > 0 && !at[most] {
			most--
		}
		if !at[most] {
			return false
		}
	}
}

// manyDots is a row of dots so long that a pattern that contains it still
// matches the same texts when three of these dots are removed.
const manyDots = "............"

// A setSearch is the search for the members of sets.
type setSearch struct {
	sets  []string
	match func(set, name string) bool
	known map[string][]uint8 // while choose runs: the sets that match a name, as in profilerecord.RefsMember
	found []bool             // by set: whether it has a member
}

// choose chooses members by the names of the nodes of a recording. It keeps no
// names, because they would be in the heap of the next recording.
func (s *setSearch) choose(p *profilerecord.RefsProfile) (choices []profilerecord.RefsChoice) {
	s.known = make(map[string][]uint8)
	defer func() { s.known = nil }()
	namer := refpath.NewNamer(p.Nodes, pprof_stackSpaceNames().DeepStack)
	for i := range p.Nodes {
		node := &p.Nodes[i]
		if i == 0 || node.Kind == profilerecord.RefsGoroutine {
			continue
		}
		name := namer.Name(i)
		choose := func(form profilerecord.RefsMemberForm, name string) {
			for _, set := range s.having(name) {
				s.found[set-1] = true
				choices = append(choices, profilerecord.RefsChoice{Node: int32(i), Form: form, Set: set})
			}
		}
		if form := memberForm(node.Kind); form != 0 && name.Elem.PC == 0 {
			choose(form, name.Elem.Name)
		}
		typ, form := objectType(node), profilerecord.RefsMemberObject
		if typ == nil {
			typ, form = staticType(node), profilerecord.RefsMemberVariable
		}
		if typ != nil {
			choose(form, typ.String())
			if typ.PkgPath() != "" {
				choose(form, typ.PkgPath()+"."+typ.Name())
			}
		} else if node.Role == profilerecord.RefsClosure {
			choose(profilerecord.RefsMemberObject, name.Objects)
		}
	}
	return choices
}

// having returns the sets that have a name.
func (s *setSearch) having(name string) []uint8 {
	sets, ok := s.known[name]
	if !ok {
		for i, set := range s.sets {
			if s.match(set, name) {
				sets = append(sets, uint8(i+1))
			}
		}
		s.known[name] = sets
	}
	return sets
}

// memberForm returns in which form references of a kind are members, or 0 if
// they cannot be members.
func memberForm(kind profilerecord.RefsKind) profilerecord.RefsMemberForm {
	switch kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal, profilerecord.RefsModuleData, profilerecord.RefsLocal:
		return profilerecord.RefsMemberVariable
	case profilerecord.RefsUnknown:
		return 0
	}
	if kind >= profilerecord.RefsField {
		return profilerecord.RefsMemberReference
	}
	return 0
}

// objectType returns the type of a node's objects, or nil if there are none or
// the type is not known. For arrays it is the type of an element.
func objectType(node *profilerecord.RefsNode) reflect.Type {
	if node.Role == profilerecord.RefsVariable {
		return nil
	}
	return refpath.TypeAt(node.Type)
}

// staticType returns the type of the object that a node stands for if the linker
// has allocated it, or else nil. For arrays it is the type of an element.
func staticType(node *profilerecord.RefsNode) reflect.Type {
	if node.Kind != profilerecord.RefsGlobal {
		return nil
	}
	typ := refpath.TypeAt(node.Static)
	if typ == nil || typ.Kind() != reflect.Struct && typ.Kind() != reflect.Array {
		return nil
	}
	for typ.Kind() == reflect.Array {
		typ = typ.Elem()
	}
	return typ
}
