// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file starts the server whose pages show a snapshot in a browser.

package main

import (
	"cmd/internal/browser"
	"flag"
	"net"
	"net/http"
	"time"
)

// httpCommand is run if there are flags in place of a command's name.
var httpCommand = &command{
	name:     "-http=address",
	args:     "snapshot [old]",
	nargs:    1,
	optional: 1,
	short:    "serve pages that explain a snapshot, and open a browser",
	long: `With -http, heapgraph serves pages about a snapshot at an address such as
localhost:8080, prints their URL, and opens it in a browser. The pages have what
the commands print, and the dominator tree as a flame graph. With a second,
older snapshot, they also have the differences. If the address has no host
before the colon, it is on localhost. If it has no port after the colon,
heapgraph takes a free one. -http=: stands for localhost and a free port.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(httpServer)
		fs.StringVar(&c.addr, "http", "", "serve pages at `address`")
		fs.BoolVar(&c.noBrowser, "no_browser", false, "do not open a browser")
		return c.run
	},
}

// An httpServer has the flags of the command.
type httpServer struct {
	addr      string
	noBrowser bool
}

func (c *httpServer) run(t *task, args []string) error {
	host, port, err := net.SplitHostPort(c.addr)
	switch {
	case c.addr == "":
		return usageError("there is neither a command nor an address such as -http=localhost:8080")
	case err != nil:
		return usageError("-http: " + err.Error())
	case host == "":
		host = "localhost"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port)) // before the snapshot is read, which takes long, so that an error is reported at once
	if err != nil {
		return err
	}
	defer l.Close()
	x, err := t.loadSite(args)
	if err != nil {
		return err
	}
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	url := "http://" + net.JoinHostPort(host, port)
	t.printf("Serving %s on %s\n", x.s.name, url)
	if err := t.out.Flush(); err != nil {
		return err
	}
	go x.warmUp()
	if !c.noBrowser {
		go browser.Open(url)
	}
	server := &http.Server{Handler: guard(host, x.handler()), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 2 * maxURI}
	return server.Serve(l)
}

// loadSite reads the snapshots of the arguments.
func (t *task) loadSite(args []string) (*site, error) {
	s, err := t.load(args[0])
	if err != nil {
		return nil, err
	}
	var old *snapshot
	if len(args) > 1 {
		if old, err = t.load(args[1]); err != nil {
			return nil, err
		}
	}
	return newSite(s, old), nil
}
