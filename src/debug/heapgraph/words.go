// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file names the words of objects that have references, as refs profiles
// name references: by the type of the object, and not by the path to it.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"internal/refpath"
	"maps"
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// A wordTable has the words with references in objects of each type that has a
// layout.
type wordTable struct {
	g      *Graph
	types  []typeWords       // by type
	texts  map[uint32]string // by type: the text of some node that has the type
	elems  map[uint32][]string
	places []namedWord
	room   int // for how many more words near has room, of all types together
	bytes  int // of the names of places
}

// typeWords has 1 + index in places of the words of a type, or 0 for words that
// have no reference. A file may have very long types, and many of them. Therefore
// words from maxWords on, and those after near, are found by their folded
// offsets.
type typeWords struct {
	near []uint32
	far  map[uint64]uint32
}

// Limits of near, of a type and of all types.
const (
	maxWords    = 1 << 16
	maxAllWords = 1 << 22
)

// A seenType has the words of a type that have references: the first ones, and
// the folded offsets of others.
type seenType struct {
	near bitset
	far  map[uint64]bool
}

// A namedWord is a word of the objects of a type. Words that differ only by
// indices of arrays are one.
type namedWord struct {
	names []string // without the type of the reference
	typ   string   // type of the reference, or ""
}

// element returns the name of the place with its type, as paths have it.
func (p *namedWord) element() string {
	if p.typ == "" || strings.HasSuffix(p.names[0], "]") {
		return p.names[0]
	}
	return p.names[0] + " " + p.typ
}

// wordTable returns the names of words. The first call goes through all words
// with references.
func (g *Graph) wordTable() *wordTable {
	return g.words.get(func() *wordTable {
		t := &wordTable{g: g, types: make([]typeWords, len(g.types)), texts: make(map[uint32]string), room: maxAllWords}
		seen := t.collect()
		t.findTexts()
		for typ := range seen {
			t.name(uint32(typ), &seen[typ])
		}
		return t
	})
}

// laidOut reports whether type t has a layout.
func (g *Graph) laidOut(t uint32) bool {
	return t != 0 && (g.types[t].Size != 0 || len(g.types[t].Fields) != 0)
}

// collect returns for each type which words have references.
func (t *wordTable) collect() []seenType {
	g := t.g
	seen := make([]seenType, len(g.types))
	for i := range g.spans {
		s := &g.spans[i]
		g.objects(s, func(v Vertex, slot uint32) {
			if typ := g.nodes[g.node[v-g.first]].typ; g.laidOut(typ) {
				g.eachWord(s, slot, func(word uint64) { t.see(&seen[typ], typ, word) })
			}
		})
	}
	for _, o := range g.owners {
		if typ := g.nodes[g.node[o.from-g.first]].typ; g.laidOut(typ) && !o.special {
			s, slot := g.place(o.from)
			if value := s.address(slot) + s.skip; o.word >= value {
				t.see(&seen[typ], typ, o.word-value)
			}
		}
	}
	return seen
}

// see adds a word of an object to the words of a type.
func (t *wordTable) see(seen *seenType, typ uint32, word uint64) {
	word = t.g.inType(typ, word)
	if word < maxWords && t.extend(seen, int(word/64)+1) {
		seen.near.add(uint32(word))
		return
	}
	if seen.far == nil {
		seen.far = make(map[uint64]bool)
	}
	seen.far[t.g.fold(typ, word*uint64(t.g.PointerSize))] = true
}

// extend makes near n elements long, if it is shorter and there is room. A type
// for which there is not has none later, either.
func (t *wordTable) extend(seen *seenType, n int) bool {
	more := max(0, n-len(seen.near))
	if 64*more > t.room {
		return false
	}
	t.room -= 64 * more
	seen.near = append(seen.near, make(bitset, more)...)
	return true
}

// at returns 1 + the index in places of a word of an object of a type, or 0.
func (t *wordTable) at(typ uint32, word uint64) uint32 {
	word = t.g.inType(typ, word)
	x := &t.types[typ]
	if word < uint64(len(x.near)) {
		return x.near[word]
	}
	return x.far[t.g.fold(typ, word*uint64(t.g.PointerSize))]
}

// inType returns the number of a word of an object in its value of type t.
func (g *Graph) inType(t uint32, word uint64) uint64 {
	if size := g.types[t].Size / uint64(g.PointerSize); size != 0 {
		return word % size
	}
	return word
}

