// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Large writes a snapshot of five million objects to a file. One of them has
// 2.5 million references, and another one has as many references to it.
package main

import (
	"log"
	"os"
	"runtime/pprof"
)

type config struct{ limit, timeout int }

type session struct {
	conf *config
	buf  *[32]byte
	next *session
}

var (
	sessions []*session
	byID     = make(map[int]*session)
)

func main() {
	conf := new(config)
	var last *session
	for i := range 2500000 {
		if i%1000 == 0 {
			last = nil
		}
		last = &session{conf, new([32]byte), last}
		sessions = append(sessions, last)
		if i < 300000 {
			byID[i] = last
		}
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if _, err := (&pprof.HeapGraph{MemoryLimit: 1 << 30}).Write(f); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
