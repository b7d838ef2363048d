// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const (
	connections  = 100
	streams      = 20 // per connection
	messageBytes = 2000
	period       = 4 * time.Second // average time between the messages of a stream
)

func load(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	talks, ctx := errgroup.WithContext(ctx)
	var answered sync.WaitGroup
	for i := range connections {
		client, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return err
		}
		defer client.Close()
		for j := range streams {
			answered.Add(1)
			talks.Go(func() error { return talk(ctx, client, i*streams+j, answered.Done) })
		}
	}
	answered.Wait()
	if ctx.Err() == nil {
		fmt.Printf("load is on: %d connections with %d streams each\n", connections, streams)
	}
	return talks.Wait()
}

// talk sends messages to a room, which n selects. It calls answered after the
// first answer, or after an error.
func talk(ctx context.Context, client *grpc.ClientConn, n int, answered func()) error {
	once := sync.OnceFunc(answered)
	defer once()
	stream, err := client.NewStream(ctx, &join, joinMethod)
	if err != nil {
		return err
	}
	go func() {
		defer once()
		for got := new(message); stream.RecvMsg(got) == nil; {
			once()
		}
	}()
	text := make([]byte, messageBytes)
	text[0] = byte(n)
	for ctx.Err() == nil {
		if err := stream.SendMsg(&message{Value: text}); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(period/2 + rand.N(period)):
		}
	}
	return nil
}