// eachWord calls yield with the number, in the object's value, of each word of
// an object that has a reference.
func (g *Graph) eachWord(s *span, slot uint32, yield func(word uint64)) {
	from := s.address(slot)
	value, end := from+s.skip, from+s.size
	if !s.dense() {
		i, _ := slices.BinarySearch(g.longWords, value)
		for ; i < len(g.longWords) && g.longWords[i] < end; i++ {
			yield(g.longWords[i] - value)
		}
		return
	}
	p := s.words.Load()
	if p == nil {
		return
	}
	for d := value - s.start; d < end-s.start; d = (d/64 + 1) * 64 {
		b := (*p)[d/64] >> (d % 64) << (d % 64)
		for ; b != 0; b &= b - 1 {
			x := d/64*64 + uint64(bits.TrailingZeros64(b))
			if x >= end-s.start {
				return
			}
			yield(s.start + x - value)
		}
	}
}

// findTexts finds the texts of types, and the names that nodes have for the
// elements of arrays, slices and single values that are no structs.
func (t *wordTable) findTexts() {
	g := t.g
	t.elems = make(map[uint32][]string)
	add := func(typ uint32, name string) {
		if !slices.Contains(t.elems[typ], name) && len(t.elems[typ]) < 1000 {
			t.elems[typ] = append(t.elems[typ], name)
		}
	}
	type key struct{ typ, text uint32 }
	known := make(map[key]bool)
	for n := 1; n < len(g.nodes); n++ {
		x := &g.nodes[n]
		if up := g.nodes[x.parent].typ; g.laidOut(up) && known[key{up, none}] {
			if name, ok := strings.CutSuffix(withoutType(g.strings[x.element]), "[elem]"); ok {
				add(up, name+"[elem]")
			}
		}
		if !g.laidOut(x.typ) || known[key{x.typ, x.text}] {
			continue
		}
		known[key{x.typ, x.text}] = true
		text := g.strings[x.text]
		t.texts[x.typ] = text
		if _, leaf := g.findWord(x.typ, 0, ""); leaf == 0 || g.types[leaf].Name != g.types[x.typ].Name {
			continue
		}
		known[key{x.typ, none}] = true
		if strings.HasPrefix(text, "[") {
			add(x.typ, text+"[elem]")
		} else {
			add(x.typ, "*"+text+"[elem]")
		}
	}
}

// name names the words of a type.
func (t *wordTable) name(typ uint32, seen *seenType) {
	if len(seen.near) == 0 && len(seen.far) == 0 {
		return
	}
	folded := make(map[uint64]uint32)
	find := func(offset uint64) uint32 {
		f := t.g.fold(typ, offset)
		n, ok := folded[f]
		if !ok {
			if p := t.place(typ, f); len(p.names) > 0 {
				t.add(p)
				n = uint32(len(t.places))
			}
			folded[f] = n
		}
		return n
	}
	x := &t.types[typ]
	x.near = make([]uint32, 64*len(seen.near))
	for i := range x.near {
		if seen.near.has(uint32(i)) {
			x.near[i] = find(uint64(i) * uint64(t.g.PointerSize))
		}
	}
	for _, f := range slices.Sorted(maps.Keys(seen.far)) {
		find(f)
	}
	x.far = folded
}

// add adds a place. If those before it have long names, its own are short.
func (t *wordTable) add(p namedWord) {
	if t.bytes > placeBytes {
		p.typ = shorten(p.typ, minJoined)
		p.names = slices.Clone(p.names)
		for i, name := range p.names {
			p.names[i] = shorten(name, minJoined)
		}
	}
	for _, name := range p.names {
		t.bytes += len(name)
	}
	t.bytes += len(p.typ)
	t.places = append(t.places, p)
}

// fold returns an offset of a value of type n, with the indices of arrays 0.
func (g *Graph) fold(n uint32, offset uint64) uint64 {
	sum := uint64(0)
	for range maxDepth {
		t := &g.types[n]
		if t.Size != 0 {
			offset %= t.Size
		}
		f := fieldAt(t, offset)
		if f == nil {
			break
		}
		sum += f.Offset
		offset -= f.Offset
		n = uint32(f.Type)
	}
	return sum + offset
}

