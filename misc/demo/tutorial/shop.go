// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// A listener hears of prices.
type listener interface{ notify(event string) }

// A board has those who listen to prices.
type board struct {
	mu        sync.Mutex
	listeners map[int]listener
}

var prices = board{listeners: make(map[int]listener)}

func (b *board) listen(id int, l listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners[id] = l
}

// A session is open while its visitor hears of prices.
type session struct {
	name string
	out  *bufio.Writer
	open bool
}

func openSession(id int, to io.Writer) *session {
	s := &session{name: fmt.Sprintf("session number %d", id), out: bufio.NewWriter(to), open: true}
	prices.listen(id, s)
	return s
}

func (s *session) notify(event string) {
	if s.open {
		fmt.Fprintf(s.out, "%s: %s\n", s.name, event)
	}
}

// close ends a session. It should also take the session off the board.
func (s *session) close() error {
	s.open = false
	return s.out.Flush()
}

func visit(w http.ResponseWriter, r *http.Request) {
	s := openSession(number(r, "id"), w)
	s.notify("welcome")
	if err := s.close(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// A cache has rendered invoices.
type cache struct {
	mu    sync.Mutex
	texts map[int][]byte
}

var invoices = cache{texts: make(map[int][]byte)}

func (c *cache) get(id int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.texts[id]
	if !ok {
		text = render(id)
		c.texts[id] = text // keeps the whole buffer, and not a copy of the text
	}
	return text
}

// render makes room for the longest possible invoice. All invoices of the shop have three lines.
func render(id int) []byte {
	var b bytes.Buffer
	b.Grow(256 << 10)
	fmt.Fprintf(&b, "Invoice %d\n", id)
	for i := range 2 {
		fmt.Fprintf(&b, "article %d\n", (id+i)%500)
	}
	return b.Bytes()
}

func invoice(w http.ResponseWriter, r *http.Request) { w.Write(invoices.get(number(r, "id"))) }

func preview(w http.ResponseWriter, r *http.Request) { w.Write(render(number(r, "id"))) }

// A filter says which prices somebody wants to hear of: not(not(price)).
type filter struct {
	op    string
	inner *filter
}

func parse(text string) *filter {
	f := &filter{op: text}
	if op, rest, ok := strings.Cut(text, "("); ok {
		f.op, f.inner = op, parse(strings.TrimSuffix(rest, ")"))
	}
	return f
}

// wait waits for the end of the request, because no price ever comes.
func (f *filter) wait(ctx context.Context) byte {
	var scratch [2048]byte
	if f.inner == nil {
		<-ctx.Done()
		return scratch[0]
	}
	return f.inner.wait(ctx) + scratch[len(f.op)]
}

func watch(w http.ResponseWriter, r *http.Request) {
	f := parse(r.FormValue("filter"))
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	f.wait(r.Context())
}

// report keeps its rows, 256 MiB, in memory, and answers with their number.
func report(w http.ResponseWriter, r *http.Request) {
	rows := reportRows(256 << 10)
	fmt.Fprintln(w, len(rows), "rows")
}

func reportRows(n int) (rows [][]byte) {
	for i := 0; i < n && !overLimit(); i++ {
		rows = append(rows, fmt.Appendf(make([]byte, 0, 1024), "row %d", i))
	}
	return rows
}

func search(w http.ResponseWriter, r *http.Request) {
	x, err := openIndex()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	x.lower()
	fmt.Fprintln(w, x.find(r.FormValue("q")), "found")
}

// number returns a parameter of a request, or 0.
func number(r *http.Request, name string) int {
	n, _ := strconv.Atoi(r.FormValue(name))
	return n
}
