// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Etcdload puts load on an etcd server on this machine, for servers.bash. It
// has twenty clients that watch keys, put 200,000 keys, and then continue to
// put and get keys. It prints "load is on" when the server has the keys, and
// ends after two minutes.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	clients      = 20
	watches      = 10  // per client
	transactions = 500 // per client
	puts         = 20  // per transaction
	valueBytes   = 200
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("etcdload: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: etcdload 127.0.0.1:2379")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, endpoint string) error {
	var all []*clientv3.Client
	for range clients {
		c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 10 * time.Second})
		if err != nil {
			return err
		}
		defer c.Close()
		watch(ctx, c)
		all = append(all, c)
	}
	if err := fill(ctx, all); err != nil {
		return err
	}
	fmt.Printf("load is on: %d clients with %d watches each, %d keys\n", clients, watches, clients*transactions*puts)
	return use(ctx, all)
}

// watch makes the server send changes to c, which ignores them.
func watch(ctx context.Context, c *clientv3.Client) {
	for i := range watches {
		changes := c.Watch(ctx, fmt.Sprintf("key/%d/", i), clientv3.WithPrefix())
		go func() {
			for range changes {
			}
		}()
	}
}

// fill puts all keys. All clients put theirs at the same time.
func fill(ctx context.Context, all []*clientv3.Client) error {
	var wait sync.WaitGroup
	failed := make([]error, len(all))
	for i, c := range all {
		wait.Go(func() {
			for t := 0; t < transactions && failed[i] == nil; t++ {
				_, failed[i] = c.Txn(ctx).Then(transaction(i, t)...).Commit()
			}
		})
	}
	wait.Wait()
	return errors.Join(failed...)
}

func transaction(client, number int) (ops []clientv3.Op) {
	value := strings.Repeat("x", valueBytes)
	for i := range puts {
		key := fmt.Sprintf("key/%d/%d", rand.IntN(1000), (client*transactions+number)*puts+i)
		ops = append(ops, clientv3.OpPut(key, value))
	}
	return ops
}

// use puts and gets keys until the time is over.
func use(ctx context.Context, all []*clientv3.Client) error {
	for i := 0; ; i++ {
		c := all[i%len(all)]
		_, err := c.Put(ctx, fmt.Sprintf("key/%d/%d", rand.IntN(1000), rand.IntN(1000)), "y")
		if err == nil {
			_, err = c.Get(ctx, fmt.Sprintf("key/%d/", rand.IntN(1000)), clientv3.WithPrefix())
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
