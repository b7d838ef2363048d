// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that variables of functions hold: variables of each kind of type;
// arguments and results; variables in shared slots, on the stack and moved to
// the heap; and variables of recursive, generic and range functions.

package main

import (
	"fmt"
	"io"
	"iter"
	"runtime"
)

//go:noinline
func newReader() io.Reader { return &reader{data: make([]byte, 100)} }

//go:noinline
func newAny() any { return &headed{p: new(payload)} }

//go:noinline
func newText() string { return longText(1) }

//go:noinline
func newTable() map[int]*payload { return filled(3) }

//go:noinline
func newPair() *pair { return &pair{a: new(payload)} }

//go:noinline
func newQueue() chan *payload {
	c := make(chan *payload, 2)
	c <- new(payload)
	return c
}

//go:noinline
func newSlice() []*payload { return []*payload{new(payload), new(payload), new(payload)} }

//go:noinline
func newFive() (five [5]*payload) {
	for i := range five {
		five[i] = new(payload)
	}
	return five
}

//go:noinline
func useFive([5]*payload) {}

//go:noinline
func useKinds(*payload, []*payload, string, map[int]*payload, chan *payload, func() int, io.Reader, any) {
}

//go:noinline
func holdKinds() {
	ptr, slice, text, table := onHeap[payload](), newSlice(), newText(), newTable()
	queue, fn, iface, empty := newQueue(), capture(onHeap[payload](), 1), newReader(), newAny()
	park()
	useKinds(ptr, slice, text, table, queue, fn, iface, empty)
}

//go:noinline
func holdShared(first bool) {
	if first {
		a := newFive()
		park()
		useFive(a)
	} else {
		b := newFive()
		park()
		useFive(b)
	}
}

func holdFirst()  { holdShared(true) }
func holdSecond() { holdShared(false) }

type receiver struct{ p *payload }

//go:noinline
func (r *receiver) holdArguments(s []*payload, rest ...*payload) (result *pair) {
	result = newPair()
	park()
	r.p[0]++
	s[0][0]++
	rest[0][0]++
	result.b = nil
	return result
}

//go:noinline
func onHeapWith(p *payload) *receiver { return &receiver{p} }

//go:noinline
func holdCall() {
	onHeapWith(onHeap[payload]()).holdArguments(newSlice(), onHeap[payload](), onHeap[payload]())
}

//go:noinline
func fillPair(p *pair) {
	if p.a == nil {
		p.a, p.b = new(payload), new([48]byte)
	}
}

//go:noinline
func holdBox() {
	var box pair
	fillPair(&box)
	park()
	fillPair(&box)
}

//go:noinline
func holdUnnamed() {
	var box struct {
		inner pair
		many  [2]*payload
	}
	fillPair(&box.inner)
	many := box.many[:]
	many[0], many[1] = new(payload), new(payload)
	park()
	fillPair(&box.inner)
	useSlice(many)
}

//go:noinline
func useSlice([]*payload) {}

var leaky *pair

//go:noinline
func holdMoved() {
	var moved pair
	leaky = &moved
	fillPair(&moved)
	leaky = nil
	park()
	fillPair(&moved)
}

//go:noinline
func holdRecursive(n int) {
	p := onHeap[payload]()
	if n > 1 {
		holdRecursive(n - 1)
	} else {
		park()
	}
	p[0]++
}

func holdThrice() { holdRecursive(3) }

//go:noinline
func holdGeneric[T any]() {
	v := onHeap[T]()
	park()
	useAny(v)
}

//go:noinline
func useAny(any) {}

// A counts has the same underlying type as a payload.
type counts [20]uint64

// holdInlined is inlined in holdMixed, whose dictionary does not have the type
// argument of holdInlined.
func holdInlined[U any](u *U) {
	park()
	useAny(u)
}

//go:noinline
func holdMixed[T any]() {
	v := onHeap[T]()
	holdInlined(onHeap[counts]())
	useAny(v)
}

//go:noinline
func sequence() iter.Seq[*payload] {
	return func(yield func(*payload) bool) { yield(new(payload)) }
}

//go:noinline
func holdRange() {
	outer := onHeap[payload]()
	for inner := range sequence() {
		park()
		inner[0]++
		outer[0]++
	}
}

//go:noinline
func holdParameter(p *payload) {
	park()
	p[0]++
}

func startParameter() {
	parked.Add(1)
	go holdParameter(new(payload))
	parked.Wait()
}

