// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of functions: closures and method values.

package main

import (
	"io"
	"reflect"
)

var (
	closure      func() int
	counter      func() int
	chained      func() int
	callbacks    []func() int
	noCapture    func() int
	methodValue  func() int
	boundMethod  func([]byte) (int, error)
	genericBound func() *payload
	genericFunc  func() *payload
)

//go:noinline
func capture(p *payload, n int) func() int { return func() int { return int(p[n]) } }

// countFrom returns a closure that captures a variable that countFrom declares,
// and its parameter.
//
//go:noinline
func countFrom(p *payload) func() int {
	n := [4]uint64{}
	return func() int { n[0]++; return int(n[0] + p[0]) }
}

//go:noinline
func after(f func() int) func() int { return func() int { return f() + 1 } }

// A cell has a method whose code depends on the type argument, and holder
// returns a closure whose code does.
type cell[T any] struct{ value T }

func (c *cell[T]) get() T { return c.value }

//go:noinline
func holder[T any](v *T) func() *T {
	return func() *T { return v }
}

// relocated reports whether the program is at another address than the one that
// the linker gave it.
func relocated() bool { return reflect.ValueOf(park).Pointer() >= 1<<30 }

// typeArg expects objects at a variable whose type depends on a type argument.
// The recorder learns the type argument from the dictionary, but not in
// position-independent programs.
func typeArg(objects int, each int64, path, typ string) ref {
	if !relocated() {
		return either(objects, each, path+typ)
	}
	return either(objects, each, path+typ, path+"*[20]uint64", path+"(unknown)")
}

// Names of captured variables that several shapes have.
const (
	capturedPayload = "main.capture.func1.p *payload"
	reportReceiver  = "main.(*reader).report-fm.(receiver) *reader"
)

var funcShapes = []shape{
	{
		name:  "closure",
		roots: []variable{global("main.closure", &closure)},
		build: func() { closure = capture(new(payload), 4) },
		want: func() []ref {
			return []ref{
				count(1, "main.closure"),
				at(1, of[payload](), "main.closure", capturedPayload),
			}
		},
	},
	{
		name:  "method value",
		roots: []variable{global("main.methodValue", &methodValue)},
		build: func() { methodValue = (&reader{data: make([]byte, 100)}).report },
		want: func() []ref {
			return []ref{
				count(1, "main.methodValue"),
				at(1, of[reader](), "main.methodValue", reportReceiver),
				at(1, noscan(100), "main.methodValue", reportReceiver, "main.reader.data []uint8"),
			}
		},
	},
	{
		name:  "closure with a variable of its own",
		roots: []variable{global("main.counter", &counter)},
		build: func() { counter = countFrom(new(payload)) },
		want: func() []ref {
			return []ref{
				count(1, "main.counter"),
				at(1, of[payload](), "main.counter", "main.countFrom.func1.p *payload"),
				at(1, noscan(32), "main.counter", "main.countFrom.func1.n *[4]uint64"),
			}
		},
	},
	{
		name:  "closure with a closure",
		roots: []variable{global("main.chained", &chained)},
		build: func() { chained = after(capture(new(payload), 6)) },
		want: func() []ref {
			return []ref{
				count(1, "main.chained"),
				at(1, scan(3*pointerBytes), "main.chained", "main.after.func1.f func(main.capture.func1)"),
				at(1, of[payload](), "main.chained", "main.after.func1.f func(main.capture.func1)", capturedPayload),
			}
		},
	},
	{
		name:  "slice of functions",
		roots: []variable{global("main.callbacks", &callbacks)},
		build: func() {
			for i := range 16 {
				callbacks = append(callbacks[:i:i], capture(new(payload), i))
			}
		},
		want: func() []ref {
			elem := "[]func() int[elem](main.capture.func1)"
			return []ref{
				count(1, "main.callbacks"),
				count(16, "main.callbacks", elem),
				at(16, of[payload](), "main.callbacks", elem, capturedPayload),
			}
		},
	},
	{
		name:  "function that is no closure",
		roots: []variable{global("main.noCapture", &noCapture)},
		build: func() { noCapture = func() int { return 1 } },
		want:  nothing,
	},
	{
		name:  "method value of an interface",
		roots: []variable{global("main.boundMethod", &boundMethod)},
		build: func() {
			var r io.Reader = &reader{data: make([]byte, 100)}
			boundMethod = r.Read
		},
		want: func() []ref {
			return []ref{
				count(1, "main.boundMethod"),
				at(1, of[reader](), "main.boundMethod", "io.Reader.Read-fm.(receiver) Reader(*main.reader)"),
				at(1, noscan(100), "main.boundMethod", "io.Reader.Read-fm.(receiver) Reader(*main.reader)", "main.reader.data []uint8"),
			}
		},
	},
	{
		name:  "method value of a generic type",
		roots: []variable{global("main.genericBound", &genericBound)},
		build: func() { genericBound = (&cell[*payload]{new(payload)}).get },
		want: func() []ref {
			receiver := "main.(*cell[*main.payload]).get-fm.(receiver) *cell[*payload]"
			return []ref{
				count(1, "main.genericBound"),
				at(1, of[cell[*payload]](), "main.genericBound", receiver),
				at(1, of[payload](), "main.genericBound", receiver, "main.cell[*main.payload].value *payload"),
			}
		},
	},
	{
		name:  "closure of a generic function",
		roots: []variable{global("main.genericFunc", &genericFunc)},
		build: func() { genericFunc = holder(new(payload)) },
		want: func() []ref {
			return []ref{
				count(1, "main.genericFunc"),
				typeArg(1, of[payload](), "main.genericFunc > main.holder[go.shape.[20]uint64].func1.v ", "*payload"),
			}
		},
	},
}
