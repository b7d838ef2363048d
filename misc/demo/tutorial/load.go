// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Numbers of the requests that the load sends before it is on.
const (
	previews = 4000
	visits   = 4000
	invoiced = 256
	watchers = 400
	searches = 16
)

// startLoad starts a process that puts load on a shop, and returns when the load is on.
func startLoad(address string, to io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "-load", "-go-on", address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the load ended: %w", err)
	}
	_, err = io.WriteString(to, line)
	return err
}

// A client sends requests to a shop.
type client struct {
	http.Client
	address string
	visits  int // sent
}

// putLoad sends a shop the requests of morning, prints that the load is on, and
// then sends those of goOn until the shop is gone.
func putLoad(address string, to io.Writer) error {
	c := &client{address: address}
	if err := c.awaitShop(); err != nil {
		return err
	}
	if err := c.morning(); err != nil {
		return err
	}
	fmt.Fprintf(to, "load is on: %d visits, %d invoices, %d previews, %d watchers, %d searches, 1 report\n",
		visits, invoiced, previews, watchers, searches)
	for tick, start := int64(0), time.Now(); ; tick++ {
		time.Sleep(time.Until(start.Add(time.Duration(tick) * 20 * time.Millisecond))) // a load that was late sends what is due
		if err := c.goOn(tick); err != nil {
			return nil // the shop is gone
		}
	}
}

// awaitShop waits until the shop answers, for a minute at most.
func (c *client) awaitShop() (err error) {
	for range 600 {
		if err = c.get("/search?q=a"); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

// morning sends the requests after which the load is on. It requests a
// collection after the report, so that memory is at its peak in the report, and
// not in previews that are made while the rows of the report are garbage.
func (c *client) morning() error {
	for id := range invoiced {
		if err := c.get(fmt.Sprintf("/invoice?id=%d", id)); err != nil {
			return err
		}
	}
	for range visits {
		if err := c.visit(); err != nil {
			return err
		}
	}
	for _, path := range []string{"/report", "/debug/pprof/heap?gc=1"} {
		if err := c.get(path); err != nil {
			return err
		}
	}
	for id := range previews {
		if err := c.get(fmt.Sprintf("/preview?id=%d", id)); err != nil {
			return err
		}
	}
	for range watchers {
		if err := c.watch(); err != nil {
			return err
		}
	}
	for range searches - 1 { // awaitShop sent one
		if err := c.get("/search?q=a"); err != nil {
			return err
		}
	}
	return nil
}

// goOn sends the requests of a tick: a visit, and at some ticks another
// request. There are 50 ticks a second.
func (c *client) goOn(tick int64) error {
	if err := c.visit(); err != nil {
		return err
	}
	switch {
	case tick%25 == 0:
		return c.get("/search?q=b")
	case tick%25 == 1:
		return c.get("/preview?id=1")
	}
	return nil
}

func (c *client) visit() error {
	c.visits++
	return c.get(fmt.Sprintf("/visit?id=%d", c.visits))
}

// get sends a request and reads the answer.
func (c *client) get(path string) error {
	r, err := c.Get("http://" + c.address + path)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// watch sends a request that is not answered in full as long as the client is there.
func (c *client) watch() error {
	depth := 11
	_, err := c.Get("http://" + c.address + "/watch?filter=" + strings.Repeat("not(", depth) + "price" + strings.Repeat(")", depth))
	return err
}
