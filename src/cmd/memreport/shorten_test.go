// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestShorten(t *testing.T) {
	std := func(n int) string { return strings.Repeat("net/http.routingNode.children *net/http.routingNode > ", n) }
	long := strings.Repeat("x", 300)
	words := strings.Repeat("word ", 50)
	for _, test := range []struct{ name, line, want string }{
		{"a path", "most is held by net/http.defaultServeMux > " + std(5) + "main.app.pages > map[string]*T[value]: 26 MB",
			"most is held by net/http.defaultServeMux > " + std(5) + "main.app.pages > map[string]*T[value]: 26 MB"},
		{"a path that is too long", "   net/http.defaultServeMux > " + std(4) + "main.app.pages *cache.LRU > " + std(4) + "cache.LRU.items map[string]*T > map[string]*T[value]",
			"   net/http.defaultServeMux > " + std(4) + "main.app.pages *cache.LRU > net/http.routingNode.children *net/http.routingNode > ... > cache.LRU.items map[string]*T > map[string]*T[value]"},
		{"elements that are too long", "main.a > main.b" + long + " > main.c" + long + " > main.d", "main.a > main.b" + long + " > ... > main.d"},
		{"the last element is too long", "main.a > main.b > main.c x" + long + long, "main.a > main.b > main.c ... " + strings.Repeat("x", 197)},
		{"an error", "not seen: refs: 503 from http://localhost:6060/debug/pprof/: " + words + "busy", "not seen: refs: 503 from http://localhost:6060/debug/pprof/: " + words + "busy"},
		{"a long error", "not seen: refs: " + words + words + "http://localhost:6060/debug/pprof/",
			"not seen: refs: " + strings.TrimSpace(words[:180]) + " ... " + words[:160] + "http://localhost:6060/debug/pprof/"},
		{"one word", long + long, long[:197] + " ... " + long[:197]},
		{"letters of two bytes", "   " + strings.Repeat("ä", 300), "   " + strings.Repeat("ä", 97) + " ... " + strings.Repeat("ä", 98)},
	} {
		if got := shorten(test.line); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestShortenNames keeps the program's own elements, also those whose short names
// may be of the standard library.
func TestShortenNames(t *testing.T) {
	const own = "example.com/app/cache.T.pages []*T"
	std := strings.Repeat("net/http.routingNode.children *net/http.routingNode > ", 6)
	got := shortenNames("net/http.defaultServeMux > " + std + own + " > " + std + "example.com/app/cache.T.body []uint8")
	if len(got) > maxWidth || !strings.Contains(got, " > cache.T.pages []*T > ") || !strings.HasSuffix(got, " > cache.T.body []uint8") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
