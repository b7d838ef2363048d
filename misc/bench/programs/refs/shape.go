// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math/rand/v2"
	"strconv"
)

// A shape makes a heap of about the given number of objects. A global variable
// holds them, as in most programs, or goroutines do. The shape returns the
// number of objects that have pointers.
type shape func(objects int) (pointerful int)

// shapes has the shapes by name: records that refer to each other and have
// fields of many types, as in a server, allocated in the order in which marking
// meets them; the same records in no order, as in a server that has run for
// long; and lists at the ends of a thousand paths. For the shape goroutines,
// the number is that of the goroutines.
var shapes = map[string]shape{
	"records":    makeRecords,
	"shuffled":   makeShuffled,
	"paths":      makePaths,
	"goroutines": makeGoroutines,
}

type record struct {
	id       int
	name     string
	note     *note
	previous *record
	near     []*record
	notes    map[string]*note
	value    any
}

type note struct {
	title string
	text  []byte
}

var records []*record

// makeRecords makes records. Ten records are 73 objects: seven for each record,
// and three for the map that the first record has. Four of the seven and all of
// the three have pointers.
func makeRecords(objects int) int {
	n := max(objects/73, 1) * 10
	records = make([]*record, 0, n)
	for i := range n {
		records = append(records, makeRecord(i))
	}
	return n*4 + n/10*3 + 1
}

// makeShuffled makes the same records as makeRecords, but in random order, and
// each refers to records at random places.
func makeShuffled(objects int) int {
	pointerful := makeRecords(objects)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	for _, r := range records {
		r.previous = records[random.IntN(len(records))]
		r.near[1] = records[random.IntN(len(records))]
	}
	return pointerful
}

// makeRecord makes a record. Its strings are too long to share a block of
// memory.
func makeRecord(i int) *record {
	name := "record no. " + strconv.Itoa(1_000_000_000+i)
	r := &record{
		id:    i,
		name:  name,
		note:  &note{title: "note of " + name, text: make([]byte, 48)},
		near:  make([]*record, 3),
		value: &note{title: name},
	}
	if i > 0 {
		r.previous = records[i-1]
		r.near[1] = records[i/2]
	}
	if i%10 == 0 {
		r.notes = map[string]*note{"first": r.note, "second": {title: name}}
	}
	return r
}

// A ten has ten references, each of which is a path of its own, so that three
// levels have a thousand paths.
type ten[T any] struct{ a, b, c, d, e, f, g, h, i, j *T }

type link struct {
	next  *link
	value [2]int
}

var paths *ten[ten[ten[link]]]

func makePaths(objects int) int {
	each := max(objects/1000, 1)
	paths = makeTen(func() *ten[ten[link]] {
		return makeTen(func() *ten[link] {
			return makeTen(func() *link { return makeList(each) })
		})
	})
	return 1 + 10 + 100 + 1000*each
}

func makeTen[T any](makeOne func() *T) *ten[T] {
	t := new(ten[T])
	for _, p := range []**T{&t.a, &t.b, &t.c, &t.d, &t.e, &t.f, &t.g, &t.h, &t.i, &t.j} {
		*p = makeOne()
	}
	return t
}

func makeList(n int) (list *link) {
	for range n {
		list = &link{next: list}
	}
	return list
}
