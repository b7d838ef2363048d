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
		"github.com/nats-io/nats.go/jetstream.consumer.msgs":                           "jetstream.consumer.msgs",
		"gopkg.in/DataDog/dd-trace-go.v1/ddtrace/tracer.span":                          "tracer.span",
		"vendor/golang.org/x/net/dns/dnsmessage.(*Parser).x":                           "dnsmessage.(*Parser).x",
		"corp/team.svc/api.T > map[string]*corp/team.svc/api.U[value]":                 "api.T > map[string]*api.U[value]",
		"allocated by example.com/a/b.F blake3@v1.2.3/x.s:12":                          "allocated by b.F blake3@v1.2.3/x.s:12",
		"k8s.io/api/apps/v1beta1.X k8s.io/api/core/v1.Y":                               "apps/v1beta1.X core/v1.Y",
		"example.com/app/log.T.x example.com/app/context.key":                          "example.com/app/log.T.x example.com/app/context.key",
		"2.0 MB came in 0.3 s; 1.5 of 2.0 MB":                                          "2.0 MB came in 0.3 s; 1.5 of 2.0 MB",
	} {
		if got := shortNames(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
