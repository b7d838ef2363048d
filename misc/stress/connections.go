// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker uses connections through the network poller, with deadlines that
// pass.

package main

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"time"
)

func connect(r *rand.Rand) func() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go func() {
		for {
			c, err := l.Accept()
			check(err)
			go func() {
				defer c.Close()
				io.Copy(c, c) // until the other side closes
			}()
		}
	}()
	return func() {
		c, err := net.Dial("tcp", l.Addr().String())
		check(err)
		defer c.Close()
		for range 1 + r.IntN(5) {
			n := newNode(r)
			_, err := c.Write(n.text)
			check(err)
			_, err = io.ReadFull(c, make([]byte, len(n.text)))
			check(err)
			n.alive()
		}
		check(c.SetReadDeadline(time.Now().Add(time.Millisecond)))
		_, err = c.Read(make([]byte, 1))
		must(errors.Is(err, os.ErrDeadlineExceeded), "read: %v", err)
	}
}
