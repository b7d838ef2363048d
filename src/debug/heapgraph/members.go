// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the members of sets.

package heapgraph

import (
	"cmp"
	"internal/refpath"
	"slices"
	"strings"
)

// members has the members of sets. Sets are numbered from 1 on.
type members struct {
	g        *Graph
	words    *wordTable
	sets     []Set
	found    []bool // by set's index
	may      []bool // by set's index: references that have certain values may be in it
	released uint8  // number of sets that are released

	objectSets []uint8 // by node: set of its objects
	objects    bool    // objects are members
	named      []bool  // by node: references of its objects may be members
	rootSet    []uint8 // by node of rootPlaces: set of the references
	rootWords  map[uint32]*rootWord
	cut        []bool    // by type: references of its objects may be members
	parts      []bool    // by node: its objects are parts of maps or channels, or have no known layout, and references may be members
	placeSets  []uint8   // by place
	dynamic    [][]uint8 // by place: sets that have the reference if the value has certain types
	values     map[valueKey]uint8
	owners     bitset                 // vertices that are owners
	outside    map[uint32]outsideWord // by text

	texts   numbering
	typeIDs []uint32 // by string: 1 + number in texts
	placeID []uint32 // by place: 1 + number in texts
	rootIDs map[uint32]uint32
}

// A rootWord is a reference of a root that is in a set only for some values.
type rootWord struct {
	namedWord
	sets []uint8
}

// An outsideWord has the text of references outside, and their set, or 0.
type outsideWord struct {
	text uint32
	set  uint8
}

// A valueKey is a place, or a part of a map or channel, and the node of the
// value.
type valueKey struct{ place, node uint32 }

// members returns the members of sets.
func (g *Graph) members(sets []Set) *members {
	m := &members{g: g, words: g.wordTable(), sets: sets, found: make([]bool, len(sets)), may: make([]bool, len(sets))}
	m.find()
	return m
}

// find finds the members.
func (m *members) find() {
	g := m.g
	m.owners = newBitset(int(g.end))
	for _, o := range g.owners {
		m.owners.add(uint32(o.from))
	}
	m.values = make(map[valueKey]uint8)
	m.rootWords = make(map[uint32]*rootWord)
	m.rootIDs = make(map[uint32]uint32)
	m.typeIDs = make([]uint32, len(g.strings))
	m.placeID = make([]uint32, len(m.words.places))
	m.findObjects()
	m.findPlaces()
	m.findParts()
	m.findRoots()
	m.objects = slices.ContainsFunc(m.objectSets, func(set uint8) bool { return set != 0 })
	m.named = m.parts
	for n := range m.named {
		m.named[n] = m.named[n] || m.cut[g.nodes[n].typ]
	}
	m.findOutside()
}

// findOutside finds the sets that references outside may be in. Whether a
// reference is outside depends on its object.
func (m *members) findOutside() {
	m.outside = make(map[uint32]outsideWord)
	if !slices.ContainsFunc(m.sets, m.mayBeOutside) {
		return
	}
	for _, h := range m.g.hulls {
		m.named[m.g.node[h.v-m.g.first]] = true
	}
}

// mayBeOutside reports whether a set may have references outside, as far as its
// name says. "..." in a name stands for any text.
func (m *members) mayBeOutside(s Set) bool {
	return len(m.g.hulls) > 0 && (s.Match != nil || strings.Contains(s.Name, "[outside]") || strings.Contains(s.Name, "..."))
}

// referenceOutside is reference for one that is outside.
func (m *members) referenceOutside(n uint32, word uint64, to Vertex) (set uint8, text func() uint32) {
	set, text = m.reference(n, word, to)
	t := text()
	if t == m.unknownText() {
		return set, text
	}
	x, ok := m.outside[t]
	if !ok {
		name := outsideElement(m.texts.name(int(t)))
		x = outsideWord{m.text(name), m.match(name, withoutType(name))}
		m.outside[t] = x
	}
	return max(set, x.set), func() uint32 { return x.text }
}

