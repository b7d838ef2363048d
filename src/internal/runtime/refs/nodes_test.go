// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/profilerecord"
	. "internal/runtime/refs"
	"reflect"
	"testing"
	"unsafe"
)

// TestSegments checks that no two records have the same place: each keeps what was
// written to it.
func TestSegments(t *testing.T) {
	const n = 100_000
	var a Array
	if !a.Make(newProcess(), unsafe.Sizeof(uint64(0))) {
		t.Fatal("no memory")
	}
	for i := uint32(1); i < n; i++ {
		if got, ok := a.Add(n); got != i || !ok {
			t.Fatalf("record %d is added as %d, %v", i, got, ok)
		}
	}
	for i := range uint32(n) {
		*record(&a, i) = uint64(i)
	}
	for i := range uint32(n) {
		if got := *record(&a, i); got != uint64(i) {
			t.Fatalf("record %d has %d", i, got)
		}
	}
}

//go:nocheckptr
func record(a *Array, n uint32) *uint64 { return (*uint64)(unsafe.Pointer(a.At(n))) }

// field returns the node of objects of a type below a field.
func (p *process) field(parent uint32, off, typ uintptr) uint32 {
	return p.Find(&Key{Parent: parent, Kind: profilerecord.RefsField, Place: off, Type: typ})
}

// global returns the node of a global variable whose type is not known.
func (p *process) global(i int) uint32 { return p.Global(i, false, 0) }

func TestNodes(t *testing.T) {
	p := newProcess()
	a, b, c := typeFor[waiter](), typeFor[timer](), typeFor[int]()
	global := p.global(1)
	below := p.field(global, 8, a)
	deeper := p.field(below, 16, b)
	find := func(k Key) uint32 { return p.Find(&k) }
	closure := find(Key{Parent: global, Kind: profilerecord.RefsField, Role: profilerecord.RefsClosure, Func: 1})
	frame := find(Key{Kind: profilerecord.RefsFrame, Type: a})
	direct := find(Key{Kind: profilerecord.RefsGlobal, Place: 3, Type: a})
	inferred := find(Key{Parent: below, Kind: profilerecord.RefsField, Type: a, Variant: VariantInferred})
	for _, test := range []struct {
		name string
		node uint32
		want uint32
		same bool
	}{
		{"the same variable", p.global(1), global, true},
		{"another variable", p.global(2), global, false},
		{"the same field", p.field(global, 8, a), below, true},
		{"another field", p.field(global, 16, a), below, false},
		{"another type", p.field(global, 8, c), below, false},
		{"the same type below itself", p.field(below, 24, a), below, true},
		{"the same type further below itself", p.field(deeper, 0, a), below, true},
		{"another type below", p.field(deeper, 0, c), below, false},
		{"the same closure below itself", find(Key{Parent: closure, Kind: profilerecord.RefsCaptured, Role: profilerecord.RefsClosure, Func: 1}), closure, true},
		{"another closure below", find(Key{Parent: closure, Kind: profilerecord.RefsCaptured, Role: profilerecord.RefsClosure, Func: 2}), closure, false},
		{"another type argument", find(Key{Parent: below, Kind: profilerecord.RefsCaptured, Type: a, Arg: c}), below, false},
		{"another role", find(Key{Parent: below, Kind: profilerecord.RefsField, Role: profilerecord.RefsChan, Type: a}), below, false},
		{"no reference", find(Key{Parent: below, Kind: profilerecord.RefsArgument, Type: a}), below, false},
		{"below no reference", p.field(frame, 0, a), frame, false},
		{"the first element below a variable", p.field(direct, 0, a), direct, false},
		{"the same type, inferred", inferred, below, false},
		{"the same type below an inferred one", p.field(inferred, 8, a), inferred, true},
		{"a type below an inferred one", p.field(p.field(inferred, 8, b), 0, b), deeper, false},
		{"the same below another variable", p.field(p.global(2), 8, a), below, false},
	} {
		if (test.node == test.want) != test.same {
			t.Errorf("%s: nodes %d and %d", test.name, test.node, test.want)
		}
	}
}

