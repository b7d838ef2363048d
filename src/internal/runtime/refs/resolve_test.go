// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Rules about paths, each with a small heap. A new rule is tried here: a case is
// a variable, the objects that it leads to, and what is said about each
// reference on the way.

package refs_test

import (
	"fmt"
	"internal/abi"
	"internal/runtime/maps"
	. "internal/runtime/refs"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

type (
	tree        struct{ left, right, parent *tree }
	small       struct{ a, b *int }
	pair[T any] struct{ first, second T }
	lengths     []int
	wide        struct{ p [100]*int } // has an allocation header
	holding     struct {
		ptr   *small
		list  []small
		text  string
		any   any
		len   interface{ Len() int }
		f     func()
		m     map[int]*small
		c     chan *small
		raw   unsafe.Pointer
		tiny  *int8
		num   *[40]int
		rec   *deferRecord
		atom  atomic.Pointer[small]
		pairs [2]pair[*small]
	}
)

func (l lengths) Len() int { return len(l) }

// offset returns the offset of the field in h to which field points.
func (h *holding) offset(field any) uintptr {
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&field))[1]) - uintptr(unsafe.Pointer(h))
}

//go:nocheckptr
func TestFields(t *testing.T) {
	h := &holding{
		ptr: new(small), list: make([]small, 3), text: string([]byte("text of an object")), any: new(small), len: make(lengths, 3),
		raw: unsafe.Pointer(new(small)), tiny: &new([16]int8)[0], num: new([40]int), rec: new(deferRecord),
	}
	h.atom.Store(new(small))
	h.pairs[1].second = new(small)
	p := newProcess()
	lens := h.len.(lengths)
	for _, v := range []any{h.ptr, h.list, h.text, h.any, lens, (*[16]int8)(unsafe.Pointer(h.tiny)), h.num, h.rec, h.atom.Load(), h.pairs[1].second, (*small)(h.raw)} {
		p.add(v)
	}
	p.add((*lengths)((*[2]unsafe.Pointer)(unsafe.Pointer(&h.len))[1]))
	at := h.offset
	for _, test := range []struct {
		name string
		off  uintptr
		want string
	}{
		{"pointer", at(&h.ptr), "field+%d: refs_test.small"},
		{"slice", at(&h.list), "field+%d: refs_test.small"},
		{"string", at(&h.text), "field+%d: uint8"},
		{"interface", at(&h.any) + ptrSize, "field+%d(*refs_test.small): refs_test.small"},
		{"interface with methods", at(&h.len) + ptrSize, "field+%d(refs_test.lengths): refs_test.lengths"},
		{"unsafe.Pointer", at(&h.raw), "field+%d~: ?"},
		{"tiny object", at(&h.tiny), "field+%d: int8"},
		{"numbers", at(&h.num), "field+%d: int"},
		{"record of a defer, which belongs to its frame", at(&h.rec), "field+%d: refs_test.deferRecord?"},
		{"atomic.Pointer", at(&h.atom), "field+%d: refs_test.small"},
	} {
		check(t, test.name, p.walk(h, test.off), fmt.Sprintf(test.want, test.off))
	}
	check(t, "field of an array", p.walk(h, at(&h.pairs[1].second)), fmt.Sprintf("field+%d: refs_test.small", at(&h.pairs[0].second)))
	root := (*tree)(new(tree))
	root.left = &tree{parent: root, right: new(tree)}
	for _, v := range []*tree{root, root.left, root.left.right} {
		p.add(v)
	}
	check(t, "tree", p.walk(&root, 0, 0, ptrSize), "global: refs_test.tree", "field+0: refs_test.tree", fmt.Sprintf("field+%d: refs_test.tree", ptrSize))
}

// TestFold checks that the elements of a list and of a tree share a node.
func TestFold(t *testing.T) {
	p := newProcess()
	root := &tree{}
	p.add(root)
	for range 10 {
		root = &tree{right: root, left: &tree{}}
		p.add(root)
		p.add(root.left)
	}
	before := p.Len()
	p.walk(&root, 0, ptrSize, ptrSize, ptrSize, 0)
	p.walk(&struct{ t *tree }{root}, 0, ptrSize, ptrSize, ptrSize, 0)
	// The variable that is one reference, its objects, and one node for each
	// field that leads to the first object of this type below them.
	if got := p.Len() - before; got != 2+1+1+1 {
		t.Errorf("%d nodes", got)
	}
}