// match returns the last set that has one of the names.
func (m *members) match(names ...string) (set uint8) {
	for i := range m.sets {
		if m.matches(i, names) {
			m.found[i] = true
			set = uint8(i + 1)
		}
	}
	return set
}

// matches reports whether a set has one of the names.
func (m *members) matches(i int, names []string) bool {
	s := &m.sets[i]
	return slices.ContainsFunc(names, func(name string) bool {
		if s.Match != nil {
			return s.Match(name)
		}
		return matchPattern(s.Name, name)
	})
}

// findObjects finds the types that are sets.
func (m *members) findObjects() {
	g := m.g
	claimed := make([]bool, len(g.nodes))
	for _, n := range g.node {
		claimed[n] = true
	}
	m.objectSets = make([]uint8, len(g.nodes))
	type key struct{ typ, text uint32 }
	known := make(map[key]uint8)
	for n := range g.nodes {
		x := &g.nodes[n]
		if !claimed[n] || x.typ == 0 && x.text == 0 {
			continue
		}
		k := key{x.typ, x.text}
		set, ok := known[k]
		if !ok {
			set = m.match(g.typeNames(uint32(n))...)
			known[k] = set
		}
		m.objectSets[n] = set
	}
}

// typeNames returns the names of the type of a node's objects.
func (g *Graph) typeNames(n uint32) []string {
	text, full := g.typeOf(n), g.fullType(n)
	names := []string{text}
	if full != "" {
		names = append(names, full, refpath.TypeIn("", full))
	}
	if elem, ok := strings.CutPrefix(text, "[]"); ok && !strings.HasPrefix(full, "[]") {
		names = append(names, elem)
	}
	return names
}

// objectSet returns the set of an object. An object of less than 16 bytes that
// has no pointers shares a block with others, and is in none.
func (m *members) objectSet(v Vertex) uint8 {
	g := m.g
	n := g.node[v-g.first]
	set := m.objectSets[n]
	if set == 0 {
		return 0
	}
	const tiny = 16
	if size := g.types[g.nodes[n].typ].Size; size != 0 && size < tiny && g.Size(v) == tiny && (g.PointerSize == 8 || len(g.row(v)) == 0) {
		return 0
	}
	return set
}

// memberType returns the name of the type of an object that is a member.
func (m *members) memberType(v Vertex) string {
	n := m.g.node[v-m.g.first]
	text := m.g.typeOf(n)
	if elem, ok := strings.CutPrefix(text, "[]"); ok && !strings.HasPrefix(m.g.fullType(n), "[]") && m.match0([]string{text}) == 0 {
		return elem
	}
	return text
}

// findPlaces finds the references in objects that are sets.
func (m *members) findPlaces() {
	places := m.words.places
	m.placeSets, m.dynamic = make([]uint8, len(places)), make([][]uint8, len(places))
	m.cut = make([]bool, len(m.g.types))
	for i := range places {
		p := &places[i]
		names := slices.Clone(p.names)
		if p.typ != "" {
			for _, name := range p.names {
				names = append(names, name+" "+p.typ)
			}
		}
		m.placeSets[i] = m.match(names...)
		m.dynamic[i] = m.maybe(p)
	}
	for typ := range m.words.types {
		for _, p := range m.words.types[typ].far {
			if p != 0 && (m.placeSets[p-1] != 0 || m.dynamic[p-1] != nil) {
				m.cut[typ] = true
			}
		}
	}
}

// maybe returns the sets that may have a place for some of its values.
func (m *members) maybe(p *namedWord) (sets []uint8) {
	if hasOneTarget(p.typ) {
		return nil
	}
	for i := range m.sets {
		s := &m.sets[i]
		if s.Match != nil || strings.Contains(s.Name, "(") && slices.ContainsFunc(p.names, func(name string) bool {
			return strings.Contains(s.Name, "...") || strings.HasPrefix(s.Name, name)
		}) {
			m.may[i] = true
			sets = append(sets, uint8(i+1))
		}
	}
	return sets
}