// TestNodesFull checks that objects are counted at the parent, and as lost, if
// there is no room for their node.
func TestNodesFull(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit func(p *process)
	}{
		{"nodes of a stage", func(p *process) { p.Most = 1 << 12; p.LimitTo(NodeParts / 2) }},
		{"memory", func(p *process) { p.room = 0 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProcess()
			test.limit(p)
			parent, typ := p.global(1), typeFor[int]()
			const n = 1<<11 + 10
			nodes, lost := map[uint32]bool{}, 0
			for off := range uintptr(n) {
				node := p.field(parent, off, typ)
				if node&Lost != 0 {
					lost++
					if node != parent|Lost {
						t.Fatalf("lost below %d, want %d", node&^Lost, parent)
					}
				} else if nodes[node] {
					t.Fatalf("node %d is given out twice", node)
				}
				nodes[node] = true
				p.Count(node, 1, 32)
			}
			if want := n + int(parent) + 1 - 1<<11; lost != want {
				t.Errorf("%d of %d nodes are lost, want %d", lost, n, want)
			}
			if objects, bytes := p.LostObjects.Load(), p.LostBytes.Load(); objects != int64(lost) || bytes != int64(lost)*32 {
				t.Errorf("%d objects, %d bytes are lost, want %d", objects, bytes, lost)
			}
			if objects := p.At(parent).Objects.Load(); objects != int64(lost) {
				t.Errorf("%d objects at the parent, want %d", objects, lost)
			}
			if n := p.global(2); n != NodeNoMemory|Lost {
				t.Errorf("a root without room is at %d", n)
			}
		})
	}
}

// TestNoMemory checks that a tree is not made without memory, for its heads or
// for its records.
func TestNoMemory(t *testing.T) {
	for _, room := range []uintptr{0, newProcess().first} {
		p := &process{room: room}
		if p.Make(p) {
			t.Errorf("a tree is made of %d bytes", room)
		}
		p.Paths.Free()
	}
}

// TestNodesDeep checks that an object is counted at the parent if its path would
// be too long.
func TestNodesDeep(t *testing.T) {
	p := newProcess()
	n := p.global(1)
	typ := reflect.TypeFor[int]()
	for depth := 2; depth <= MaxDepth; depth++ {
		typ = reflect.PointerTo(typ)
		if n = p.field(n, 0, uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&typ))[1])); n&Lost != 0 {
			t.Fatalf("path of %d elements is lost", depth)
		}
		p.kept = append(p.kept, typ)
	}
	below := p.field(n, 0, typeFor[string]())
	if below != n|Lost {
		t.Errorf("path of %d elements is at %d, want %d", MaxDepth+1, below, n|Lost)
	}
	if again := p.field(below, 8, typeFor[string]()); again != below {
		t.Errorf("below a lost node is %d, want %d", again, below)
	}
}

// TestNodesUnknown checks that objects of unknown type below each other are at
// one node.
func TestNodesUnknown(t *testing.T) {
	p := newProcess()
	n := p.field(p.global(1), 0, 0)
	if below := p.field(n, 8, 0); below != n {
		t.Errorf("nodes %d and %d", n, below)
	}
}

// TestGoroutines checks that goroutines with many sets of labels do not use up
// the nodes.
func TestGoroutines(t *testing.T) {
	p := newProcess()
	plain, _ := p.Goroutine(false, 0)
	if leaked, _ := p.Goroutine(true, 0); leaked == plain {
		t.Error("leaked goroutines have the node of others")
	}
	sets := make(map[uint32]uint32)
	for labels := range uintptr(2 * MaxLabels) {
		n, set := p.Goroutine(false, labels+1)
		switch {
		case labels >= MaxLabels:
			if n != plain || set != 0 {
				t.Fatalf("set %d has node %d, want %d", labels, n, plain)
			}
		case set != uint32(labels)+1 || sets[n] != 0 || n == plain:
			t.Fatalf("set %d has number %d and node %d", labels, set, n)
		default:
			sets[n] = set
		}
		if again, set := p.Goroutine(false, labels+1); again != n || set != 0 {
			t.Fatalf("set %d has node %d, and then %d", labels, n, again)
		}
	}
}