// TestWrong has references whose target cannot be what their type says.
//
//go:nocheckptr
func TestWrong(t *testing.T) {
	p := newProcess()
	inner := new(wide)
	array, numbers := new([3]small), new([40]int)
	p.add(inner)
	p.add(array)
	p.add(numbers)
	tiny, pairOfPointers := new([16]int8), new(pair[*int])
	p.add(tiny)
	p.add(pairOfPointers)
	for _, test := range []struct {
		name   string
		holder any
		want   string
	}{
		{"object of another size, with pointers only where the type has them", &struct{ p *small }{&array[0]}, "field+0: []refs_test.small?"},
		{"pointer to another element", &struct{ p *small }{&array[1]}, "field+0: []refs_test.small?"},
		{"pointer into an element", &struct{ p **int }{&array[1].b}, "field+0: []*int?"},
		{"pointer behind the start", &struct{ p *pair[*int] }{(*pair[*int])(unsafe.Pointer(&pairOfPointers.second))}, "field+0~: ?"},
		{"pointer into a block of tiny objects", &struct{ p *int8 }{&tiny[3]}, "field+0: int8"},
		{"pointer behind the start of an object without pointers", &struct{ p *int32 }{(*int32)(unsafe.Pointer(&numbers[1]))}, "field+0~: ?"},
		{"object without pointers", &struct{ p *small }{(*small)(unsafe.Pointer(numbers))}, "field+0~: ?"},
		{"pointers where the type has none", &struct{ p *pair[uintptr] }{(*pair[uintptr])(unsafe.Pointer(array))}, "field+0~: ?"},
		{"allocation header of another type", &struct{ p *small }{(*small)(unsafe.Pointer(inner))}, "field+0: refs_test.wide?"},
		{"allocation header", &struct{ p *wide }{inner}, "field+0: refs_test.wide"},
		{"unsafe pointer to an object with a header", &struct{ p unsafe.Pointer }{unsafe.Pointer(inner)}, "field+0~: refs_test.wide"},
		{"slice of part of an array", &struct{ s []small }{array[1:]}, "field+0: refs_test.small"},
		{"slice with another capacity", &struct{ s []small }{array[:1:1]}, "field+0: refs_test.small?"},
		{"interface without a type", &[2]unsafe.Pointer{nil, unsafe.Pointer(array)}, "field+0~: ?"},
	} {
		off := uintptr(0)
		if test.name == "interface without a type" {
			off = ptrSize
		}
		check(t, test.name, p.walk(test.holder, off), test.want)
	}
}

// TestArrays has references to elements of arrays with an allocation header.
//
//go:nocheckptr
func TestArrays(t *testing.T) {
	p := newProcess()
	list, array, one := make([]wide, 3), new([3]wide), new(wide)
	p.add(list)
	p.add(array)
	p.add(one)
	for _, test := range []struct {
		name   string
		holder any
		want   string
	}{
		{"slice", &struct{ s []wide }{list}, "field+0: refs_test.wide"},
		{"pointer to the first element", &struct{ p *wide }{&list[0]}, "field+0: []refs_test.wide"},
		{"pointer to another element", &struct{ p *wide }{&list[2]}, "field+0: []refs_test.wide"},
		{"pointer into an element", &struct{ p **int }{&list[1].p[7]}, "field+0: []refs_test.wide?"},
		{"unsafe pointer", &struct{ p unsafe.Pointer }{unsafe.Pointer(&list[1])}, "field+0~: []refs_test.wide"},
		{"pointer to an array", &struct{ p *[3]wide }{array}, "field+0: refs_test.wide"},
		{"pointer to an element of an array", &struct{ p *wide }{&array[1]}, "field+0: []refs_test.wide"},
		{"interface with a pointer to an element", &struct{ v any }{&list[1]}, "field+8(*refs_test.wide): []refs_test.wide"},
		{"pointer to a value", &struct{ p *wide }{one}, "field+0: refs_test.wide"},
		{"unsafe pointer to a value", &struct{ p unsafe.Pointer }{unsafe.Pointer(one)}, "field+0~: refs_test.wide"},
	} {
		off := uintptr(0)
		if strings.HasPrefix(test.name, "interface") {
			off, test.want = ptrSize, strings.Replace(test.want, "8", fmt.Sprint(ptrSize), 1)
		}
		check(t, test.name, p.walk(test.holder, off), test.want)
	}
}

