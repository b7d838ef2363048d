// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file runs all commands and pages on snapshots with any content. Go's
// fuzzer cannot guess checksums, counts and deflated data. Therefore repair
// gives the bytes right ones, so that damage reaches what is behind them. If a
// header has a length that is larger than that in the file, repair repeats the
// payload that often and deflates it, which makes bombs.

package main

import (
	"bytes"
	"compress/flate"
	"debug/heapgraph"
	"encoding/binary"
	"hash/crc32"
	format "internal/heapgraph"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"
)

// payloadLimit is the number of bytes of all payloads that repair makes.
const payloadLimit = 16 << 20

// repair returns a file of the sections of b, and the bytes of its payloads.
func repair(b []byte) (file []byte, inflated int) {
	file = []byte(format.Magic)
	var counts [format.KindGoroutines + 1]uint64
	sections := uint64(0)
	node := uint64(0)
	add := func(k format.Kind, payload []byte, times int) {
		times = max(1, min(times, (payloadLimit-inflated)/max(1, len(payload)), format.MaxPayload/max(1, len(payload))))
		payload = bytes.Repeat(payload, times)
		inflated += len(payload)
		file = appendSection(file, k, payload, times > 1)
		sections++
		if int(k) < len(counts) {
			counts[k] += records(k, payload, &node)
		}
	}
	b = b[min(len(b), len(format.Magic)):]
	for first := true; len(b) >= 13 && format.Kind(b[0]) != format.KindEnd; first = false {
		k := format.Kind(b[0])
		if int(k) >= len(counts) {
			k = k%format.KindGoroutines + 1
		}
		length, stored := binary.LittleEndian.Uint32(b[1:]), binary.LittleEndian.Uint32(b[5:])
		n := int(min(stored, uint32(len(b)-13), format.MaxPayload))
		if first && k != format.KindMeta {
			add(format.KindMeta, []byte("\x0cpointer.size\x018"), 1)
		}
		add(k, b[13:13+n], int(length)/max(1, n))
		b = b[13+n:]
	}
	end := binary.AppendUvarint(nil, sections)
	for _, n := range counts[1:] {
		end = binary.AppendUvarint(end, n)
	}
	return appendSection(file, format.KindEnd, end, false), inflated
}

// appendSection appends a section.
func appendSection(file []byte, k format.Kind, payload []byte, deflate bool) []byte {
	stored := payload
	if deflate {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, 1)
		w.Write(payload)
		w.Close()
		if b.Len() < len(payload) {
			stored = b.Bytes()
		}
	}
	h := []byte{byte(k)}
	h = binary.LittleEndian.AppendUint32(h, uint32(len(payload)))
	h = binary.LittleEndian.AppendUint32(h, uint32(len(stored)))
	table := crc32.MakeTable(crc32.Castagnoli)
	h = binary.LittleEndian.AppendUint32(h, crc32.Update(crc32.Checksum(h, table), table, stored))
	return append(append(file, h...), stored...)
}

// records returns the number of records of a payload. node is the number of
// nodes before.
func records(k format.Kind, payload []byte, node *uint64) uint64 {
	file := appendSection([]byte(format.Magic), format.KindMeta, nil, false)
	file = appendSection(file, k, payload, false)
	end := append([]byte{2}, make([]byte, format.KindGoroutines)...)
	file = appendSection(file, format.KindEnd, end, false)
	f, err := format.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return 0
	}
	d, err := new(format.Loader).Load(f, 1)
	if err != nil {
		return 0
	}
	var pairs [256]format.Pair
	for d.More() {
		switch k {
		case format.KindMeta:
			d.Meta()
		case format.KindStrings:
			_ = d.String()
		case format.KindTypes:
			d.Type()
		case format.KindNodes:
			*node++
			d.Node(*node)
		case format.KindSpans:
			d.Span()
		case format.KindRefs, format.KindClaims:
			d.Pairs(pairs[:])
		case format.KindRootRefs:
			d.RootRef()
		case format.KindSpecials, format.KindOwners:
			d.Special()
		case format.KindGoroutines:
			d.Goroutine()
		}
	}
	return d.Records()
}

