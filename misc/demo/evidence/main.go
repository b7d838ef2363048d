// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Evidence is a server under load, for misc/evidence.bash. It keeps a cache of
// sessions, and each request replaces one of them. With -leak, it also adds
// each session to the listeners of a bus, and never removes one. With -burst, one
// request takes more memory than there is.
//
// It imports net/http/pprof. Therefore GODEBUG=memevidence has an effect.
package main

import (
	"flag"
	"log"
	_ "net/http/pprof"
	"strings"
	"time"
)

var (
	leak     = flag.Bool("leak", false, "leak a session for each request")
	rate     = flag.Int("rate", 2000, "`requests` per second")
	sessions = flag.Int("sessions", 5000, "sessions in the cache")
	size     = flag.Int("size", 8<<10, "size of the buffer of a session, in `bytes`")
	body     = flag.Int("body", 4<<10, "size of the body of a request, in `bytes`")
	limit    = flag.Duration("for", time.Hour, "how long to run")
)

// A session has a buffer and some small objects.
type session struct {
	user   *user
	buffer []byte
}

type user struct {
	name  string
	roles []*string
}

// A bus has the sessions that listen to events.
type bus struct{ listeners map[int]*session }

var (
	events = bus{listeners: make(map[int]*session)}
	cache  []*session
)

// request serves a request: it makes garbage, and a session.
func request(number int) {
	body := strings.Repeat("x", *body)
	s := &session{user: &user{name: strings.Clone(body[:20])}, buffer: make([]byte, *size)}
	for range 4 {
		role := strings.Clone(body[:8])
		s.user.roles = append(s.user.roles, &role)
	}
	copy(s.buffer, body)
	if *leak {
		events.listeners[number] = s
	}
	cache[number%len(cache)] = s
}

func main() {
	flag.Parse()
	cache = make([]*session, *sessions)
	const tick = 10 * time.Millisecond
	number := 0
	if *burst != "" {
		time.AfterFunc(time.Second, func() { upload(*burst) })
	}
	for begin := time.Now(); time.Since(begin) < *limit; time.Sleep(tick) {
		for due := int(time.Since(begin).Seconds() * float64(*rate)); number < due; number++ {
			request(number)
		}
	}
	log.Printf("%d requests in %v", number, *limit)
}