// hasOneTarget reports whether refs profiles add no type of a value to the name
// of a reference of a type.
func hasOneTarget(typ string) bool {
	return typ == "string" || strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "[") || isUnnamed(typ)
}

// findParts finds the nodes of objects whose references are named by their
// targets.
func (m *members) findParts() {
	g := m.g
	m.parts = make([]bool, len(g.nodes))
	known := make(map[uint32]bool)
	for n := 1; n < len(g.nodes); n++ {
		x := &g.nodes[n]
		if e := g.strings[x.element]; !known[x.element] && slices.ContainsFunc(partNames, func(part string) bool { return strings.HasSuffix(e, part) }) {
			m.match(e)
		}
		known[x.element] = true
		if x.typ == 0 || g.laidOut(x.typ) {
			continue
		}
		full := g.strings[g.types[x.typ].Name]
		names := []string{}
		for _, part := range partNames {
			names = append(names, full+part, g.strings[x.text]+part)
		}
		m.parts[n] = m.match0(names) != 0
	}
}

var partNames = []string{"[table]", "[buffer]", "[waiter]"}

// match0 is match, but does not note that a set is found.
func (m *members) match0(names []string) uint8 {
	for i := len(m.sets) - 1; i >= 0; i-- {
		if m.matches(i, names) {
			return uint8(i + 1)
		}
	}
	return 0
}

// findRoots finds the references of roots that are sets.
func (m *members) findRoots() {
	g := m.g
	m.rootSet = make([]uint8, len(g.nodes))
	known := newBitset(len(g.nodes))
	for _, n := range g.rootPlaces {
		if known.has(n) {
			continue
		}
		known.add(n)
		word := namedWord{names: g.placeNames(n)}
		m.rootSet[n] = m.match(append(g.staticTypeNames(n), word.names...)...)
		if sets := m.maybe(&word); sets != nil {
			m.rootWords[n] = &rootWord{word, sets}
		}
	}
}

// staticTypeNames returns the names of the type of the struct that has the
// reference at node n and is a global variable, or an element of one. Whether an
// object is in the heap does not matter to those who ask what its type retains.
func (g *Graph) staticTypeNames(n uint32) []string {
	up := g.nodes[n].parent
	x := &g.nodes[up]
	full := g.fullType(up)
	if full == "" || x.parent != 0 || g.laidOut(x.typ) || isUnnamed(full) || strings.HasPrefix(g.strings[x.element], "(") {
		return nil
	}
	for strings.HasPrefix(full, "[") {
		full = full[closing(full):]
	}
	return []string{full, refpath.TypeIn("", full)}
}

// rootReference returns the set of a reference of a root, at node n.
func (m *members) rootReference(n uint32, to Vertex) uint8 {
	set := m.rootSet[n]
	if w := m.rootWords[n]; w != nil {
		set = max(set, m.valueSet(valueKey{n | 1<<30, m.g.node[to-m.g.first]}, &w.namedWord, w.sets))
	}
	return set
}

// placeNames returns the names of a reference of a root: its own, and those of
// the variables that have it.
func (g *Graph) placeNames(n uint32) (names []string) {
	for {
		x := &g.nodes[n]
		if e := g.strings[x.element]; e != "" && !(x.parent == 0 && e == "(stack)") {
			names = append(names, e, withoutType(e))
		}
		up := &g.nodes[x.parent]
		if x.parent == 0 || up.typ == 0 && up.text == 0 && up.parent != 0 { // a frame
			return names
		}
		n = x.parent
	}
}

// reference returns the set of the reference in a word of an object at node n,
// and a function that returns its name.
func (m *members) reference(n uint32, word uint64, to Vertex) (set uint8, text func() uint32) {
	g := m.g
	typ := g.nodes[n].typ
	if !g.laidOut(typ) {
		name := g.partName(n, g.node[to-g.first])
		if name == "" {
			return 0, m.unknownText
		}
		return m.partSet(n, g.node[to-g.first], name), func() uint32 { return m.text(name) }
	}
	p := m.words.at(typ, word)
	if p == 0 {
		return 0, m.unknownText
	}
	p--
	set = m.placeSets[p]
	if m.dynamic[p] != nil {
		set = max(set, m.valueSet(valueKey{p, g.node[to-g.first]}, &m.words.places[p], m.dynamic[p]))
	}
	return set, func() uint32 { return m.placeText(p) }
}

