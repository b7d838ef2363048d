// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file serves pages at the address of a flag -http.

package memsite

import (
	"cmd/internal/browser"
	"net"
	"net/http"
	"time"
)

// A Listener listens at an address.
type Listener struct {
	net.Listener
	host string
	URL  string
}

// An AddressError is an error in the value of a flag -http.
type AddressError struct{ error }

// Listen listens at the address of a flag -http. Without a host before the
// colon it is on localhost, and without a port after it, at a free one. A
// command listens before it does what takes long, so that an error is reported
// at once.
func Listen(addr string) (*Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, AddressError{err}
	}
	if host == "" {
		host = "localhost"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		l.Close()
		return nil, err
	}
	return &Listener{l, host, "http://" + net.JoinHostPort(host, port)}, nil
}

// Serve serves pages until an error, and opens a browser first if it is to.
func (l *Listener) Serve(pages http.Handler, open bool) error {
	if open {
		go browser.Open(l.URL)
	}
	server := &http.Server{Handler: Guard(l.host, pages), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 2 * MaxURI}
	return server.Serve(l)
}

// BelowReport is the path of the first page of go tool heapgraph that serves its
// pages to go tool memreport, whose own page is at /.
const BelowReport = "/suspects"
