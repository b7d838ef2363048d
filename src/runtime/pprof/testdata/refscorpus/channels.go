// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of channels.

package main

type letter struct {
	to   *payload
	text []byte
}

var (
	pointerChan chan *payload
	wordChan    chan uint64
	structChan  chan letter
	drained     chan *payload
)

var channelShapes = []shape{
	{
		name:  "channel of pointers",
		roots: []variable{global("main.pointerChan", &pointerChan)},
		build: func() {
			pointerChan = make(chan *payload, 10)
			for range 7 {
				pointerChan <- new(payload)
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.pointerChan"),
				at(1, array[*payload](10), "main.pointerChan", "chan *main.payload[buffer]"),
				at(7, of[payload](), "main.pointerChan", "chan *main.payload[elem]"),
			}
		},
	},
	{
		name:  "channel of words",
		roots: []variable{global("main.wordChan", &wordChan)},
		build: func() { wordChan = make(chan uint64, 100) },
		want:  func() []ref { return []ref{count(1, "main.wordChan")} },
	},
	{
		name:  "channel of structs",
		roots: []variable{global("main.structChan", &structChan)},
		build: func() {
			structChan = make(chan letter, 4)
			for range 4 {
				structChan <- letter{new(payload), make([]byte, 60)}
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.structChan"),
				at(1, array[letter](4), "main.structChan", "chan main.letter[buffer]"),
				at(4, of[payload](), "main.structChan", "main.letter.to *payload"),
				at(4, noscan(60), "main.structChan", "main.letter.text []uint8"),
			}
		},
	},
	{
		name:  "channel that was read",
		roots: []variable{global("main.drained", &drained)},
		build: func() {
			drained = make(chan *payload, 4)
			for range 4 {
				drained <- new(payload)
			}
			for range 3 {
				<-drained
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.drained"),
				at(1, array[*payload](4), "main.drained", "chan *main.payload[buffer]"),
				at(1, of[payload](), "main.drained", "chan *main.payload[elem]"),
			}
		},
	},
}
