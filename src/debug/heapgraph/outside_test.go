// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	format "internal/heapgraph"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// addHulls gives the types of a model a layout, and hulls to half of its
// objects. It returns the hulls by name.
func (m *model) addHulls(r *rand.Rand) map[string]format.Hull {
	word := m.snapshot.typ("word", 8)
	for i := range m.nodes {
		if m.nodes[i].Text != 0 {
			m.nodes[i].Type = word
		}
	}
	hulls := make(map[string]format.Hull)
	for _, c := range m.claims {
		name := objectName(c.Addr)
		if size := uint64(m.size[name]); size > 8 && r.IntN(2) == 0 {
			first := r.Uint64N(size + 1)
			h := format.Hull{Object: c.Addr, First: first, End: first + r.Uint64N(size-first+1)}
			hulls[name] = h
			m.hulls = append(m.hulls, h)
		}
	}
	return hulls
}

// isOutside reports whether a reference is outside of the hull of its object.
func isOutside(e edge, h format.Hull) bool {
	at := (e.place - h.Object) * 8
	return e.place != 1<<62 && (at+8 <= h.First || at >= h.End)
}

// withoutOutside returns what is reached without references outside.
func (m *model) withoutOutside(name string, h format.Hull) map[string]bool {
	all := m.out[name]
	defer func() { m.out[name] = all }()
	m.out[name] = slices.DeleteFunc(slices.Clone(all), func(e edge) bool { return isOutside(e, h) })
	return m.reached()
}

// TestModelOutside compares what only references outside hold with what is no
// longer reached if they are removed.
func TestModelOutside(t *testing.T) {
	found := 0
	for seed := range seeds(120) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := randomModel(r, 60)
		hulls := m.addHulls(r)
		vertices := m.read(t)
		d := m.g.Dominators()
		all, list := m.reached(), d.Outside()
		listed := make(map[string]bool) // what is part of an amount in list
		for _, name := range m.names {
			want, v := Amount{}, vertices[name]
			h, ok := hulls[name]
			part := ok && (h.First > 0 || h.End < uint64(m.g.Size(v)))
			if _, is := m.g.Use(v); is != part {
				t.Fatalf("seed %d: %s: has a part %v, want %v", seed, name, is, part)
			}
			i := slices.IndexFunc(list, func(o Outside) bool { return o.Vertex == v })
			if ok {
				inside := m.withoutOutside(name, h)
				want = m.sum(all).Sub(m.sum(inside))
				for v := range all {
					if i >= 0 && !inside[v] {
						listed[v] = true
					}
				}
			}
			if got := d.OutsideOf(v); got != want || i >= 0 && list[i].Amount != want {
				t.Errorf("seed %d: %v outside of %s, want %v", seed, got, name, want)
			}
			for j, ref := range m.g.References(v) {
				if !ref.Outside {
					continue
				}
				if found++; !ok || !isOutside(edge{place: uint64(m.g.Address(v)+ref.Offset) / 8}, h) {
					t.Errorf("seed %d: reference %d of %s is outside", seed, j, name)
				}
			}
		}
		sum := Amount{}
		for _, o := range list {
			sum.Objects += o.Objects
			sum.Bytes += o.Bytes
		}
		if sum != m.sum(listed) {
			t.Errorf("seed %d: %v is listed, want %v", seed, sum, m.sum(listed))
		}
		for name := range hulls {
			if a := d.OutsideOf(vertices[name]); a.Objects > 0 && !listed[name] && !slices.ContainsFunc(list, func(o Outside) bool { return o.Vertex == vertices[name] }) {
				t.Errorf("seed %d: %s is not listed", seed, name)
			}
		}
	}
	if found < 1000 && !testing.Short() || found < 300 {
		t.Errorf("there are only %d references outside", found)
	}
}

// queue returns a snapshot of a queue with an array of 10 elements, of which the
// last two are used, after an allocation header. An element refers to a request,
// which refers to a body.
func queue() (s *snapshot, array uint64) {
	s = new(snapshot)
	request := s.typ("main.request", 16, format.Field{Name: s.str("body")})
	pointer := s.typ("*main.request", 8)
	root := s.root(format.FirstClass, "main.queue")
	items := s.node(root, "main.queue []*request", "[]*main.request", pointer)
	elem := s.node(items, "[]*main.request[elem]", "main.request", request)
	body := s.node(elem, "main.request.body []uint8", "[]uint8", 0)
	array = s.span(1, 13)
	s.spans[0].Skip = 1
	requests, bodies := s.span(10, 2), s.span(10, 100)
	s.claim(array, items)
	s.rootRef(0, root, array)
	for i := range uint64(10) {
		s.claim(requests+2*i, elem)
		s.claim(bodies+100*i, body)
		s.ref(array+1+i, requests+2*i)
		s.ref(requests+2*i, bodies+100*i)
	}
	s.hulls = []format.Hull{{Object: array, First: 8 + 64, End: 8 + 80}}
	s.sums = []format.Sum{{Node: uint64(body), Unused: 10 * 8 * 70}}
	return s, array
}

