// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Server serves net/http/pprof on a free port of 127.0.0.1, and prints its
// address. Its argument is the name of a mode. In mode leak, each request for the
// profile growth leaves sessions, goroutines and a mapping behind, so that time
// does not matter.
package main

import (
	"bytes"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
)

type session struct {
	name string
	page []byte
}

var sessions = make(map[int]*session)

// open keeps a session.
func open() {
	sessions[len(sessions)] = &session{fmt.Sprint("session ", len(sessions)), bytes.Repeat([]byte("x"), 16<<10)}
}

// forget leaves a goroutine that nothing wakes up.
func forget() {
	c := make(chan int)
	go func() { <-c }()
}

func leak() {
	for range 128 {
		open()
	}
	for range 5 {
		forget()
	}
	load()
}

func main() {
	runtime.MemProfileRate = 4 << 10 // enough samples for the lines that a test expects
	m := modes[os.Args[1]]
	m.start()
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/debug/pprof/growth" {
			m.request()
		}
		pprof.Index(w, r)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", handler)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	log.Fatal(http.Serve(l, mux))
}