var variableShapes = []shape{
	{
		name:  "variables of all kinds",
		roots: stack("main.holdKinds"),
		build: func() { start(1, holdKinds) },
		want: func() []ref {
			in := func(path ...string) []string { return append([]string{"main.holdKinds"}, path...) }
			slice, table := "main.holdKinds.slice []*payload", "main.holdKinds.table map[int]*payload"
			queue, fn := "main.holdKinds.queue chan *payload", "main.holdKinds.fn func(main.capture.func1)"
			iface := "main.holdKinds.iface io.Reader(*reader)"
			empty := "main.holdKinds.empty interface {}(*headed)"
			return []ref{
				at(1, of[payload](), in("main.holdKinds.ptr *payload")...),
				at(1, array[*payload](3), in(slice)...),
				at(3, of[payload](), in(slice, "[]*main.payload[elem]")...),
				at(1, noscan(40), in("main.holdKinds.text string")...),
				count(1, in(table)...),
				some(in(table, "map[int]*main.payload[table]")...),
				at(3, of[payload](), in(table, "map[int]*main.payload[value]")...),
				count(1, in(queue)...),
				at(1, array[*payload](2), in(queue, "chan *main.payload[buffer]")...),
				at(1, of[payload](), in(queue, "chan *main.payload[elem]")...),
				count(1, in(fn)...),
				at(1, of[payload](), in(fn, capturedPayload)...),
				at(1, of[reader](), in(iface)...),
				at(1, noscan(100), in(iface, "main.reader.data []uint8")...),
				at(1, of[headed](), in(empty)...),
				at(1, of[payload](), in(empty, "main.headed.p *payload")...),
			}
		},
	},
	{
		name:  "variables in one slot, the first",
		roots: stack("main.holdFirst"),
		build: func() { start(1, holdFirst) },
		want: func() []ref {
			return []ref{at(5, of[payload](), "main.holdFirst", "main.holdShared", "main.holdShared.a [5]*payload")}
		},
	},
	{
		name:  "variables in one slot, the second",
		roots: stack("main.holdSecond"),
		build: func() { start(1, holdSecond) },
		want: func() []ref {
			return []ref{at(5, of[payload](), "main.holdSecond", "main.holdShared", "main.holdShared.b [5]*payload")}
		},
	},
	{
		name:  "arguments and result",
		roots: stack("main.holdCall"),
		build: func() { start(1, holdCall) },
		want: func() []ref {
			method, result := "main.(*receiver).holdArguments", ".result *pair"
			if runtime.GOARCH == "386" { // results are passed in memory, and are copied there at the end
				result = ".(temporary) *pair"
			}
			return []ref{
				at(1, of[receiver](), "main.holdCall", method, method+".r *receiver"),
				at(1, of[payload](), "main.holdCall", method, method+".r *receiver", "main.receiver.p *payload"),
				at(1, array[*payload](3), "main.holdCall", method, method+".s []*payload"),
				at(3, of[payload](), "main.holdCall", method, method+".s []*payload", "[]*main.payload[elem]"),
				at(2, of[payload](), "main.holdCall", "main.holdCall.(temporary) [2]*payload"),
				at(1, of[pair](), "main.holdCall", method, method+result),
				at(1, of[payload](), "main.holdCall", method, method+result, "main.pair.a *payload"),
			}
		},
	},
	{
		name:  "struct on the stack",
		roots: stack("main.holdBox"),
		build: func() { start(1, holdBox) },
		want: func() []ref {
			return []ref{
				at(1, of[payload](), "main.holdBox", "main.holdBox.box pair", "main.pair.a *payload"),
				at(1, noscan(48), "main.holdBox", "main.holdBox.box pair", "main.pair.b *[48]uint8"),
			}
		},
	},
	{
		name:  "struct without a name on the stack",
		roots: stack("main.holdUnnamed"),
		build: func() { start(1, holdUnnamed) },
		want: func() []ref {
			box := "main.holdUnnamed.box"
			path := "main.holdUnnamed > " + box + " struct { inner pair; many [2]*payload } > "
			return []ref{
				at(1, of[payload](), path+box+".inner.a *payload"),
				at(1, noscan(48), path+box+".inner.b *[48]uint8"),
				at(2, of[payload](), path+box+".many *payload"),
			}
		},
	},
	{
		name:  "variable that was moved to the heap",
		roots: stack("main.holdMoved"),
		build: func() { start(1, holdMoved) },
		want: func() []ref {
			moved := "main.holdMoved.moved *pair"
			return []ref{
				at(1, of[pair](), "main.holdMoved", moved),
				at(1, of[payload](), "main.holdMoved", moved, "main.pair.a *payload"),
				at(1, noscan(48), "main.holdMoved", moved, "main.pair.b *[48]uint8"),
			}
		},
	},
	{
		name:  "recursive function",
		roots: stack("main.holdThrice"),
		build: func() { start(1, holdThrice) },
		want: func() []ref {
			path := []string{"main.holdThrice"}
			var refs []ref
			for range 3 {
				path = append(path, "main.holdRecursive")
				refs = append(refs, at(1, of[payload](), append(path[:len(path):len(path)], "main.holdRecursive.p *payload")...))
			}
			return refs
		},
	},
	{
		name:  "generic function",
		roots: stack("main.holdGeneric[main.payload]"),
		build: func() { start(1, holdGeneric[payload]) },
		want: func() []ref {
			generic := "main.holdGeneric[go.shape.[20]uint64]"
			return []ref{typeArg(1, of[payload](), "main.holdGeneric[main.payload] > "+generic+" > "+generic+".v ", "*payload")}
		},
	},
	{
		name:  "generic function inlined in another of the same shape",
		roots: stack("main.holdMixed[main.payload]"),
		build: func() { start(1, holdMixed[payload]) },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			v, u := got.last("main.holdMixed[go.shape.[20]uint64].v *payload"), total{}
			for _, typ := range []string{"*counts", "*[20]uint64", "(unknown)"} {
				t := got.last(".u " + typ)
				u.add(t.objects, t.bytes)
			}
			if v != (total{1, of[payload]()}) && !relocated() || u != (total{1, of[counts]()}) {
				return fmt.Errorf("want one object of v and one of u: %v", got)
			}
			return nil
		},
	},
	{
		name:  "range over a function",
		roots: stack("main.holdRange"),
		build: func() { start(1, holdRange) },
		want: func() []ref {
			body := "main.holdRange > main.sequence.func1 > main.holdRange-range1 > main.holdRange-range1."
			return []ref{
				at(1, of[payload](), body+"outer *payload"),
				at(1, of[payload](), body+"inner *payload"),
				some("main.holdRange > main.holdRange.(temporary) *int"), // the state of the loop
			}
		},
	},
	{
		name:  "parameter of a goroutine",
		roots: append(stack("main.startParameter.gowrap1"), stack("main.holdParameter")...),
		build: startParameter,
		want:  func() []ref { return nil },
	},
}
