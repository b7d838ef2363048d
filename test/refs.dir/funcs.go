// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of functions: closures and method values.

package main

import (
	"fmt"
	"io"
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

// countFrom returns a closure with a variable of its own, and what it was given.
//
//go:noinline
func countFrom(p *payload) func() int {
	n := [4]uint64{}
	return func() int { n[0]++; return int(n[0] + p[0]) }
}

//go:noinline
func after(f func() int) func() int { return func() int { return f() + 1 } }

// A cell has a method, and holder a closure, whose code depends on the type argument.
type cell[T any] struct{ value T }

func (c *cell[T]) get() T { return c.value }

//go:noinline
func holder[T any](v *T) func() *T {
	return func() *T { return v }
}

// holdsClosure checks that a variable has a closure that captured objects of some
// bytes in all. How the compiler calls the closures of generic code, and what
// these captured beside, is its business.
func holdsClosure(name string, captured func() int64) func(paths, *profile) error {
	return func(got paths, _ *profile) error {
		closure := got[name]
		delete(got, name)
		if closure.objects != 1 || got.sum().bytes != captured() || got.last(".(slot)") != got.sum() {
			return fmt.Errorf("%d objects, want a closure, and below it %d bytes, want %d: %v", closure.objects, got.sum().bytes, captured(), got)
		}
		return nil
	}
}

var funcShapes = []shape{
	{
		name:  "closure",
		roots: []variable{global("main.closure", &closure)},
		build: func() { closure = capture(new(payload), 4) },
		want: func() []ref {
			return []ref{
				count(1, "main.closure"),
				at(1, of[payload](), "main.closure", "main.capture.func1.(slot)"),
			}
		},
	},
	{
		name:  "method value",
		roots: []variable{global("main.methodValue", &methodValue)},
		build: func() { methodValue = (&reader{data: make([]byte, 100)}).report },
		want: func() []ref {
			receiver := "main.(*reader).report-fm.(slot)"
			return []ref{
				count(1, "main.methodValue"),
				{[]string{"main.methodValue > " + receiver}, total{2, of[reader]() + noscan(100)}},
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
				{[]string{"main.counter > main.countFrom.func1.(slot)"}, total{2, of[payload]() + noscan(32)}},
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
				{[]string{"main.chained > main.after.func1.(slot)"}, total{2, of[payload]() + scan(3*pointerBytes)}},
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
				at(16, of[payload](), "main.callbacks", elem, "main.capture.func1.(slot)"),
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
				{[]string{"main.boundMethod > io.Reader.Read-fm.(slot)"}, total{2, of[reader]() + noscan(100)}},
			}
		},
	},
	{
		name:  "method value of a generic type",
		roots: []variable{global("main.genericBound", &genericBound)},
		build: func() { genericBound = (&cell[*payload]{new(payload)}).get },
		want:  nothing,
		check: holdsClosure("main.genericBound", func() int64 { return of[cell[*payload]]() + of[payload]() }),
	},
	{
		name:  "closure of a generic function",
		roots: []variable{global("main.genericFunc", &genericFunc)},
		build: func() { genericFunc = holder(new(payload)) },
		want:  nothing,
		check: holdsClosure("main.genericFunc", of[payload]),
	},
}
