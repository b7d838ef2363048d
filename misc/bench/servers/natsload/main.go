// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Natsload runs a NATS server and 50 clients, which publish 100,000 messages in
// all and subscribe to them. It then collects garbage twice, and prints the
// bytes that the buckets of profiles take. doc/bench.md has the difference in
// these bytes between the fork and upstream. To run it:
//
//	go build -o natsload . && ./natsload
package main

import (
	"fmt"
	"log"
	_ "net/http/pprof" // so that the program can request all profiles
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	clients  = 50
	messages = 2000 // that each client publishes
	subjects = 7
)

func main() {
	dir, err := os.MkdirTemp("", "natsload")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := server.NewServer(&server.Options{Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir})
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(10 * time.Second) {
		log.Fatal("the server is not ready")
	}
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { publish(s.ClientURL(), i) })
	}
	wg.Wait()
	runtime.GC()
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/profiling/buckets:bytes"}}
	metrics.Read(sample)
	fmt.Println(sample[0].Value.Uint64())
}

// publish subscribes to a subject, and publishes messages to all subjects. The
// connection stays open.
func publish(url string, client int) {
	c, err := nats.Connect(url)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Subscribe(subject(client), func(*nats.Msg) {}); err != nil {
		log.Fatal(err)
	}
	data := make([]byte, 1000+100*client)
	for i := range messages {
		if err := c.Publish(subject(client+i), data); err != nil {
			log.Fatal(err)
		}
	}
	if err := c.Flush(); err != nil {
		log.Fatal(err)
	}
}

func subject(n int) string { return fmt.Sprintf("subject.%d", n%subjects) }
