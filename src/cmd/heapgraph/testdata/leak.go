// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Leak forgets to remove sessions from a registry. It writes a snapshot to the
// file that its argument names.
package main

import (
	"log"
	"os"
	"runtime"
	"runtime/pprof"
)

type session struct {
	id  int
	buf []byte
}

type registry struct{ sessions map[int]*session }

var open = &registry{sessions: make(map[int]*session)}

// cache is large, but not a leak.
var cache [][]byte

func main() {
	for i := range 8000 {
		open.sessions[i] = &session{i, make([]byte, 4096)}
	}
	for range 100 {
		cache = append(cache, make([]byte, 1<<14))
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if _, err := new(pprof.HeapGraph).Write(f); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	runtime.KeepAlive(open)
}