//go:nocheckptr
func TestMaps(t *testing.T) {
	type value = map[string]*small
	fill := func(n int) (m value) {
		m = make(value)
		for i := range n {
			m[fmt.Sprint("a key of some length ", i)] = new(small)
		}
		return m
	}
	word := func(p unsafe.Pointer, off uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Add(p, off)) }
	g := GroupsOf((*abi.MapType)(unsafe.Pointer(abi.TypeFor[value]())))
	const name = "map[string]*refs_test.small"
	for _, test := range []struct {
		n    int
		path []uintptr
		want []string
	}{
		{4, []uintptr{maps.RefsMapDirPtr}, []string{"storage+0: groups " + name}},
		{100, []uintptr{maps.RefsMapDirPtr, 0, maps.RefsTableGroups}, []string{"storage+0: directory " + name, "storage+0: table " + name, "storage+0: groups " + name}},
	} {
		m := fill(test.n)
		p := newProcess()
		header := *(*unsafe.Pointer)(unsafe.Pointer(&m))
		p.add((*[maps.RefsMapSize / ptrSize]unsafe.Pointer)(header))
		last := header
		for i, off := range test.path {
			if last = word(last, off); i == len(test.path)-1 {
				p.addArray(m, uintptr(last), abi.TypeFor[*byte](), g.Size*groupsIn(test.n)/ptrSize)
			} else if i == 0 {
				p.addArray(m, uintptr(last), abi.TypeFor[*byte](), uintptr(*(*int)(unsafe.Add(header, maps.RefsMapDirLen))))
			} else {
				p.addArray(m, uintptr(last), abi.TypeFor[*byte](), maps.RefsTableSize/ptrSize)
			}
		}
		key, v := ^uintptr(0), ^uintptr(0)                    // offsets of a slot in use
		for n := range groupsIn(test.n) * abi.MapGroupSlots { // a whole group may be empty
			group, i := n/abi.MapGroupSlots*g.Size, n%abi.MapGroupSlots
			if word(last, group+g.Elems+i*g.ElemStride) != nil {
				key, v = group+g.Keys+i*g.KeyStride, group+g.Elems+i*g.ElemStride
				break
			}
		}
		for k, elem := range m {
			p.add(k)
			p.add(elem)
		}
		holder := &struct{ m value }{m}
		want := append([]string{"field+0: map " + name}, test.want...)
		path := append([]uintptr{0}, test.path...)
		check(t, "key", p.walk(holder, append(path, key)...), append(want, "key+0: uint8")...)
		check(t, "value", p.walk(holder, append(path, v)...), append(want, "value+0: refs_test.small")...)
		for _, n := range p.nodes[2:] {
			if parent := p.At(n).Parent; parent != p.nodes[1] {
				t.Errorf("part of a map of %d elements is below node %d, want %d", test.n, parent, p.nodes[1])
			}
		}
		if test.n > abi.MapGroupSlots {
			table := word(word(header, maps.RefsMapDirPtr), 0)
			it := &iterator{typ: unsafe.Pointer(abi.TypeFor[value]()), m: header, table: table}
			check(t, "iterator's table", p.walk(it, unsafe.Offsetof(it.table)), "storage+0: table "+name)
			continue
		}
		it := &struct{ it iterator }{iterator{
			typ: unsafe.Pointer(abi.TypeFor[value]()), m: header, group: last, key: unsafe.Add(last, key), elem: unsafe.Add(last, v),
		}}
		check(t, "iterator's map", p.walk(&it.it, unsafe.Offsetof(iterator{}.m)), fmt.Sprintf("field+%d: map %s", unsafe.Offsetof(iterator{}.m), name))
		for _, off := range []uintptr{unsafe.Offsetof(iterator{}.group), unsafe.Offsetof(iterator{}.key), unsafe.Offsetof(iterator{}.elem)} {
			check(t, "iterator's group", p.walk(&it.it, off), "storage+0: groups "+name)
		}
		it.it.typ = nil
		check(t, "iterator without a type", p.walk(&it.it, unsafe.Offsetof(iterator{}.m)), fmt.Sprintf("field+%d~: ?", unsafe.Offsetof(iterator{}.m)))
	}
}

