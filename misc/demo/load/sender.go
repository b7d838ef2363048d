// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A sender publishes to the clients' subjects. A stream in the server's memory
// keeps the latest messages, up to streamBytes.
type sender struct {
	conn *nats.Conn
	sent int
}

func newSender(server string) (*sender, error) {
	conn, err := nats.Connect(server, nats.Name("sender"), nats.NoReconnect())
	if err != nil {
		return nil, err
	}
	if err := makeStream(conn); err != nil {
		conn.Close()
		return nil, fmt.Errorf("making the stream: %w", err)
	}
	return &sender{conn: conn}, nil
}

func makeStream(conn *nats.Conn) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name:     "DEMO",
		Subjects: []string{"demo.>"},
		Storage:  jetstream.MemoryStorage,
		MaxBytes: streamBytes,
	})
	return err
}

// send sends n messages at messageRate, or fewer if ctx ends earlier.
func (s *sender) send(ctx context.Context, n int) error {
	const batches = 100 // per second
	tick := time.NewTicker(time.Second / batches)
	defer tick.Stop()
	for n > 0 {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		batch := min(n, messageRate/batches)
		if err := s.sendBatch(batch); err != nil {
			return err
		}
		n -= batch
	}
	return nil
}

func (s *sender) sendBatch(n int) error {
	message := make([]byte, messageBytes)
	for range n {
		to := subject(rand.IntN(connections), rand.IntN(subscriptions))
		if err := s.conn.Publish(to, message); err != nil {
			return err
		}
	}
	s.sent += n
	if err := s.conn.FlushTimeout(10 * time.Second); err != nil {
		return errors.Join(errors.New("the server does not keep up"), err)
	}
	return nil
}
