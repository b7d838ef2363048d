// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Fastcache is a server with fasthttp, for servers.bash. It renders pages,
// keeps the 5,000 that were requested last, and serves its profiles at another
// address.
//
//	fastcache 127.0.0.1:8080 127.0.0.1:6060
package main

import (
	"bytes"
	"container/list"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"sync"

	"github.com/valyala/fasthttp"
)

const (
	pages     = 5000
	pageBytes = 6000
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fastcache: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: fastcache 127.0.0.1:8080 127.0.0.1:6060")
	}
	go func() { log.Fatal(http.ListenAndServe(os.Args[2], nil)) }()
	c := &cache{byPath: make(map[string]*list.Element)}
	for i := range pages {
		c.page(fmt.Sprintf("/page/%d", i))
	}
	log.Fatal(fasthttp.ListenAndServe(os.Args[1], c.serve))
}

// A cache has the latest pages.
type cache struct {
	mu     sync.Mutex
	byPath map[string]*list.Element // of latest
	latest list.List                // of *page
}

type page struct {
	path string
	text []byte
}

func (c *cache) serve(ctx *fasthttp.RequestCtx) {
	if _, err := ctx.Write(c.page(string(ctx.Path())).text); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
	}
}

// page returns the page of a path. If the cache does not have the page, page
// adds it, and removes the one that was requested longest ago if there are too
// many.
func (c *cache) page(path string) *page {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byPath[path]; ok {
		c.latest.MoveToFront(e)
		return e.Value.(*page)
	}
	p := &page{path, bytes.Repeat([]byte(path), pageBytes/len(path))}
	c.byPath[path] = c.latest.PushFront(p)
	if c.latest.Len() > pages {
		last := c.latest.Back()
		delete(c.byPath, last.Value.(*page).path)
		c.latest.Remove(last)
	}
	return p
}
