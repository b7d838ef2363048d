// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"runtime"
	"strings"
)

// leak answers requests, which takes memory that is soon garbage, and keeps a
// visit for each request forever. Between the two profiles, it leaks 200,000
// visits, which take 70 MB. At the default runtime.MemProfileRate, about 134 of
// them would be sampled, which are too few to distinguish 70 MB from 60 MB.
func leak(r recorder) error {
	runtime.MemProfileRate = 64 << 10
	var s service
	s.requests(20_000)
	runtime.GC()
	if err := r.save("base.", "heap", "memory", "growth"); err != nil {
		return err
	}
	s.requests(200_000)
	runtime.GC()
	err := r.save("", "heap", "memory", "growth")
	runtime.KeepAlive(&s)
	return err
}

// A service answers requests.
type service struct {
	seen  map[string]*visit
	bytes int
}

// A visit is a service's knowledge of a visitor.
type visit struct {
	agent   [32]byte
	history [40]int
}

func (s *service) requests(n int) {
	for range n {
		name := fmt.Sprintf("visitor number %d", len(s.seen))
		s.remember(name)
		s.bytes += len(render(parse(name)))
	}
}

// remember keeps visits that somebody should have deleted.
//
//go:noinline
func (s *service) remember(name string) {
	if s.seen == nil {
		s.seen = make(map[string]*visit)
	}
	s.seen[name] = newVisit()
}

//go:noinline
func newVisit() *visit { return new(visit) }

//go:noinline
func parse(name string) []string { return strings.Fields(strings.Repeat(name+" ", 50)) }

//go:noinline
func render(words []string) string { return strings.Join(words, "<br>") }
