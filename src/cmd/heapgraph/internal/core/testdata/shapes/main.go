// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes builds objects of many types and roots of all kinds, writes its heap
// graph to the file of the flag -o, and then waits to be killed, or panics.
// While the graph is written, no other goroutine runs, except those of the flag
// -spin. The tests of package core compare the graph with the one of a core
// file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unique"
	"unsafe"
	"weak"
)

type node struct {
	next *node
	name string
	data []byte
	any  any
}

type big struct {
	words [600]*node
	tail  [40]string
}

type pair[K comparable, V any] struct {
	key K
	val V
}

type stringer interface{ String() string }

type value struct{ a, b *node }

func (v value) String() string { return v.a.name }

type word struct{ n *node }

func (w word) String() string { return w.n.name }

// Global variables.
var (
	list     *node
	array    [3]*big
	small    = map[string]*node{}
	large    = map[int]pair[string, *node]{}
	indirect = map[[40]int][50]*node{}
	empty    any
	method   stringer
	direct   stringer
	queue    = make(chan *node, 16)
	pool     = sync.Pool{New: func() any { return new(node) }}
	shared   sync.Map
	atomics  atomic.Pointer[node]
	any1     atomic.Value
	callback func() string
	ctx      context.Context
	made     any
	weakly   weak.Pointer[node]
	kept     *node
	handle   unique.Handle[string]
	interior *string
	slices   [][]*node
	cut      []string
	resliced [][]*node
	elem     *wide[int]
	partByte struct {
		last *byte
		cut  []byte
	}
	partInt struct {
		cut  []int
		last *int
	}
	partField struct {
		cut  []node
		last *string
	}
	partAlone *int
	partRaw   struct {
		cut  []byte
		last unsafe.Pointer
	}
	opaque  [4]unsafe.Pointer // *entry
	mixed   []unsafe.Pointer
	generic pair[*node, map[string]*pair[int, *node]]
	shaped  *wide[*node]
	err     error
	rows    [2][3]struct {
		name string
		list []*node
	}
)

// A wide is so large that it has an allocation header. If generic code
// allocates a wide by a composite literal, the header has a type that is the
// same for all pointer types T.
type wide[T any] struct {
	parts [128]*part[T]
}

type part[T any] struct{ list []T }

//go:noinline
func newWide[T any](one func() T) *wide[T] {
	w := &wide[T]{}
	for i := range w.parts {
		w.parts[i] = &part[T]{make([]T, 100)}
		w.parts[i].list[i%100] = one()
	}
	return w
}

func chain(n int) (head *node) {
	for i := range n {
		head = &node{next: head, name: strings.Repeat("x", i%40+20), data: make([]byte, i%300), any: i}
	}
	return head
}

// buildParts makes objects of which only a part is used.
func buildParts() {
	for i := range 50 {
		text := strings.Repeat("a text of which a part is used ", 100+i)
		cut = append(cut, text[i*3:i*3+10], text[i*30+50:i*30+60])
		nodes := make([]*node, 200+i)
		resliced = append(resliced, nodes[i:i+10], nodes[2*i:3*i])
	}
	elem = &make([]wide[int], 20)[7]
	bytes, ints, nodes := make([]byte, 4096), make([]int, 4096), make([]node, 100)
	partByte.last, partByte.cut = &bytes[4000], bytes[1000:1010]
	partInt.cut, partInt.last = ints[:10], &ints[1000]
	partField.cut, partField.last = nodes[3:5], &nodes[50].name
	partAlone = &make([]int, 1024)[100]
	raw := make([]byte, 4096)
	partRaw.cut, partRaw.last = raw[:1], unsafe.Pointer(&raw[100])
}

// An entry is reached only by unsafe.Pointers.
type entry struct {
	to   *node
	next unsafe.Pointer
	name string
}

// An impostor has pointers in the same words as an entry, and leads to an object
// that has them in other words than a node.
type (
	impostor struct {
		to   *unlike
		next unsafe.Pointer
		name string
	}
	unlike struct {
		words [7]int
		to    *int
	}
)

// buildOpaque makes objects whose types only the samples of the heap profile
// have: lists of entries, and two types that have pointers in the same words.
// There are no samples of impostors.
func buildOpaque() {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 0
	for i := range 100 {
		head := &opaque[i%len(opaque)]
		*head = unsafe.Pointer(&impostor{new(unlike), *head, strings.Repeat("i", i%30+20)})
	}
	runtime.MemProfileRate = 64
	for i := range 400 {
		head := &opaque[i%len(opaque)]
		*head = unsafe.Pointer(&entry{chain(1), *head, strings.Repeat("e", i%30+20)})
		mixed = append(mixed, unsafe.Pointer(&pair[*node, int]{chain(1), i}), unsafe.Pointer(&pair[*int, uint]{new(int), 1}))
	}
}

