// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of the standard library's types.

package main

import (
	"bufio"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"time"
	"unique"
	"weak"
)

// The types of the example in the documentation of runtime/pprof.
type server struct{ sessions map[string]*session }

type session struct {
	w   io.Writer
	buf []byte
}

type contextKey struct{}

// A pooled object is larger than all the memory that a sync.Pool itself needs.
type pooled [50_000]byte

const pooledObjects = 10

var (
	aServer   server
	aBuilder  strings.Builder
	aList     *list.List
	aValue    context.Context
	aCancel   context.Context
	syncMap   sync.Map
	syncPool  sync.Pool
	handle    unique.Handle[wideKey]
	textName  unique.Handle[string]
	onceValue func() *payload
	strong    *payload
	weakTo    weak.Pointer[payload]
	weakOnly  weak.Pointer[payload]
	aTimer    *time.Timer
	anError   error
)

// last returns the sum of the objects whose path ends with end.
func (p paths) last(end string) (t total) {
	for path, sum := range p {
		if strings.HasSuffix(path, end) {
			t.add(sum.objects, sum.bytes)
		}
	}
	return t
}

func (p paths) sum() total { return p.last("") }

// expect returns an error if got is not n objects of one size.
func expect(what string, got total, n int, each int64) error {
	if got.objects == int64(n) && got.bytes == int64(n)*each {
		return nil
	}
	return fmt.Errorf("%d objects, %d bytes of %s, want %d, %d", got.objects, got.bytes, what, n, int64(n)*each)
}

func nothing() []ref { return nil }

