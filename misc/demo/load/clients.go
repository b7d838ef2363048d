// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"sync/atomic"

	"github.com/nats-io/nats.go"
)

// clients are connections that receive the messages of their subscriptions.
type clients struct {
	conns    []*nats.Conn
	received atomic.Int64
}

func connect(server string, n int) (*clients, error) {
	c := &clients{}
	for i := range n {
		conn, err := nats.Connect(server, nats.Name(fmt.Sprintf("client %d", i)), nats.NoReconnect())
		if err != nil {
			c.close()
			return nil, fmt.Errorf("connection %d: %w", i, err)
		}
		c.conns = append(c.conns, conn)
	}
	return c, nil
}

// subscribe subscribes each connection to n subjects and waits until the server
// knows them.
func (c *clients) subscribe(n int) error {
	for i, conn := range c.conns {
		for j := range n {
			_, err := conn.Subscribe(subject(i, j), func(*nats.Msg) { c.received.Add(1) })
			if err != nil {
				return err
			}
		}
		if err := conn.Flush(); err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return nil
}

func (c *clients) close() {
	for _, conn := range c.conns {
		conn.Close()
	}
}

func subject(conn, subscription int) string {
	return fmt.Sprintf("demo.%d.%d", conn, subscription)
}
