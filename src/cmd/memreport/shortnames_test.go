// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestShortNames(t *testing.T) {
	for line, want := range map[string]string{
		"github.com/nats-io/nats-server/v2/server.Server.gacc *Account":                "server.Server.gacc *Account",
		"go.etcd.io/bbolt.(*DB).mmap bbolt@v1.4.0/db.go:12":                            "bbolt.(*DB).mmap bbolt@v1.4.0/db.go:12",
		"allocated by example.com/a/b.F yaml.v3/decode.go:4":                           "allocated by b.F yaml.v3/decode.go:4",
		"gopkg.in/yaml%2ev3.types > map[string]*gopkg.in/yaml%2ev3.T[value]":           "yaml%2ev3.types > map[string]*yaml%2ev3.T[value]",
		"github.com/a/b/v2.(*T).m > func(github.com/a/b/v2.key) *github.com/a/c.value": "b/v2.(*T).m > func(b/v2.key) *c.value",
		"a.example/x.List[a.example/y.T,a.example/z.U].head *node[a.example/y.T]":      "x.List[y.T,z.U].head *node[y.T]",
		"net/http.(*conn).serve http/server.go:2197":                                   "net/http.(*conn).serve http/server.go:2197",
		"main.openSession tutorial/shop.go:46":                                         "main.openSession tutorial/shop.go:46",
		"internal/trace.all > shop/index.index.load":                                   "internal/trace.all > shop/index.index.load",
		"2.0 MB came in 0.3 s; 1.5 of 2.0 MB":                                          "2.0 MB came in 0.3 s; 1.5 of 2.0 MB",
	} {
		if got := shortNames(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