var libraryShapes = []shape{
	{
		name:  "server",
		roots: []variable{global("main.aServer", &aServer)},
		build: func() {
			aServer.sessions = map[string]*session{}
			for i := range 40 {
				aServer.sessions[longText(i)] = &session{bufio.NewWriterSize(io.Discard, 1000), make([]byte, 2000)}
			}
		},
		want: func() []ref {
			sessions := "main.aServer > main.server.sessions map[string]*session"
			value := "map[string]*main.session[value]"
			writer := "main.session.w io.Writer(*bufio.Writer)"
			return []ref{
				count(1, sessions),
				some(sessions, "map[string]*main.session[table]"),
				at(40, noscan(40), sessions, "map[string]*main.session[key]"),
				at(40, of[session](), sessions, value),
				at(40, of[bufio.Writer](), sessions, value, writer),
				at(40, noscan(1000), sessions, value, writer, "bufio.Writer.buf []uint8"),
				at(40, noscan(2000), sessions, value, "main.session.buf []uint8"),
			}
		},
	},
	{
		name:  "strings.Builder",
		roots: []variable{global("main.aBuilder", &aBuilder)},
		build: func() { aBuilder.Grow(5000) },
		want: func() []ref {
			return []ref{at(1, noscan(5000), "main.aBuilder", "strings.Builder.buf []uint8")}
		},
	},
	{
		name:  "container/list",
		roots: []variable{global("main.aList", &aList)},
		build: func() {
			aList = list.New()
			for range 100 {
				aList.PushBack(new(payload))
			}
		},
		want: func() []ref {
			next := "main.aList > container/list.List.root.next *Element"
			prev := "main.aList > container/list.List.root.prev *Element"
			value := " > container/list.Element.Value interface {}(*main.payload)"
			return []ref{
				at(1, of[list.List](), "main.aList"),
				either(100, of[list.Element](), next, prev),
				either(100, of[payload](), next+value, prev+value),
			}
		},
	},
	{
		name:  "context with values",
		roots: []variable{global("main.aValue", &aValue)},
		build: func() {
			aValue = context.Background()
			for range 10 {
				aValue = context.WithValue(aValue, contextKey{}, new(payload))
			}
		},
		want: func() []ref {
			next := "context.valueCtx.Context Context(*valueCtx)"
			value := "context.valueCtx.val interface {}(*main.payload)"
			return []ref{
				count(1, "main.aValue"),
				at(1, of[payload](), "main.aValue", value),
				count(9, "main.aValue", next),
				at(9, of[payload](), "main.aValue", next, value),
			}
		},
	},
	{
		name:  "context with children",
		roots: []variable{global("main.aCancel", &aCancel)},
		build: func() {
			aCancel, _ = context.WithCancel(context.Background())
			for range 10 {
				_, _ = context.WithCancel(aCancel) // only the parent refers to it
			}
		},
		want: func() []ref {
			children := "context.cancelCtx.children map[canceler]struct {}"
			return []ref{
				count(1, "main.aCancel"),
				count(1, "main.aCancel", "context.cancelCtx.done interface {}(chan struct {})"),
				count(1, "main.aCancel", children),
				some("main.aCancel", children, "map[context.canceler]struct {}[table]"),
				count(10, "main.aCancel", children, "map[context.canceler]struct {}[key](*context.cancelCtx)"),
			}
		},
	},
	{
		name:  "sync.Map",
		roots: []variable{global("main.syncMap", &syncMap)},
		build: func() {
			for i := range 1000 {
				syncMap.Store(longText(i), new(payload))
			}
		},
		want: nothing,
		check: func(got paths, _ *profile) error {
			return errors.Join(
				expect("values", got.last(" interface {}(*main.payload)"), 1000, of[payload]()),
				expect("keys", got.last(" interface {}(string)"), 1000, of[string]()),
				expect("strings", got.last(" interface {}(string) > *string[elem]"), 1000, noscan(40)),
			)
		},
	},
	{
		// When a cycle starts, the objects in the pool become its
		// victims, and the victims of the cycle before are dropped.
		name:     "sync.Pool",
		roots:    []variable{global("main.syncPool", &syncPool)},
		loose:    true,
		racy:     true,
		fleeting: true,
		build:    func() {},
		before: func() {
			var all [pooledObjects]*pooled
			for i := range all {
				all[i] = new(pooled)
			}
			for _, p := range all {
				syncPool.Put(p)
			}
		},
		want: nothing,
		check: func(got paths, _ *profile) error {
			if n := got.sum().bytes / of[pooled](); n != pooledObjects {
				return fmt.Errorf("%d objects in the pool, want %d", n, pooledObjects)
			}
			return nil
		},
	},
	{
		name:  "unique.Handle",
		roots: []variable{global("main.handle", &handle)},
		build: func() { handle = unique.Make(wideKey{42}) },
		want: func() []ref {
			return []ref{at(1, of[wideKey](), "main.handle", "unique.Handle[main.wideKey].value *main.wideKey")}
		},
	},
	{
		name:  "unique.Handle of a string",
		roots: []variable{global("main.textName", &textName)},
		build: func() { textName = unique.Make(longText(43)) },
		want: func() []ref {
			value := "unique.Handle[string].value *string"
			return []ref{
				at(1, of[string](), "main.textName", value),
				at(1, noscan(40), "main.textName", value, "*string[elem]"),
			}
		},
	},
	{
		name:  "sync.OnceValue",
		roots: []variable{global("main.onceValue", &onceValue)},
		build: func() { onceValue = sync.OnceValue(func() *payload { return new(payload) }); onceValue() },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			closure := got["main.onceValue"]
			delete(got, "main.onceValue")
			if closure.objects != 1 || got.sum().bytes < of[payload]() {
				return fmt.Errorf("%d objects, want a closure, and below it a state and %d bytes: %v", closure.objects, of[payload](), got)
			}
			return nil
		},
	},
	{
		name:  "weak pointers",
		roots: []variable{global("main.strong", &strong), global("main.weakTo", &weakTo), global("main.weakOnly", &weakOnly)},
		build: func() {
			strong = new(payload)
			weakTo = weak.Make(strong)
			weakOnly = weak.Make(new(payload))
			runtime.GC()
		},
		want: func() []ref {
			return []ref{
				at(1, of[payload](), "main.strong"),
				at(1, noscan(16), "main.weakTo"),
				at(1, noscan(16), "main.weakOnly"),
			}
		},
	},
	{
		name:  "time.Timer",
		roots: []variable{global("main.aTimer", &aTimer)},
		build: func() { aTimer = time.NewTimer(time.Hour) },
		want:  nothing,
		check: func(got paths, _ *profile) error {
			if n := got.sum().objects; n != 3 || got["main.aTimer"].objects != 1 {
				return fmt.Errorf("%d objects of a timer, want 3: itself, its channel and its buffer", n)
			}
			return nil
		},
	},
	{
		name:  "error",
		roots: []variable{global("main.anError", &anError)},
		build: func() {
			anError = &fs.PathError{Op: "open", Path: longText(1), Err: errors.New(longText(2))}
		},
		want: func() []ref {
			next := "io/fs.PathError.Err error(*errors.errorString)"
			return []ref{
				at(1, of[fs.PathError](), "main.anError"),
				at(1, noscan(40), "main.anError", "io/fs.PathError.Path string"),
				at(1, of[string](), "main.anError", next),
				at(1, noscan(40), "main.anError", next, "errors.errorString.s string"),
			}
		},
	},
}
