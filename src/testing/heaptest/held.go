// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file checks that the objects of a type are reachable only through a
// holder. It searches the snapshot from the roots on, breadth first, and stops
// at holders. Every object of the type that it meets is therefore reachable
// without a holder, and the path to it is a shortest one.

package heaptest

import (
	"debug/heapgraph"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// OnlyHeldBy makes the test fail if an object of a type is reachable in a way
// that does not go through a holder. typ and holder are names as in the profile
// refs. A type is written as reflect.Type's String method writes it, or with
// the full path of its package. A holder is one of these: the name of a type,
// whose objects are then holders; a global variable; a goroutine, as "goroutine
// F"; a variable of a function; or a field of a type or another reference,
// without its type. In the names of variables, functions and fields, packages
// have their full paths.
//
// OnlyHeldBy fails if the calling test, or a parallel test, holds an object of
// the type in a variable that it uses later.
//
// OnlyHeldBy also fails if no object of the type is reachable.
func OnlyHeldBy(t testing.TB, typ, holder string) {
	t.Helper()
	var failure string
	runtime_outside(func() {
		collect()
		for pause := time.Millisecond; ; pause *= 8 {
			s, err := takeSnapshot()
			if err != nil {
				failure = fmt.Sprintf("no snapshot: %v", err)
				return
			}
			failure = s.otherHolder(typ, holder)
			if failure == "" || pause > patience {
				return
			}
			time.Sleep(pause)
		}
	})
	if failure != "" {
		t.Errorf("heaptest.OnlyHeldBy: %s", failure)
	}
}

// otherHolder returns why the check fails: an object of the type is reachable
// without the holder, or none is reachable. It returns "" if the check passes.
func (s *snapshot) otherHolder(typ, holder string) string {
	h := search{snapshot: s, holder: holder}
	path := h.path(func(v heapgraph.Vertex) bool { return s.hasType(v, typ) })
	if path != nil && h.cuts == 0 {
		return fmt.Sprintf("nothing has the name %s, and a %s is reachable:\n%s", holder, typ, s.text(path))
	}
	if path != nil {
		return fmt.Sprintf("a %s is reachable without %s:\n%s", typ, holder, s.text(path))
	}
	d := s.Dominators()
	for v, end := s.Objects(); v < end; v++ {
		if s.hasType(v, typ) && d.Reached(v) {
			return ""
		}
	}
	return fmt.Sprintf("no object of type %s is reachable", typ)
}

// A search is a search for paths that do not go through a holder.
type search struct {
	*snapshot
	holder string
	cuts   int // number of times that the search came to a holder
}

// path returns a shortest path from a root of the first class to an object for
// which wanted returns true, or nil.
func (s *search) path(wanted func(heapgraph.Vertex) bool) []heapgraph.Reference {
	const none = math.MaxUint32
	from := make([]heapgraph.Vertex, s.NumVertices())
	for v := range from {
		from[v] = none
	}
	from[heapgraph.All] = heapgraph.All
	queue := []heapgraph.Vertex{heapgraph.All}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for w := range s.targets(v) {
			if from[w] != none || s.holds(w) {
				continue
			}
			from[w] = v
			if wanted(w) {
				return s.references(from, w)
			}
			queue = append(queue, w)
		}
	}
	return nil
}

// references returns the references of the path to v. from[w] is the vertex
// before w on the path to w.
func (s *search) references(from []heapgraph.Vertex, v heapgraph.Vertex) (path []heapgraph.Reference) {
	for ; from[v] != heapgraph.All; v = from[v] {
		for _, r := range s.References(from[v]) {
			if r.To == v && !s.isHolder(r) {
				path = append(path, r)
				break
			}
		}
	}
	slices.Reverse(path)
	return path
}

// holds reports whether the search stops at v, because v is a holder, a root of
// the second class, or a variable that Watch keeps.
func (s *search) holds(v heapgraph.Vertex) bool {
	if s.Kind(v) == heapgraph.KindObject && s.hasType(v, s.holder) || s.Kind(v) != heapgraph.KindObject && s.Name(v) == s.holder {
		s.cuts++
		return true
	}
	return s.SecondClass(v) || s.isVariable(v)
}

// targets returns the targets of the references from v that are not holders.
func (s *search) targets(v heapgraph.Vertex) iter.Seq[heapgraph.Vertex] {
	if v == heapgraph.All || s.Kind(v) == heapgraph.KindObject && !s.mayHaveHolder(v) {
		return s.Targets(v)
	}
	return func(yield func(heapgraph.Vertex) bool) {
		for _, r := range s.References(v) {
			if s.isHolder(r) {
				s.cuts++
			} else if !yield(r.To) {
				return
			}
		}
	}
}

// mayHaveHolder reports whether a reference in the object v may be a holder.
// Names of references in objects begin with the name of the object's type. For
// a closure, whose type is func(F), they begin with F.
func (s *search) mayHaveHolder(v heapgraph.Vertex) bool {
	typ := s.Type(v)
	return strings.HasPrefix(typ, "func(") || strings.HasPrefix(s.holder, typ) || strings.HasPrefix(s.holder, s.FullType(v))
}

// isHolder reports whether r is a holder. In names of references, a type may
// follow after a space.
func (s *search) isHolder(r heapgraph.Reference) bool {
	r.Outside = false // elements to which no slice refers are elements, too
	names := s.Elements(r)
	if s.Kind(r.From) != heapgraph.KindObject {
		names = names[1:]
	}
	return slices.ContainsFunc(names, func(name string) bool {
		rest, ok := strings.CutPrefix(name, s.holder)
		return ok && (rest == "" || rest[0] == ' ')
	})
}

// hasType reports whether v is an object of the named type, or an array of such
// objects.
func (s *snapshot) hasType(v heapgraph.Vertex, name string) bool {
	if s.Kind(v) != heapgraph.KindObject {
		return false
	}
	full := s.FullType(v)
	return full == name || s.Type(v) == name || withoutPath(full) == name
}

// withoutPath returns the full name of a type without the path of the package,
// as reflect.Type's String method does, if the type has a name.
func withoutPath(full string) string {
	name, _, _ := strings.Cut(full, "[") // only up to type arguments, which keep their paths
	if strings.ContainsAny(name, "*( ") {
		return full
	}
	return full[strings.LastIndexByte(name, '/')+1:]
}
