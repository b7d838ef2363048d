// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the pages of a heap graph beside the report. Go tool heapgraph
// makes them, in a process of its own, when one is first asked for. They are
// passed on, because that tool refuses links from pages of another port.

package main

import (
	"bufio"
	"bytes"
	"cmd/internal/memsite"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
)

// graphMenu has the pages of go tool heapgraph -report.
var graphMenu = []memsite.MenuItem{
	{Path: memsite.BelowReport, Name: "Suspects"},
	{Path: "/flame", Name: "Flame graph"},
	{Path: "/tree", Name: "Dominator tree"},
	{Path: "/types", Name: "Types"},
	{Path: "/retained", Name: "Sets"},
}

// graphPages are the pages of the heap graph in a file.
type graphPages struct {
	file string

	mu    sync.Mutex
	proxy http.Handler // nil if the tool does not run
	stdin io.Closer    // ends the tool, as the end of this process does
}

// ServeHTTP passes a request to the tool. A request that comes while the tool
// starts waits.
func (g *graphPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	var err error
	if g.proxy == nil {
		err = g.start()
	}
	proxy := g.proxy
	g.mu.Unlock()
	if err != nil {
		http.Error(w, printable(err.Error()), http.StatusInternalServerError)
		return
	}
	proxy.ServeHTTP(w, r)
}

// start starts the tool.
func (g *graphPages) start() error {
	command := exec.Command(goCommand(), "tool", "heapgraph", "-report", "-http=localhost:0", "-no_browser", g.file)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	at := strings.LastIndex(line, " on http://")
	if at < 0 {
		stdin.Close()
		err := command.Wait()
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return fmt.Errorf("go tool heapgraph: %s", cmp.Or(lines[len(lines)-1], fmt.Sprint(err)))
	}
	u, err := url.Parse(strings.TrimSpace(line[at+len(" on "):]))
	if err != nil {
		stdin.Close()
		return err
	}
	go func() {
		command.Wait()
		g.mu.Lock()
		g.proxy = nil
		g.mu.Unlock()
	}()
	g.stdin = stdin
	g.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			r.Out.Header.Del("Origin") // the guard of this server has compared it
		},
		ModifyResponse: func(r *http.Response) error {
			memsite.RemovePolicies(r.Header) // this server adds its own
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			http.Error(w, "go tool heapgraph does not answer: "+printable(err.Error()), http.StatusBadGateway)
		},
	}
	return nil
}

// close ends the tool.
func (g *graphPages) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stdin != nil {
		g.stdin.Close()
	}
}
