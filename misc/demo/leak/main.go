// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Leak is a program with a memory leak, for examples in doc/tutorial.md and
// doc/reference. It opens and closes a hundred sessions per second. Each session
// listens to the events of a bus, and does not stop listening when it is closed.
//
// It serves net/http/pprof on the address that is its argument. It logs when it
// begins, and when it ends after ten minutes.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"
)

type listener interface{ notify(event string) }

// A bus sends events to its listeners.
type bus struct{ listeners map[int]listener }

var events = bus{listeners: make(map[int]listener)}

func (b *bus) listen(id int, l listener) { b.listeners[id] = l }

// A session writes the events that come while it is open.
type session struct {
	name string
	out  *bufio.Writer
	open bool
}

func openSession(id int, to io.Writer) *session {
	s := &session{name: fmt.Sprintf("session number %d", id), out: bufio.NewWriter(to), open: true}
	events.listen(id, s)
	return s
}

func (s *session) notify(event string) {
	if s.open {
		fmt.Fprintf(s.out, "%s: %s\n", s.name, event)
	}
}

func (s *session) close() error {
	s.open = false
	return s.out.Flush()
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("leak: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: leak 127.0.0.1:6060")
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(http.Serve(listener, nil)) }()
	if err := run(listener.Addr().String(), 10*time.Minute); err != nil {
		log.Fatal(err)
	}
}

// run opens and closes sessions for a time, and logs the beginning and the end.
func run(address string, limit time.Duration) error {
	log.Printf("opening and closing 100 sessions a second for %v, or until interrupted", limit)
	log.Printf("profiles are at http://%s/debug/pprof/", address)
	opened := 0
	for begin := time.Now(); time.Since(begin) < limit; opened++ {
		s := openSession(opened, io.Discard)
		s.notify("begin")
		if err := s.close(); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	log.Printf("ended after %v: %d sessions were opened and closed, and the bus has %d listeners", limit, opened, len(events.listeners))
	return nil
}
