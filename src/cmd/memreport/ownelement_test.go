// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestIsOwnElement(t *testing.T) {
	for name, want := range map[string]bool{
		"main.items":     true,
		"main.app.pages": true,
		"main.app.pages *cache.LRU[string,*main.page]": true,
		"main.(*app).serve":                            true,
		"example.com/leaks/load.client":                true,
		"cache.LRU.items map[string]*list.List":        true,
		"gopkg.in/yaml%2ev3.types":                     true,

		"net/http.defaultServeMux":                              false,
		"net/http.ServeMux.tree.emptyChild":                     false,
		"container/list.Element.Value interface {}(*main.page)": false,
		"runtime.main":                     false,
		"(stack)":                          false,
		"(timer) main.expire":              false,
		"(argument) *main.handle":          false,
		"map[string]*main.page[value]":     false,
		"map[main.key]struct { x int }[a]": false,
		"[]*main.page[elem]":               false,
		"*main.page":                       false,
		"chan *main.page[elem]":            false,
		"func(main.a) main.b":              false,
		"":                                 false,
	} {
		if got := isOwnElement(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestHolderName(t *testing.T) {
	f := &facts{Dependencies: set("github.com/a/mux gopkg.in/log%2ev2")}
	for path, want := range map[string]string{
		"net/http.defaultServeMux > net/http.ServeMux.tree > main.app.pages *cache.LRU[string,*main.page] > cache.LRU.items map[string]int": "main.app.pages",
		"net/http.defaultServeMux > net/http.ServeMux.tree":                                   "net/http.defaultServeMux",
		"main.items > map[int]*main.item[value]":                                              "main.items",
		"example.com/a.items > main.items":                                                    "example.com/a.items",
		"net/http.defaultServeMux > github.com/a/mux.Router.routes []*Route > main.app.pages": "main.app.pages",
		"net/http.defaultServeMux > github.com/a/mux.Router.routes []*Route":                  "net/http.defaultServeMux",
		"gopkg.in/log%2ev2.global > example.com/app/cache.LRU.items":                          "example.com/app/cache.LRU.items",
		"(stack) > runtime.main > main.main > main.main.all []uint8":                          "main.main",
		"(stack) > runtime.main > main.main > net/http.ListenAndServe > net/http.(*Server).Serve.s *Server > main.app.serve-fm.(receiver) *app > main.app.users map[int]*user > map[int]*main.user[value]": "main.app.users",
		"(stack) > net/http.(*conn).serve > main.(*app).serve > main.app.serve.a *app > main.app.users map[int]*user > map[int]*main.user[value]":                                                          "main.app.users",
		"(stack) > net/http.(*conn).serve > main.(*app).serve > bufio.Writer.buf []uint8":                                                                                                                  "main.(*app).serve",
		"(stack) > main.run > main.run.all []uint8":                                "main.run",
		"(finalizer) *main.file > main.file.page []uint8":                          "(finalizer) *main.file",
		"(timer) net/http.goFunc > main.file.page []uint8":                         "(timer) net/http.goFunc",
		"internal/trace.all > sync.Map.m > interface {}(*main.page) > main.page.b": "main.page.b",
	} {
		var g trail
		for _, name := range strings.Split(path, pathSeparator) {
			g = append(g, &element{Name: name})
		}
		if got := f.holderName(g); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
