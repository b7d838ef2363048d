// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file starts the server whose pages show a snapshot in a browser.

package main

import (
	"cmd/internal/memsite"
	"errors"
	"flag"
	"io"
	"os"
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
		fs.BoolVar(&c.report, "report", false, "serve the pages to go tool memreport, until standard input ends")
		fs.BoolVar(&c.noBrowser, "no_browser", false, "do not open a browser")
		return c.run
	},
}

// An httpServer has the flags of the command.
type httpServer struct {
	addr      string
	noBrowser bool
	report    bool
}

func (c *httpServer) run(t *task, args []string) error {
	if c.addr == "" {
		return usageError("there is neither a command nor an address such as -http=localhost:8080")
	}
	l, err := memsite.Listen(c.addr)
	if errors.As(err, new(memsite.AddressError)) {
		return usageError("-http: " + err.Error())
	} else if err != nil {
		return err
	}
	defer l.Close()
	x, err := t.loadSite(args)
	if err != nil {
		return err
	}
	t.printf("Serving %s on %s\n", x.s.name, l.URL)
	if err := t.out.Flush(); err != nil {
		return err
	}
	if x.report = c.report; x.report {
		go endWith(l, os.Stdin)
	}
	go x.warmUp()
	return l.Serve(x.handler(), !c.noBrowser)
}

// endWith closes l when r ends, which is when go tool memreport does.
func endWith(l io.Closer, r io.Reader) {
	io.Copy(io.Discard, r)
	l.Close()
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
