// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Mutators: goroutines that allocate and move pointers as fast as they can
// while profiles are taken. Their objects are private, except for the movables.
// A movable is held all the time, but the place that holds it changes all the
// time. So each movable must be in every profile once, at whatever path.

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
	"unique"
	"weak"
)

const (
	movables = 512  // of each mutator, in seesaws
	carried  = 1000 // of each mutator, in the lists of its carrier
)

// A movable is large enough to have an allocation header, from which the
// recorder learns its type if the reference does not have it.
type movable struct {
	next *movable
	_    [600]byte
}

// A seesaw has two places, whose movables are exchanged.
type seesaw struct{ left, right *movable }

// A carrier has two lists. Nodes are carried from one to the other.
type carrier struct{ from, to *movable }

var (
	seesaws  []seesaw
	carriers []carrier
)

func startMutators(n int) {
	for range n {
		s, c := make([]seesaw, movables/2), carrier{}
		for i := range s {
			s[i] = seesaw{new(movable), new(movable)}
		}
		for range carried {
			c.from = &movable{next: c.from}
		}
		seesaws, carriers = append(seesaws, s...), append(carriers, c)
	}
	for i := range n {
		go mutate(newMutator(i))
	}
}

// wantMovables checks that each movable is in a profile once. An object of
// unknown type may be a movable for whose path there was no memory. Movables
// are not sampled, and therefore not in inuse profiles.
func wantMovables(p *profile) error {
	var got, untold int64
	for _, s := range p.samples {
		switch {
		case s.typ == "main.movable":
			got += s.objects
		case s.typ == "(unknown)" && s.root != "allocated":
			untold += s.objects
		}
	}
	if want := int64(2*len(seesaws) + carried*len(carriers)); !*inuse && (got > want || got+untold < want) {
		return fmt.Errorf("%d movables, and %d objects of unknown type, want %d", got, untold, want)
	}
	return nil
}

// A mutator is the state of one of the goroutines.
type mutator struct {
	*rand.Rand
	seesaws []seesaw
	carrier *carrier
	graph   [64]*grown
	tables  map[int]*grown
	queue   chan *grown
	pool    sync.Pool
	made    []any
}

// A grown object is a node of a mutator's private graph.
type grown struct {
	edges [4]*grown
	any   any
	text  string
}

func newMutator(i int) *mutator {
	return &mutator{
		Rand:    rand.New(rand.NewPCG(*seed, uint64(i))),
		seesaws: seesaws[i*movables/2:][:movables/2],
		carrier: &carriers[i],
		tables:  map[int]*grown{},
		queue:   make(chan *grown, 100),
	}
}

// resting makes the mutators wait.
var resting atomic.Bool

func mutate(m *mutator) {
	steps := []func(){
		m.exchange, m.exchange, m.carry, m.carry, m.allocate, m.allocate, m.connect, m.connect,
		m.table, m.send, m.keep, m.recur, m.watch, m.library,
	}
	for i := 1; ; i++ {
		steps[m.IntN(len(steps))]()
		for resting.Load() || i%1000 == 0 && objectBytes() > crowded {
			time.Sleep(time.Millisecond)
		}
	}
}

// crowded is the size of the heap at which mutators wait for a cycle. With
// GOGC=off the only cycles are those of profiles.
const crowded = 1 << 30

func objectBytes() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func (m *mutator) exchange() {
	for range 100 {
		s, t := &m.seesaws[m.IntN(len(m.seesaws))], &m.seesaws[m.IntN(len(m.seesaws))]
		s.left, s.right = s.right, s.left
		s.left, t.right = t.right, s.left
	}
}

// carry moves one node after another. For a moment only a local variable holds
// the node.
func (m *mutator) carry() {
	c := m.carrier
	for range 100 {
		if c.from == nil {
			c.from, c.to = c.to, nil
		}
		n := c.from
		c.from = n.next
		n.next = c.to
		c.to = n
	}
}

func (m *mutator) node() *grown { return m.graph[m.IntN(len(m.graph))] }

func (m *mutator) allocate() {
	for range 20 {
		n := &grown{text: fmt.Sprint(m.Uint64())}
		for i := range n.edges {
			n.edges[i] = m.node()
		}
		m.graph[m.IntN(len(m.graph))] = n
		if m.IntN(50) == 0 {
			clear(m.graph[:])
		}
	}
	if m.IntN(100) == 0 {
		m.forget()
	}
	switch m.IntN(20) {
	case 0:
		m.made = append(m.made[:min(len(m.made), 20)], make([]*grown, m.IntN(100_000)))
	case 1:
		m.made = append(m.made[:min(len(m.made), 20)], make([]byte, m.IntN(1_000_000)))
	}
}

// forget drops all nodes at once. Most nodes can be reached from any one node,
// so a single node would keep them, and the heap would grow for ever.
func (m *mutator) forget() {
	clear(m.graph[:])
	clear(m.tables)
	for len(m.queue) > 0 {
		<-m.queue
	}
	m.pool = sync.Pool{}
}

func (m *mutator) connect() {
	for range 100 {
		if a, b := m.node(), m.node(); a != nil && b != nil {
			i := m.IntN(len(a.edges))
			a.edges[i], b.edges[i] = b.edges[i], a.edges[i]
			a.any = b
		}
	}
}

func (m *mutator) table() {
	for range 50 {
		m.tables[m.IntN(3000)] = m.node()
		delete(m.tables, m.IntN(3000))
	}
	if m.IntN(100) == 0 {
		m.tables = map[int]*grown{}
	}
}

func (m *mutator) send() {
	for range 50 {
		select {
		case m.queue <- m.node():
		default:
			<-m.queue
		}
	}
	reply := make(chan *grown)
	go func() { reply <- m.node() }()
	<-reply
}

// keep leaves objects to the runtime, for finalizers, cleanups, weak handles
// and timers. An object with a finalizer is in no cycle of references, because
// the cycle would never be freed.
func (m *mutator) keep() {
	n := new(grown)
	m.graph[m.IntN(len(m.graph))] = n
	switch m.IntN(5) {
	case 0:
		last := &grown{any: new(grown)}
		runtime.SetFinalizer(last, func(last *grown) { last.any = nil })
		n.any = last
	case 1:
		runtime.AddCleanup(n, func(s *string) { *s = "" }, new(string))
	case 2:
		if w := weak.Make(n); w.Value() != n {
			panic("a weak pointer lost its value")
		}
	case 3:
		time.AfterFunc(time.Duration(m.IntN(1000))*time.Microsecond, func() { n.text = "" })
	case 4:
		unique.Make(fmt.Sprint(m.IntN(1000)))
	}
}

// recur makes the stack grow, with pointers in all frames.
func (m *mutator) recur() { deeper(m.node(), m.IntN(200)) }

//go:noinline
func deeper(n *grown, depth int) *grown {
	var local grown
	local.edges[depth%4] = n
	if depth == 0 {
		return local.edges[0]
	}
	return deeper(local.edges[depth%4], depth-1)
}

func (m *mutator) library() {
	if n, ok := m.pool.Get().(*grown); ok {
		m.graph[m.IntN(len(m.graph))] = n
	}
	m.pool.Put(new(grown))
	t := reflect.ArrayOf(1+m.IntN(100), reflect.TypeFor[*grown]())
	m.made = append(m.made[:min(len(m.made), 20)], reflect.New(t).Interface())
}

// watch makes and cancels a context, with a timer and with a goroutine that
// waits for it.
func (m *mutator) watch() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	ctx = context.WithValue(ctx, contextKey{}, m.node())
	go func() { <-ctx.Done() }()
	cancel()
}