// partName returns the name of a reference from an object at node n, whose type
// has no layout, to one at node to: a part of the same map or channel, or a
// goroutine that waits. It returns "" if there is none.
func (g *Graph) partName(n, to uint32) string {
	x, y := &g.nodes[n], &g.nodes[to]
	if x.typ == 0 {
		return ""
	}
	owner := g.strings[g.types[x.typ].Name]
	if isUnnamed(owner) {
		owner = g.strings[x.text]
	}
	if g.types[y.typ].Name != g.types[x.typ].Name {
		if g.strings[y.text] == "runtime.sudog" {
			return owner + "[waiter]"
		}
		return ""
	}
	for _, part := range partNames {
		if strings.HasSuffix(g.strings[y.element], part) {
			return owner + part
		}
	}
	return ""
}

// isUnnamed reports whether a type is that of a map or channel without a name.
func isUnnamed(typ string) bool {
	return strings.HasPrefix(typ, "map[") || strings.HasPrefix(typ, "chan") || strings.HasPrefix(typ, "<-chan")
}

// partSet returns the set of a reference from node n to node to.
func (m *members) partSet(n, to uint32, name string) uint8 {
	if !m.named[n] {
		return 0
	}
	k := valueKey{n | 1<<31, to}
	set, ok := m.values[k]
	if !ok {
		set = m.match(name)
		m.values[k] = set
	}
	return set
}

// valueSet returns the last one of some sets that has a reference with the type
// of its value in the name.
func (m *members) valueSet(k valueKey, word *namedWord, sets []uint8) uint8 {
	if set, ok := m.values[k]; ok {
		return set
	}
	set := uint8(0)
	names := m.valueNames(word, k.node)
	for _, s := range sets {
		if m.matches(int(s-1), names) {
			m.found[s-1] = true
			set = max(set, s)
		}
	}
	m.values[k] = set
	return set
}

// valueNames returns the names of a reference with the type of its value.
func (m *members) valueNames(p *namedWord, to uint32) (names []string) {
	text := m.g.typeOf(to)
	types := []string{text, "*" + text}
	if full := m.g.fullType(to); full != "" {
		t := refpath.TypeIn(refpath.PackageOf(p.names[0]), full)
		types = append(types, t, "*"+t)
	}
	if f, ok := strings.CutPrefix(text, "func("); ok {
		types = append(types, strings.TrimSuffix(f, ")"))
	}
	for _, name := range p.names {
		for _, t := range types {
			names = append(names, name+"("+t+")", name+" "+p.typ+"("+t+")", name+" "+t)
		}
	}
	return names
}

// text returns the number of a text.
func (m *members) text(s string) uint32 { return m.texts.number(s) }

func (m *members) unknownText() uint32 { return m.text(Unknown) }

// textOf returns the number of the type of an object.
func (m *members) textOf(v Vertex) uint32 {
	s := m.g.nodes[m.g.node[v-m.g.first]].text
	if m.typeIDs[s] == 0 {
		m.typeIDs[s] = 1 + m.text(cmp.Or(m.g.strings[s], Unknown))
	}
	return m.typeIDs[s] - 1
}

func (m *members) placeText(p uint32) uint32 {
	if m.placeID[p] == 0 {
		m.placeID[p] = 1 + m.text(m.words.places[p].element())
	}
	return m.placeID[p] - 1
}

// rootText returns the number of the name of a root's reference.
func (m *members) rootText(n uint32) uint32 {
	id, ok := m.rootIDs[n]
	if !ok {
		names := m.g.placeNames(n)
		id = m.text(append(names, Unknown)[0])
		m.rootIDs[n] = id
	}
	return id
}