// TestOutside checks the names and the amounts of a queue.
func TestOutside(t *testing.T) {
	s, array := queue()
	g := s.graph(t, nil)
	v, d := object(t, g, array), g.Dominators()
	if u, ok := g.Use(v); !ok || u != (Use{First: 64, End: 80, FirstElem: 8, EndElem: 10, Elems: 12}) {
		t.Errorf("the part is %v, %v", u, ok)
	}
	want := Amount{16, 8 * (16 + 800)}
	if got := d.OutsideOf(v); got != want {
		t.Errorf("outside is %v, want %v", got, want)
	}
	if got := d.Outside(); len(got) != 1 || got[0] != (Outside{v, want}) {
		t.Errorf("outside are %v", got)
	}
	for _, x := range d.ByPath() {
		outside := strings.Contains(x.Name, "[outside]")
		if want := x.Shallow.Objects * 8 * 70; strings.HasSuffix(x.Name, "body []uint8") && (x.Unused != want || x.Scan != 0) || outside != (x.Shallow.Objects == 8) {
			t.Errorf("%s has %d of 800 bytes that nothing uses, in %d objects", x.Name, x.Unused, x.Shallow.Objects)
		}
	}
	const path = "main.queue > main.queue []*request"
	byPath := map[string]Amount{
		path:                              {1, 8 * 13},
		path + " > []*main.request[elem]": {2, 8 * 4}, path + " > []*main.request[outside]": {8, 8 * 16},
		path + " > []*main.request[elem] > main.request.body []uint8":    {2, 8 * 200},
		path + " > []*main.request[outside] > main.request.body []uint8": {8, 8 * 800},
	}
	for _, x := range d.ByPath() {
		if x.Shallow != byPath[x.Name] {
			t.Errorf("%s has %v, want %v", x.Name, x.Shallow, byPath[x.Name])
		}
		delete(byPath, x.Name)
	}
	if len(byPath) != 0 {
		t.Errorf("there are no %v", byPath)
	}
	for i, r := range g.References(v) {
		elem := []string{"[]*main.request[elem]"}
		if i < 8 {
			elem[0] = "[]*main.request[outside]"
		}
		if got := g.Elements(r); !slices.Equal(got, elem) || r.Outside != (i < 8) {
			t.Errorf("element %d is %q, %v", i, got, r.Outside)
		}
	}
}

// TestRetainedOutside measures what elements outside of the slice hold, and all
// elements.
func TestRetainedOutside(t *testing.T) {
	s, _ := queue()
	g := s.graph(t, nil)
	for _, test := range []struct {
		name string
		want Amount
		path string
	}{
		{"[]*main.request[outside]", Amount{16, 8 * (16 + 800)}, "[]*main.request[outside] > main.request.body"},
		{"[]*main....[outside]", Amount{16, 8 * (16 + 800)}, "[]*main.request[outside] > main.request.body"},
		{"[]*main.request[elem]", Amount{20, 8 * (20 + 1000)}, "[]*main.request[outside] > main.request.body"},
		{"main.queue", Amount{21, 8 * (13 + 20 + 1000)}, "main.queue > []*main.request[outside] > main.request.body"},
	} {
		r, err := g.Retained(Set{Name: test.name})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		x := &r.Sets[0]
		if x.Amount != test.want || JoinPath(x.Paths[0].Path) != test.path || x.Paths[0].Amount != (Amount{8, 8 * 800}) {
			t.Errorf("%s: %v, %v, want %v, %s", test.name, x.Amount, x.Paths[0], test.want, test.path)
		}
	}
	if _, err := g.Retained(Set{Name: "[]*main.reply[outside]"}); err == nil {
		t.Error("there is no error for a set that does not exist")
	}
}