// groupsIn returns the number of groups of the first table of a map of n
// elements.
func groupsIn(n int) uintptr {
	groups := uintptr(1)
	for groups*7 < uintptr(n) && n > abi.MapGroupSlots {
		groups *= 2
	}
	return groups
}

// TestIndirect has a map whose groups have pointers to keys and to elements.
//
//go:nocheckptr
func TestIndirect(t *testing.T) {
	type value = map[[40]string][40]*int
	mt := (*abi.MapType)(unsafe.Pointer(abi.TypeFor[value]()))
	g := GroupsOf(mt)
	m := value{{"key"}: {}}
	header := *(*unsafe.Pointer)(unsafe.Pointer(&m))
	group := *(*unsafe.Pointer)(unsafe.Add(header, maps.RefsMapDirPtr))
	p := newProcess()
	p.add((*[maps.RefsMapSize / ptrSize]unsafe.Pointer)(header))
	p.addArray(m, uintptr(group), abi.TypeFor[*byte](), g.Size/ptrSize)
	for i := uintptr(0); i < abi.MapGroupSlots; i++ {
		k, e := *(*unsafe.Pointer)(unsafe.Add(group, g.Keys+i*g.KeyStride)), *(*unsafe.Pointer)(unsafe.Add(group, g.Elems+i*g.ElemStride))
		if k == nil {
			continue
		}
		p.add((*[40]string)(k))
		p.add((*[40]*int)(e))
		holder := &struct{ m value }{m}
		check(t, "key", p.walk(holder, 0, maps.RefsMapDirPtr, g.Keys+i*g.KeyStride)[2:], "key+0: string")
		check(t, "element", p.walk(holder, 0, maps.RefsMapDirPtr, g.Elems+i*g.ElemStride)[2:], "value+0: *int")
		it := &iterator{typ: unsafe.Pointer(mt), m: header, key: k, elem: e}
		check(t, "iterator's key", p.walk(it, unsafe.Offsetof(it.key)), "key+0: string")
		check(t, "iterator's element", p.walk(it, unsafe.Offsetof(it.elem)), "value+0: *int")
	}
}

func TestChannels(t *testing.T) {
	c := &channel{n: 3, buffer: unsafe.Pointer(new([3]*small)), receivers: [2]unsafe.Pointer{unsafe.Pointer(new(waiter))}}
	buffer := (*[3]*small)(c.buffer)
	buffer[2] = new(small)
	p := newProcess()
	for _, v := range []any{c, buffer, buffer[2], (*waiter)(c.receivers[0])} {
		p.add(v)
	}
	holder := &struct{ c chan *small }{*(*chan *small)(unsafe.Pointer(&c))}
	const name = "chan *refs_test.small"
	check(t, "buffer", p.walk(holder, 0, p.Layout.ChanBuffer, 2*ptrSize), "field+0: chan "+name, "buffer+0: buffer "+name, "element+0: refs_test.small")
	check(t, "waiter", p.walk(holder, 0, p.Layout.ChanReceivers), "field+0: chan "+name, "waiter+0: refs_test.waiter")
}

