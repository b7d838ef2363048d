// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of structs and pointers: fields, lists, trees.

package main

import (
	"regexp"
	"strings"

	"refs.corpus/inner"
)

// A payload has no pointers, so paths end at it.
type payload [20]uint64

type pair struct {
	a *payload
	b *[48]byte
}

type node struct {
	next *node
	id   [3]uint64
}

type doubly struct {
	next, prev *doubly
	item       *payload
}

type tree struct {
	left, right *tree
	item        [2]uint64
}

type nested struct {
	name string
	in   struct {
		deep *payload
		more pair
	}
	list [3]pair
}

type embedded struct {
	pair
	*doubly
	id uint64
}

// Types that refer to each other.
type ping struct{ pong *pong }
type pong struct {
	ping *ping
	id   uint64
}

type held struct{ p *payload }

var (
	onePointer  *payload
	oneStruct   nested
	oneEmbedded *embedded
	shortList   *node
	doublyList  *doubly
	ring        *node
	pingPong    *ping
	smallTree   *tree
	pointer     **payload
	static      = &held{}
	oneOfTwo    *payload
	otherOfTwo  *payload
)

// newTree calls itself at one place only, so that all nodes of a depth have the
// same allocation stack. With two calls, each node would have a stack of its
// own.
func newTree(depth int) *tree {
	if depth == 0 {
		return nil
	}
	t := new(tree)
	for _, subtree := range []**tree{&t.left, &t.right} {
		*subtree = newTree(depth - 1)
	}
	return t
}

func newList(n int) (head *node) {
	for range n {
		head = &node{next: head}
	}
	return head
}

var structShapes = []shape{
	{
		name:  "pointer",
		roots: []variable{global("main.onePointer", &onePointer)},
		build: func() { onePointer = new(payload) },
		want:  func() []ref { return []ref{at(1, of[payload](), "main.onePointer")} },
	},
	{
		name:  "pointer to a pointer",
		roots: []variable{global("main.pointer", &pointer)},
		build: func() { pointer = new(*payload); *pointer = new(payload) },
		want: func() []ref {
			return []ref{
				at(1, of[*payload](), "main.pointer"),
				at(1, of[payload](), "main.pointer", "**main.payload[elem]"),
			}
		},
	},
	{
		name:  "struct variable",
		roots: []variable{global("main.oneStruct", &oneStruct)},
		build: func() {
			oneStruct.name = strings.Repeat("n", 30)
			oneStruct.in.deep = new(payload)
			oneStruct.in.more = pair{new(payload), new([48]byte)}
			for i := range oneStruct.list {
				oneStruct.list[i].a = new(payload)
			}
		},
		want: func() []ref {
			return []ref{
				at(1, noscan(30), "main.oneStruct", "main.nested.name string"),
				at(1, of[payload](), "main.oneStruct", "main.nested.in.deep *payload"),
				at(1, of[payload](), "main.oneStruct", "main.nested.in.more.a *payload"),
				at(1, noscan(48), "main.oneStruct", "main.nested.in.more.b *[48]uint8"),
				at(3, of[payload](), "main.oneStruct", "main.nested.list.a *payload"),
			}
		},
	},
	{
		name:  "embedded structs",
		roots: []variable{global("main.oneEmbedded", &oneEmbedded)},
		build: func() {
			oneEmbedded = &embedded{pair{new(payload), nil}, &doubly{item: new(payload)}, 1}
		},
		want: func() []ref {
			return []ref{
				at(1, of[embedded](), "main.oneEmbedded"),
				at(1, of[payload](), "main.oneEmbedded", "main.embedded.pair.a *payload"),
				at(1, of[doubly](), "main.oneEmbedded", "main.embedded.doubly *doubly"),
				at(1, of[payload](), "main.oneEmbedded", "main.embedded.doubly *doubly", "main.doubly.item *payload"),
			}
		},
	},
	{
		name:  "list",
		roots: []variable{global("main.shortList", &shortList)},
		build: func() { shortList = newList(1000) },
		want: func() []ref {
			return []ref{
				at(1, of[node](), "main.shortList"),
				at(999, of[node](), "main.shortList", "main.node.next *node"),
			}
		},
	},
	{
		name:  "doubly linked list",
		roots: []variable{global("main.doublyList", &doublyList)},
		build: func() {
			for range 100 {
				d := &doubly{next: doublyList, item: new(payload)}
				if doublyList != nil {
					doublyList.prev = d
				}
				doublyList = d
			}
		},
		want: func() []ref {
			return []ref{
				at(1, of[doubly](), "main.doublyList"),
				at(1, of[payload](), "main.doublyList", "main.doubly.item *payload"),
				at(99, of[doubly](), "main.doublyList", "main.doubly.next *doubly"),
				at(99, of[payload](), "main.doublyList", "main.doubly.next *doubly", "main.doubly.item *payload"),
			}
		},
	},
	{
		name:  "ring",
		roots: []variable{global("main.ring", &ring)},
		build: func() {
			ring = newList(10)
			last := ring
			for last.next != nil {
				last = last.next
			}
			last.next = ring
		},
		want: func() []ref {
			return []ref{
				at(1, of[node](), "main.ring"),
				at(9, of[node](), "main.ring", "main.node.next *node"),
			}
		},
	},
	{
		name:  "two types in turn",
		roots: []variable{global("main.pingPong", &pingPong)},
		build: func() {
			for range 50 {
				pingPong = &ping{&pong{ping: pingPong}}
			}
		},
		want: func() []ref {
			return []ref{
				at(1, of[ping](), "main.pingPong"),
				at(50, of[pong](), "main.pingPong", "main.ping.pong *pong"),
				at(49, of[ping](), "main.pingPong", "main.ping.pong *pong", "main.pong.ping *ping"),
			}
		},
	},
	{
		name:  "tree",
		roots: []variable{global("main.smallTree", &smallTree)},
		build: func() { smallTree = newTree(10) },
		want: func() []ref {
			return []ref{
				at(1, of[tree](), "main.smallTree"),
				at(511, of[tree](), "main.smallTree", "main.tree.left *tree"),
				at(511, of[tree](), "main.smallTree", "main.tree.right *tree"),
			}
		},
	},
	{
		name:  "static object that a variable points to",
		owns:  regexp.MustCompile(`^main\.static > `),
		build: func() { static.p = new(payload) },
		want: func() []ref {
			return []ref{at(1, of[payload](), "main.static", "main.held.p *payload")}
		},
	},
	{
		name:  "one object, two variables",
		roots: []variable{global("main.oneOfTwo", &oneOfTwo), global("main.otherOfTwo", &otherOfTwo)},
		build: func() { oneOfTwo = new(payload); otherOfTwo = oneOfTwo },
		want: func() []ref {
			return []ref{either(1, of[payload](), "main.oneOfTwo", "main.otherOfTwo")}
		},
	},
	{
		name:  "another package",
		roots: []variable{global("refs.corpus/inner.Head", &inner.Head)},
		build: func() {
			for range 5 {
				inner.Push(500)
			}
		},
		want: func() []ref {
			return []ref{
				at(1, of[inner.Item](), "refs.corpus/inner.Head"),
				at(1, noscan(500), "refs.corpus/inner.Head", "refs.corpus/inner.Item.Data []uint8"),
				at(4, of[inner.Item](), "refs.corpus/inner.Head", "refs.corpus/inner.Item.Next *Item"),
				at(4, noscan(500), "refs.corpus/inner.Head", "refs.corpus/inner.Item.Next *Item", "refs.corpus/inner.Item.Data []uint8"),
			}
		},
	},
}
