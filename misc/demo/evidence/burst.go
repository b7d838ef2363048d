// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"slices"
	"sync"
)

var burst = flag.String("burst", "", "after a second, allocate in this `way` until the process is killed: inflate, readall, buffer, append, make, pieces64, pieces1, or late")

// bursts has the ways of one request to take more memory than there is.
var bursts = map[string]func(){
	// A small body inflates to gigabytes.
	"inflate": func() {
		z, err := gzip.NewReader(bytes.NewReader(deflated()))
		if err != nil {
			panic(err)
		}
		kept, _ = io.ReadAll(z)
	},
	"readall": func() { kept, _ = io.ReadAll(endless{}) },
	"buffer": func() {
		var b bytes.Buffer
		b.ReadFrom(endless{})
		kept = b.Bytes()
	},
	"append": func() {
		for {
			kept = append(kept, "some more of it "...)
		}
	},
	"make": func() {
		kept = make([]byte, 8<<30)
		fill(kept)
	},
	"pieces64": func() { pieces(64 << 20) },
	"pieces1": func() {
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { pieces(1 << 20) })
		}
		all.Wait()
	},
	// Memory is allocated first, and written to later.
	"late": func() {
		var all [][]byte
		for range 128 {
			all = append(all, make([]byte, 64<<20))
		}
		for _, b := range all {
			fill(b)
		}
	},
}

var kept []byte

// upload serves the request that takes too much memory.
//
//go:noinline
func upload(way string) { bursts[way]() }

// pieces allocates pieces of the given size, and keeps them.
func pieces(size int) {
	var all [][]byte
	for {
		b := make([]byte, size)
		fill(b)
		all = append(all, b)
	}
}

// fill writes to each page of b.
func fill(b []byte) {
	for page := range slices.Chunk(b, 4096) {
		page[0] = 1
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	fill(b)
	return len(b), nil
}

// deflated returns a body that inflates to 2 GiB.
func deflated() []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	block := make([]byte, 1<<20)
	for range 2 << 10 {
		z.Write(block)
	}
	z.Close()
	return b.Bytes()
}