// TestPools checks that an item of a pool has one path, wherever the pool has
// it.
func TestPools(t *testing.T) {
	type queue struct {
		phantom    [0]any
		typ, value unsafe.Pointer
	}
	type chain struct {
		next  *chain
		items []queue
	}
	type local struct {
		item       any
		head, tail *chain
	}
	l := &local{item: new(small), head: &chain{items: make([]queue, 4)}}
	l.tail = l.head
	inQueue := any(new(small))
	l.head.items[2].typ = (*[2]unsafe.Pointer)(unsafe.Pointer(&inQueue))[0]
	l.head.items[2].value = (*[2]unsafe.Pointer)(unsafe.Pointer(&inQueue))[1]
	p := newProcess()
	p.Pool.Store(typeFor[local]())
	for _, v := range []any{l, l.item, l.head, l.head.items, inQueue} {
		p.add(v)
	}
	holder := &struct{ l *local }{l}
	item := fmt.Sprintf("field+%d(*refs_test.small): refs_test.small", ptrSize)
	elem := fmt.Sprintf("field+%d: refs_test.chain", 2*ptrSize)
	items := fmt.Sprintf("field+%d: refs_test.queue", unsafe.Offsetof(chain{}.items))
	check(t, "item", p.walk(holder, 0, ptrSize)[1:], item)
	node := p.last()
	for _, end := range []uintptr{unsafe.Offsetof(l.head), unsafe.Offsetof(l.tail)} {
		check(t, "item in a queue", p.walk(holder, 0, end, unsafe.Offsetof(chain{}.items), 2*unsafe.Sizeof(queue{})+ptrSize)[1:], elem, items, item)
		if got := p.last(); p.At(got.Parent).Key.Type != typeFor[local]() || got.Kind != node.Kind || got.Place != node.Place {
			t.Errorf("an item in a queue is below a %s", p.describe(&p.At(got.Parent).Key, true))
		}
	}
}

// TestEnclosing has objects whose type is another than the one to which the
// pointer points.
//
//go:nocheckptr
func TestEnclosing(t *testing.T) {
	type variant struct {
		entry    [0]*small
		indirect [0]*tree
		kind     uint8
	}
	for _, test := range []struct {
		kind uint8
		as   any
		want string
	}{
		{0, new(small), "field+0: refs_test.small"},
		{1, new(tree), "field+0: refs_test.tree"},
		{2, new(small), "field+0~: ?"},
	} {
		p := newProcess()
		p.add(test.as)
		v := (*variant)((*[2]unsafe.Pointer)(unsafe.Pointer(&test.as))[1])
		v.kind = test.kind
		check(t, fmt.Sprint("variant ", test.kind), p.walk(&struct{ v *variant }{v}, 0), test.want)
	}
}

//go:nocheckptr
func TestTimer(t *testing.T) {
	p := newProcess()
	tm := new(timer)
	p.add(tm)
	check(t, "timer", p.walk(&struct{ t *time.Timer }{(*time.Timer)(unsafe.Pointer(tm))}, 0), "field+0: refs_test.timer")
	check(t, "ticker", p.walk(&struct{ t *time.Ticker }{(*time.Ticker)(unsafe.Pointer(tm))}, 0), "field+0: refs_test.timer")
}

// TestShapes checks that an object that generic code has allocated has the type
// of the reference if its own may stand for that.
func TestShapes(t *testing.T) {
	for _, test := range []struct{ shape, want string }{
		{"refs_test.wideOf[go.shape.*uint8]", "field+0: refs_test.wide"},
		{"refs_test.other", "field+0: refs_test.like?"},
	} {
		type like struct{ p [100]*int }
		p := newProcess()
		w := new(wide)
		p.add(w)
		o := p.objects[0]
		p.words[o.Base], p.names[abi.TypeFor[like]()] = typeFor[like](), test.shape
		check(t, test.shape, p.walk(&struct{ w *wide }{w}, 0), test.want)
	}
}

// TestLarge has objects that are larger than the largest size class.
func TestLarge(t *testing.T) {
	p := newProcess()
	list, numbers := make([]small, 4000), make([]int, 5000)
	p.add(list)
	p.add(numbers)
	check(t, "slice", p.walk(&struct{ s []small }{list}, 0), "field+0: refs_test.small")
	check(t, "pointer to an element", p.walk(&struct{ p *small }{&list[3]}, 0), "field+0: []refs_test.small")
	check(t, "pointer into an element", p.walk(&struct{ p **int }{&list[3].b}, 0), "field+0: []refs_test.small?")
	check(t, "numbers", p.walk(&struct{ s []int }{numbers}, 0), "field+0: int")
	if Fits(40000, 0, 56<<10, 0) || !Fits(50000, 0, 56<<10, 0) || Fits(60000, 0, 56<<10, 0) {
		t.Error("what fits a large object")
	}
}