// TestManyOutside has arrays each of which holds the next one, and the last of
// which has as many references as all others. The work must not be their
// product.
func TestManyOutside(t *testing.T) {
	const n, long = 2000, 200_000
	s := &snapshot{batch: 1 << 16}
	typ := s.typ("*p", 8)
	root := s.root(format.FirstClass, "main.first")
	node := s.node(root, "main.first []*p", "[]*p", typ)
	arrays, last := s.span(1000, 2), s.span(1, long)
	more, leaf := s.span(n-1000, 2), s.span(1, 2)
	at := func(i int) uint64 {
		switch {
		case i == n:
			return last
		case i < 1000:
			return arrays + uint64(2*i)
		}
		return more + uint64(2*(i-1000))
	}
	s.rootRef(0, root, at(0))
	for i := range n {
		s.claim(at(i), node)
		s.ref(at(i), at(i+1))
		s.hulls = append(s.hulls, format.Hull{Object: at(i), End: 8})
	}
	s.claim(last, node)
	s.claim(leaf, node)
	for i := range uint64(long) {
		s.ref(last+i, leaf)
	}
	s.hulls = append(s.hulls, format.Hull{Object: last, End: 8})
	d := s.graph(t, nil).Dominators()
	if list := d.Outside(); len(list) != 0 {
		t.Errorf("outside are %v", list)
	}
}

// TestNestedOutside has arrays each of which holds the next one, and is used as
// far as it has references, and the last of which holds many objects. The search
// of these arrays, which hold nothing outside, must not take the work that the
// graph allows, because a smaller array comes after them.
func TestNestedOutside(t *testing.T) {
	const n, leaves, outside = 40, 100_000, 50_000
	s := &snapshot{batch: 1 << 16}
	root := s.root(format.FirstClass, "main.first")
	node := s.node(root, "main.first []*p", "[]*p", s.typ("*p", 8))
	spans := func(objects int) (at func(i int) uint64) {
		var starts []uint64
		for i := 0; i < objects; i += format.MaxSlots {
			starts = append(starts, uint64(len(s.spans))<<20)
			s.spans = append(s.spans, format.Span{Start: starts[len(starts)-1], Slots: format.MaxSlots, SlotSize: 2})
		}
		return func(i int) uint64 { return starts[i/format.MaxSlots] + 2*uint64(i%format.MaxSlots) }
	}
	array := func(objects int) uint64 {
		start := uint64(len(s.spans)) << 20
		s.spans = append(s.spans, format.Span{Start: start, Slots: 1, SlotSize: uint64(objects)})
		at := spans(objects)
		s.claim(start, node)
		for i := range objects {
			s.claim(at(i), node)
			s.ref(start+uint64(i), at(i))
		}
		return start
	}
	held, queue, nested := array(leaves), array(outside), spans(n)
	s.rootRef(0, root, nested(0))
	s.rootRef(0, root, queue)
	s.hulls = []format.Hull{{Object: queue}}
	for i := range n {
		next := held
		if i < n-1 {
			next = nested(i + 1)
		}
		s.claim(nested(i), node)
		s.ref(nested(i), next)
		s.hulls = append(s.hulls, format.Hull{Object: nested(i), End: 8})
	}
	g := s.graph(t, nil)
	want := Outside{object(t, g, queue), Amount{outside, 16 * outside}}
	if list := g.Dominators().Outside(); len(list) != 1 || list[0] != want {
		t.Errorf("outside are %v, want %v", list, want)
	}
}

// TestDeepOutside has a list that only an element outside holds, and whose paths
// are as long as the list. The work must not be the square of its length.
func TestDeepOutside(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n /= 3
	}
	s := chain(n, true, "e")
	for i := range s.nodes {
		s.nodes[i].Type = 1
	}
	s.typ("T", 8)
	s.hulls = []format.Hull{{First: 8, End: 16}}
	d := s.graph(t, nil).Dominators()
	if list := d.Outside(); len(list) != 1 || list[0].Objects != int64(n-1) {
		t.Fatalf("outside are %v", list)
	}
	outside := int64(0)
	for _, x := range d.ByPath() {
		if strings.Contains(x.Name, "[outside]") {
			outside += x.Shallow.Objects
		}
	}
	if outside == 0 || outside >= 1000 {
		t.Errorf("paths of %d objects have an element outside, want 1 to 999", outside)
	}
}

// TestBadHulls checks that hulls of objects that do not exist are ignored, and
// that a hull is not longer than its object.
func TestBadHulls(t *testing.T) {
	s, array := queue()
	s.hulls = []format.Hull{{Object: array + 1, End: 8}, {Object: 1 << 60}, {Object: array, First: 8, End: 1 << 50}}
	g := s.graph(t, nil)
	v := object(t, g, array)
	if u, ok := g.Use(v); ok || u.End != 96 || u.EndElem != 12 || g.Dominators().OutsideOf(v) != (Amount{}) {
		t.Errorf("the part is %v", u)
	}
	s.hulls[0].End = 1 << 63
	f, err := open(s.encode(t))
	if err == nil {
		_, err = f.Graph(nil)
	}
	if err == nil {
		t.Error("an impossible hull is not refused")
	}
}
