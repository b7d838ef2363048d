// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of interfaces, with values of all kinds.

package main

import "io"

type reader struct {
	r    io.Reader
	data []byte
}

// An interface with a boxed has a pointer to a copy of it. An interface with a
// direct has the direct's only word itself.
type (
	boxed struct {
		p *payload
		n uint64
	}
	direct struct{ p *payload }
)

// The types of the fields of an options do not determine the types of the
// objects to which the fields refer.
type options struct {
	pointer any
	box     any
	word    any
	table   any
	queue   any
	action  any
	action2 func() int
}

var (
	anyPointer  any
	anyBox      any
	anyDirect   any
	anyMapValue any
	anyFunc     any
	oneReader   io.Reader
	anySlice    []any
	oneOptions  *options
)

func (r *reader) Read(p []byte) (int, error) { return copy(p, r.data), nil }

func (r *reader) report() int { return len(r.data) }

var interfaceShapes = []shape{
	{
		name:  "interface with a pointer",
		roots: []variable{global("main.anyPointer", &anyPointer)},
		build: func() { anyPointer = &pair{a: new(payload)} },
		want: func() []ref {
			return []ref{
				at(1, of[pair](), "main.anyPointer"),
				at(1, of[payload](), "main.anyPointer", "main.pair.a *payload"),
			}
		},
	},
	{
		name:  "interface with a struct",
		roots: []variable{global("main.anyBox", &anyBox)},
		build: func() { anyBox = boxed{p: new(payload)} },
		want: func() []ref {
			return []ref{
				at(1, of[boxed](), "main.anyBox"),
				at(1, of[payload](), "main.anyBox", "main.boxed.p *payload"),
			}
		},
	},
	{
		name:  "interface with a struct that is a pointer",
		roots: []variable{global("main.anyDirect", &anyDirect)},
		build: func() { anyDirect = direct{new(payload)} },
		want:  func() []ref { return []ref{at(1, of[payload](), "main.anyDirect")} },
	},
	{
		name:  "interface with a map",
		roots: []variable{global("main.anyMapValue", &anyMapValue)},
		build: func() { anyMapValue = filled(20) },
		want:  mapOf("main.anyMapValue", "map[int]*main.payload", 20),
	},
	{
		name:  "interface with a closure",
		roots: []variable{global("main.anyFunc", &anyFunc)},
		build: func() { anyFunc = capture(new(payload), 1) },
		want: func() []ref {
			return []ref{
				count(1, "main.anyFunc"),
				at(1, of[payload](), "main.anyFunc", capturedPayload),
			}
		},
	},
	{
		name:  "interface with methods",
		roots: []variable{global("main.oneReader", &oneReader)},
		build: func() {
			oneReader = &reader{data: make([]byte, 100)}
			for range 9 {
				oneReader = &reader{oneReader, make([]byte, 100)}
			}
		},
		want: func() []ref {
			next := "main.reader.r io.Reader(*reader)"
			return []ref{
				at(1, of[reader](), "main.oneReader"),
				at(1, noscan(100), "main.oneReader", "main.reader.data []uint8"),
				at(9, of[reader](), "main.oneReader", next),
				at(9, noscan(100), "main.oneReader", next, "main.reader.data []uint8"),
			}
		},
	},
	{
		name:  "slice of interfaces",
		roots: []variable{global("main.anySlice", &anySlice)},
		build: func() {
			anySlice = make([]any, 0, 30)
			for range 10 {
				anySlice = append(anySlice, new(payload), boxed{p: new(payload)}, make([]byte, 200))
			}
		},
		want: func() []ref {
			return []ref{
				at(1, array[any](30), "main.anySlice"),
				at(10, of[payload](), "main.anySlice", "[]interface {}[elem](*main.payload)"),
				at(10, of[boxed](), "main.anySlice", "[]interface {}[elem](main.boxed)"),
				at(10, of[payload](), "main.anySlice", "[]interface {}[elem](main.boxed)", "main.boxed.p *payload"),
				at(10, of[[]byte](), "main.anySlice", "[]interface {}[elem]([]uint8)"),
				at(10, noscan(200), "main.anySlice", "[]interface {}[elem]([]uint8)", "*[]uint8[elem]"),
			}
		},
	},
	{
		name:  "interfaces with values of all kinds",
		roots: []variable{global("main.oneOptions", &oneOptions)},
		build: func() {
			queue := make(chan *payload, 3)
			queue <- new(payload)
			oneOptions = &options{
				pointer: new(payload),
				box:     boxed{p: new(payload)},
				word:    [4]uint64(make([]uint64, 4)),
				table:   filled(3),
				queue:   queue,
				action:  capture(new(payload), 2),
				action2: capture(new(payload), 3),
			}
		},
		want: func() []ref {
			field := func(name, typ, dynamic string) string {
				return "main.options." + name + " " + typ + "(" + dynamic + ")"
			}
			box := field("box", "interface {}", "boxed")
			table := field("table", "interface {}", "map[int]*payload")
			queue := field("queue", "interface {}", "chan *payload")
			action := field("action", "interface {}", "func(main.capture.func1)")
			action2 := field("action2", "func", "main.capture.func1")
			return []ref{
				at(1, of[options](), "main.oneOptions"),
				at(1, of[payload](), "main.oneOptions", field("pointer", "interface {}", "*payload")),
				at(1, of[boxed](), "main.oneOptions", box),
				at(1, of[payload](), "main.oneOptions", box, "main.boxed.p *payload"),
				at(1, of[[4]uint64](), "main.oneOptions", field("word", "interface {}", "[4]uint64")),
				count(1, "main.oneOptions", table),
				count(1, "main.oneOptions", table, "map[int]*main.payload[table]"),
				at(3, of[payload](), "main.oneOptions", table, "map[int]*main.payload[value]"),
				count(1, "main.oneOptions", queue),
				at(1, array[*payload](3), "main.oneOptions", queue, "chan *main.payload[buffer]"),
				at(1, of[payload](), "main.oneOptions", queue, "chan *main.payload[elem]"),
				count(1, "main.oneOptions", action),
				at(1, of[payload](), "main.oneOptions", action, capturedPayload),
				count(1, "main.oneOptions", action2),
				at(1, of[payload](), "main.oneOptions", action2, capturedPayload),
			}
		},
	},
}