// allocated returns the number of bytes that the process has allocated.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// fuzzCommands are the commands that FuzzCommands runs, without the name of the
// snapshot, which is their last argument.
var fuzzCommands = [][]string{
	{"top", "-n=0"}, {"top", "-n=0", "-by=root"}, {"top", "-n=0", "-by=package"}, {"top", "-n=0", "-by=path"},
	{"suspects"}, {"suspects", "-byfunc"}, {"tree", "-depth=0", "-share=0"},
	{"retained", "-n=0", "...."}, {"retained", "app.Session", ".*"},
	{"export", "-o=-", "pprof"}, {"export", "-o=-", "heapsnapshot"},
}

// FuzzCommands runs commands and makes pages. They may fail, but must not take
// much more memory than the payloads.
func FuzzCommands(f *testing.F) {
	old := (&server{sessions: 20, goroutines: 3, labels: true}).encode(f)
	f.Add(plain(f, old))
	f.Add(plain(f, list(f, 30)))
	f.Add(plain(f, mixed(f, 30)))
	f.Add(plain(f, old)[:len(old)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		b, inflated := repair(b)
		name := filepath.Join(t.TempDir(), "graph")
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		oldName := filepath.Join(t.TempDir(), "old")
		if err := os.WriteFile(oldName, old, 0o666); err != nil {
			t.Fatal(err)
		}
		before := allocated()
		fuzzRun(t, name, oldName)
		const few, many = 2 << 30, 4000
		if n := allocated() - before; n > few+many*uint64(inflated) {
			t.Errorf("%d bytes were allocated for payloads of %d bytes", n, inflated)
		}
	})
}

// fuzzRun runs the commands and makes the pages.
func fuzzRun(t *testing.T, name, oldName string) {
	task := newTask(io.Discard, io.Discard)
	x, err := task.loadSite([]string{name, oldName})
	if err != nil {
		return
	}
	quiet := func(args ...string) { run(args, io.Discard, io.Discard) }
	for _, args := range fuzzCommands {
		quiet(append(args[:len(args):len(args)], name)...)
	}
	quiet("diff", "-n=0", oldName, name)
	quiet("diff", "-n=0", name, oldName)
	quiet("why", name, ".")
	quiet("object", "-n=0", name, ".")
	urls := []string{"/", "/retained?set=....", "/retained?set=app.Session&set=x", "/flame?q=a", "/tree", "/tree/rows?node=1&level=1000", "/types", "/types?by=path&q=a", "/types?by=package",
		"/vertices?node=1", "/diff", "/diff?by=path", "/search?q=a", "/object?root=0", "/object?root=1"}
	from, to := x.s.Objects()
	if from < to {
		m := x.s.matches(from, to, x.s.Type, func(string) bool { return true })
		for _, v := range []heapgraph.Vertex{from, m.largest, to - 1} {
			q := url.Values{"address": {x.s.address(v)}}.Encode()
			urls = append(urls, "/object?"+q, "/paths?"+q, "/references?way=in&"+q, "/references?way=out&"+q, "/vertices?"+q)
		}
	}
	h := x.handler()
	for _, u := range urls {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+u, nil))
		if w.Code >= 500 {
			t.Errorf("%s: status %d", u, w.Code)
		}
	}
}

// plain returns a file whose payloads are not deflated.
func plain(t testing.TB, b []byte) []byte {
	f, err := format.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	file := []byte(format.Magic)
	at := len(format.Magic)
	for _, s := range f.Sections {
		stored := int(binary.LittleEndian.Uint32(b[at+5:]))
		payload := b[at+13 : at+13+stored]
		if stored != int(s.Length) {
			if payload, err = io.ReadAll(flate.NewReader(bytes.NewReader(payload))); err != nil {
				t.Fatal(err)
			}
		}
		file = appendSection(file, s.Kind, payload, false)
		at += 13 + stored
	}
	return append(file, b[at:]...)
}