// place names the word at an offset of a value of type typ.
func (t *wordTable) place(typ uint32, offset uint64) namedWord {
	g := t.g
	x := &g.types[typ]
	switch {
	case x.Name == 0: // closures
		f := fieldAt(x, offset)
		if f == nil {
			return namedWord{}
		}
		variable := capturedBy(t.texts[typ], g.strings[f.Name])
		return t.named(uint32(f.Type), offset-f.Offset, variable, []string{variable})
	case g.isGroup(x):
		return t.inGroup(typ, offset)
	case x.Size == 0: // buffers
		return t.named(uint32(x.Fields[0].Type), offset, "", t.owned(typ, "[elem]"))
	}
	return t.named(typ, offset, "", t.elems[typ])
}

// named names the word at an offset of a value of type typ, which is a field of
// a struct or has the names of the value. With a variable, these are names of
// all words of the value.
func (t *wordTable) named(typ uint32, offset uint64, variable string, names []string) namedWord {
	g := t.g
	name, leaf := g.findWord(typ, offset, variable)
	pkg := refpath.PackageOf(name)
	if name == "" {
		pkg = refpath.PackageOf(variable)
	} else if variable != "" {
		names = append([]string{name}, names...)
	} else {
		names = []string{name}
	}
	text := g.strings[g.types[leaf].Name]
	if elem, ok := strings.CutPrefix(text, "sync/atomic.Pointer["); ok {
		text = "*" + strings.TrimSuffix(elem, "]")
	}
	return namedWord{names, refpath.TypeIn(pkg, text)}
}

// owned returns the names of a part of a map or channel of a type.
func (t *wordTable) owned(typ uint32, part string) []string {
	full := t.g.strings[t.g.types[typ].Name]
	if text := cmp.Or(t.texts[typ], full); text != full {
		return []string{text + part, full + part}
	}
	return []string{full + part}
}

// isGroup reports whether t is the type of the groups of a map.
func (g *Graph) isGroup(t *format.Type) bool {
	return len(t.Fields) > 0 && t.Name != 0 && g.types[t.Fields[0].Type].Name == 0 && len(g.types[t.Fields[0].Type].Fields) > 0
}

// inGroup names the word at an offset of a group of a map.
func (t *wordTable) inGroup(typ uint32, offset uint64) namedWord {
	g := t.g
	x := &g.types[typ]
	f := fieldAt(x, offset)
	if f == nil {
		return namedWord{}
	}
	offset -= f.Offset
	if g.strings[f.Name] == format.Elem { // slots with a key and a value
		slot := &g.types[f.Type]
		if slot.Size != 0 {
			offset %= slot.Size
		}
		if f = fieldAt(slot, offset); f == nil {
			return namedWord{}
		}
		offset -= f.Offset
	}
	return t.named(uint32(f.Type), offset, "", t.owned(typ, "["+g.strings[f.Name]+"]"))
}

// fieldAt returns the last field of t that does not begin after an offset, or
// nil.
func fieldAt(t *format.Type, offset uint64) *format.Field {
	i := sort.Search(len(t.Fields), func(i int) bool { return t.Fields[i].Offset > offset }) - 1
	if i < 0 {
		return nil
	}
	return &t.Fields[i]
}

// findWord finds the word at an offset of a value of type n, or of an array of
// such values. The name is that of a field, with the fields between and the
// outermost named struct type or, without one, the variable or the struct type.
// It is empty if the word is in no field. leaf is the type of the reference.
func (g *Graph) findWord(n uint32, offset uint64, variable string) (name string, leaf uint32) {
	owner, fields, final := "", "", false
	for range maxDepth {
		t := &g.types[n]
		if t.Size != 0 {
			offset %= t.Size
		}
		f := fieldAt(t, offset)
		if f == nil {
			break
		}
		if typ := g.strings[t.Name]; g.strings[f.Name] != format.Elem {
			if isReferenceType(typ) {
				break
			}
			unnamed := strings.HasPrefix(typ, "struct {")
			switch {
			case final:
			case unnamed && owner == "" && variable != "":
				owner, final = variable, true
			case !unnamed:
				owner, fields, final = typ, "", true
			case owner == "":
				owner = refpath.TypeIn("", typ)
			}
			if fields += "." + g.strings[f.Name]; len(fields) > maxField {
				fields = shorten(fields, maxField)
			}
		}
		offset -= f.Offset
		n = uint32(f.Type)
	}
	return owner + fields, n
}

// isReferenceType reports whether a struct type stands for the one reference in
// it.
func isReferenceType(name string) bool {
	return name == "sync/atomic.Value" || name == "sync.eface" || strings.HasPrefix(name, "sync/atomic.Pointer[")
}