func build() {
	buildParts()
	buildOpaque()
	list = chain(500)
	for i := range array {
		array[i] = new(big)
		for j := range 100 {
			array[i].words[j*6] = chain(1)
		}
		array[i].tail[3] = strings.Repeat("t", 100)
	}
	for i := range 5 {
		small[fmt.Sprint("key of a small map ", i)] = chain(2)
	}
	for i := range 1000 {
		large[i] = pair[string, *node]{fmt.Sprint("value of a large map ", i), chain(1)}
	}
	for i := range 20 {
		indirect[[40]int{i}] = [50]*node{7: chain(1)}
	}
	empty, method, direct = chain(3), value{chain(1), chain(2)}, word{chain(2)}
	for range 10 {
		queue <- chain(2)
	}
	pool.Put(chain(4))
	shared.Store("key", chain(3))
	atomics.Store(chain(2))
	any1.Store(chain(2))
	captured, text := chain(5), strings.Repeat("c", 50)
	callback = func() string { return captured.name + text }
	ctx = context.WithValue(context.Background(), "key", chain(2))
	t := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[*node]()}, {Name: "B", Type: reflect.TypeFor[[]string]()}})
	s := reflect.MakeSlice(reflect.SliceOf(t), 30, 30)
	s.Index(3).Field(0).Set(reflect.ValueOf(chain(3)))
	made = s.Interface()
	kept = chain(2)
	weakly = weak.Make(kept)
	handle = unique.Make(strings.Repeat("unique", 10))
	interior = &chain(1).name
	for range 10 {
		slices = append(slices, []*node{chain(1), nil, chain(2)})
	}
	generic = pair[*node, map[string]*pair[int, *node]]{chain(1), map[string]*pair[int, *node]{"k": {1, chain(1)}}}
	shaped = newWide(func() *node { return chain(1) })
	err = errors.Join(errors.New(strings.Repeat("e", 60)), fmt.Errorf("wrapped: %w", os.ErrNotExist))
	rows[1][2].list = []*node{chain(2)}

	finalized := chain(3)
	runtime.SetFinalizer(finalized, func(n *node) { println(n.name) })
	runtime.AddCleanup(kept, func(n *node) { println(n.name) }, chain(2))
	runtime.SetFinalizer(chain(6), func(n *node) { kept = n })
	queue <- finalized
	time.AfterFunc(time.Hour, func() { println(finalized.name) })
	time.NewTimer(time.Hour)
}

var stop = make(chan bool)

// wait blocks, with variables of many kinds in its frame.
func wait(n *node, array [4]*node, s []*node, str string, m map[string]*node, f func(), e any) {
	local := struct {
		a, b *node
		name string
	}{chain(1), chain(2), str + "!"}
	p := &local
	defer func() { println(p.name, n.name) }()
	<-stop
	f()
	println(n, array[0], s, str, m, e, local.a)
}

// reflected blocks in a function that package reflect has made. Only the
// registers with the function's arguments, which the stub has saved in its
// frame, refer to the node.
func reflected() {
	type function = func(*node, int)
	f := reflect.MakeFunc(reflect.TypeFor[function](), func([]reflect.Value) []reflect.Value {
		<-stop
		return nil
	}).Interface().(function)
	f(chain(3), 1)
}

// deep blocks in a deep stack.
func deep(n int, held *node) {
	if n == 0 {
		<-stop
		return
	}
	deep(n-1, chain(1))
	println(held.name)
}

func waitGeneric[T any](v T, rest []T) {
	more := map[string]T{"k": v}
	<-stop
	println(len(rest), len(more))
	runtime.KeepAlive(v)
}

func iterate(m map[int]*node) {
	for k, v := range m {
		<-stop
		println(k, v.name)
	}
}

// spin never stops. It refers to n in a register or in its frame.
func spin(n *node, began chan<- bool) {
	began <- true
	for i := 0; ; i++ {
		if i == -1 {
			println(n.name)
		}
	}
}

var (
	dies  = flag.Bool("panic", false, "panic when the graph is written")
	spins = flag.Int("spin", 0, "run `N` goroutines that never stop")
	file  = flag.String("o", "", "write the graph to `file`")
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// write writes the graph twice, because the first time initializes memory that
// later times use.
func write() {
	f, err := os.Create(*file)
	check(err)
	for range 2 {
		check(f.Truncate(0))
		_, err = f.Seek(0, 0)
		check(err)
		_, err = new(pprof.HeapGraph).Write(f)
		check(err)
	}
	check(f.Close())
	if *dies {
		panic("the graph is written")
	}
	os.Stdout.WriteString("written\n")
	select {}
}

func main() {
	flag.Parse()
	build()
	began := make(chan bool)
	go wait(chain(3), [4]*node{chain(1), nil, chain(2)}, []*node{chain(1)}, strings.Repeat("s", 30), map[string]*node{"k": chain(1)}, func() {}, value{chain(1), nil})
	go reflected()
	go deep(300, chain(1))
	go waitGeneric(chain(2), []*node{chain(1)})
	go waitGeneric(strings.Repeat("g", 40), []string{strings.Repeat("h", 40)})
	go iterate(map[int]*node{1: chain(2), 2: chain(1)})
	pprof.Do(context.Background(), pprof.Labels("job", "labelled"), func(context.Context) {
		go wait(chain(1), [4]*node{}, nil, "", nil, func() {}, nil)
	})
	for range *spins {
		go spin(chain(2), began)
		<-began
	}
	time.Sleep(10 * time.Millisecond)
	for range 3 {
		runtime.GC()
	}
	time.Sleep(10 * time.Millisecond)
	go write()
	<-stop
}
