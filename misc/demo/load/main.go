// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Load puts load on a NATS server on this machine, for demo.bash,
// demo/servers.bash and demo/parca/parca.bash: many connections, each with
// subscriptions of its own, and a memory stream that keeps the latest of the
// messages that are sent to the connections. It prints "load is on" when these
// exist and the server has received the first messages. It ends after a given
// time, when it has sent all its messages, or on a signal.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/url"
	"os/signal"
	"syscall"
	"time"
)

const (
	connections   = 500
	subscriptions = 20 // of each connection
	messageBytes  = 1024
	messageRate   = 5000   // per second
	firstMessages = 10_000 // before the load counts as on
	maxMessages   = 200_000
	streamBytes   = 64 << 20
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("load: ")
	server := flag.String("server", "", "`URL` of a NATS server on a loopback address")
	limit := flag.Duration("time", time.Minute, "stop after this time")
	flag.Parse()
	if *server == "" || flag.NArg() > 0 {
		log.Fatal("usage: load -server nats://127.0.0.1:4222 [-time 1m]")
	}
	if err := checkLoopback(*server); err != nil {
		log.Fatal(err)
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	if err := run(ctx, *server); err != nil {
		log.Fatal(err)
	}
}

// checkLoopback prevents load on servers of other machines.
func checkLoopback(server string) error {
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%s: the host must be a loopback address, such as 127.0.0.1", server)
	}
	return nil
}

func run(ctx context.Context, server string) error {
	clients, err := connect(server, connections)
	if err != nil {
		return err
	}
	defer clients.close()
	if err := clients.subscribe(subscriptions); err != nil {
		return err
	}
	sender, err := newSender(server)
	if err != nil {
		return err
	}
	defer sender.conn.Close()

	if err := sender.send(ctx, firstMessages); err != nil {
		return err
	}
	fmt.Printf("load is on: %d connections with %d subscriptions each, %d messages a second of %d bytes\n",
		connections, subscriptions, messageRate, messageBytes)
	err = sender.send(ctx, maxMessages-firstMessages)
	fmt.Printf("load is off: %d messages sent, %d received\n", sender.sent, clients.received.Load())
	return err
}