// TestSecondClass checks which nodes are of the second class.
func TestSecondClass(t *testing.T) {
	p := newProcess()
	pool := typeFor[waiter]()
	p.Pool.Store(pool)
	global, runtime := p.global(1), p.Global(2, true, 0)
	items := p.field(global, 0, pool)
	for _, test := range []struct {
		name string
		node uint32
		want bool
	}{
		{"a variable", global, false},
		{"the runtime's", runtime, true},
		{"below it", p.field(runtime, 0, typeFor[int]()), true},
		{"a pool's", items, true},
		{"an item", p.field(items, 8, typeFor[int]()), true},
		{"the write barrier's", NodeBarrier, true},
		{"a register's", p.Find(&Key{Kind: profilerecord.RefsRegisters}), true},
	} {
		if got := p.At(test.node).Second; got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestRecord(t *testing.T) {
	p := newProcess()
	typ := typeFor[int]()
	for _, test := range []struct {
		key  Key
		want profilerecord.RefsNode
	}{
		{Key{Kind: profilerecord.RefsField, Place: 8, Type: typ, Untyped: true}, profilerecord.RefsNode{Offset: 8, Untyped: true}},
		{Key{Kind: profilerecord.RefsFrame, Place: 7}, profilerecord.RefsNode{PC: 7}},
		{Key{Kind: profilerecord.RefsGlobal, Place: 7, Role: RoleDirect}, profilerecord.RefsNode{Role: profilerecord.RefsVariable}},
		{Key{Kind: profilerecord.RefsGlobal, Place: 7, Role: profilerecord.RefsClosure, Func: 9}, profilerecord.RefsNode{Role: profilerecord.RefsClosure, PC: 9}},
		{Key{Kind: profilerecord.RefsGoroutine, Place: 7, Variant: VariantLeaked}, profilerecord.RefsNode{Leaked: true}},
		{Key{Kind: profilerecord.RefsField, Type: typ, Variant: VariantArray}, profilerecord.RefsNode{Array: true}},
		{Key{Kind: profilerecord.RefsRuntimeGlobal, Type: typ}, profilerecord.RefsNode{Second: true}},
		{Key{Kind: profilerecord.RefsMapTable, Role: RoleGroups, Type: typeFor[map[int]int]()}, profilerecord.RefsNode{Role: profilerecord.RefsGroups}},
		{Key{Kind: profilerecord.RefsMapTable, Role: RoleTable}, profilerecord.RefsNode{Role: profilerecord.RefsTable}},
		{Key{Kind: profilerecord.RefsMapTable, Role: RoleDirectory}, profilerecord.RefsNode{Role: profilerecord.RefsTable}},
	} {
		n := p.Find(&test.key)
		p.Count(n, 2, 48)
		test.want.Kind, test.want.Objects, test.want.Bytes = test.key.Kind, 2, 48
		var got profilerecord.RefsNode
		if p.At(n).Record(&got); got != test.want {
			t.Errorf("%+v: %+v, want %+v", test.key, got, test.want)
		}
	}
}

func TestDataName(t *testing.T) {
	for off, want := range map[uint64]string{0: "main(bss+0x0)", 0x10: "main(bss+0x10)", 1<<64 - 1: "main(bss+0xffffffffffffffff)"} {
		if got := DataName("main", "bss", off); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestServesRequest checks which functions serve requests for a recording.
func TestServesRequest(t *testing.T) {
	for name, want := range map[string]bool{
		"net/http/pprof.Index": true, "net/http/pprof.(*delta).profiles": true,
		"net/http.(*conn).serve": false, "runtime/pprof.writeRefs": false, "example.com/net/http/pprof.Index": false, "": false,
	} {
		if got := ServesRequest(name); got != want {
			t.Errorf("ServesRequest(%q) is %t", name, got)
		}
	}
}
