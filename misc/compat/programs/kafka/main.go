// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Kafka forgets producers, admin clients and messages of librdkafka, a client in
// C, and then does not forget them, and compares the profile cmemory with the C
// library's count. It needs no broker.
package main

/*
#include <malloc.h>
static long inUse(void) { struct mallinfo2 m = mallinfo2(); return m.uordblks + m.hblkhd; }
*/
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	_ "runtime/cgo/mallocprofile"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"
	"github.com/google/pprof/profile"
)

// forgotten has what leaks, because it is in C.
var forgotten []any

// There is nobody at this address.
const broker = "127.0.0.1:1"

func must[T any](v T, err error) T {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return v
}

func newProducer() *kafka.Producer {
	return must(kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": broker, "log_level": 0,
		"message.timeout.ms": 0, "queue.buffering.max.messages": 1_000_000}))
}

func newAdmin() *kafka.AdminClient {
	return must(kafka.NewAdminClient(&kafka.ConfigMap{"bootstrap.servers": broker, "log_level": 0}))
}

//go:noinline
func leakyProducers() {
	for range 20 {
		forgotten = append(forgotten, newProducer())
	}
}

//go:noinline
func closedProducers() {
	for range 20 {
		newProducer().Close()
	}
}

//go:noinline
func leakyAdmins() {
	for range 20 {
		forgotten = append(forgotten, newAdmin())
	}
}

//go:noinline
func closedAdmins() {
	for range 20 {
		newAdmin().Close()
	}
}

func produce(p *kafka.Producer) {
	topic := "orders"
	for i := range 50_000 {
		m := &kafka.Message{
			TopicPartition: kafka.TopicPartition{Topic: &topic, Partition: kafka.PartitionAny},
			Value:          make([]byte, 700+i%600),
			Headers:        []kafka.Header{{Key: "number", Value: fmt.Append(nil, i)}},
		}
		if err := p.Produce(m, nil); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

//go:noinline
func leakyMessages() {
	p := newProducer()
	forgotten = append(forgotten, p)
	produce(p)
}

//go:noinline
func purgedMessages() {
	p := newProducer()
	produce(p)
	go func() {
		for range p.Events() {
		}
	}()
	if err := p.Purge(kafka.PurgeQueue | kafka.PurgeInFlight); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	p.Close()
}

// inUse returns the bytes that C has in use, and those that functions allocated,
// by the profile.
func inUse(function string) (all, named int64) {
	time.Sleep(100 * time.Millisecond) // until the library's threads rest
	var b bytes.Buffer
	if err := pprof.Lookup("cmemory").WriteTo(&b, 0); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, s := range must(profile.Parse(&b)).Sample {
		if slices.ContainsFunc(s.Location, func(l *profile.Location) bool { return l.Line[0].Function.Name == function }) {
			named += s.Value[3]
		}
	}
	return int64(C.inUse()), named
}

func main() {
	runtime.MemProfileRate = 256 // a standard deviation of less than 1% for 5 MB
	closedProducers()            // makes what the library keeps
	failed := false
	for _, test := range []struct {
		name  string
		run   func()
		leaks bool
	}{
		{"main.closedProducers", closedProducers, false},
		{"main.closedAdmins", closedAdmins, false},
		{"main.purgedMessages", purgedMessages, false},
		{"main.leakyProducers", leakyProducers, true},
		{"main.leakyAdmins", leakyAdmins, true},
		{"main.leakyMessages", leakyMessages, true},
	} {
		before, namedBefore := inUse(test.name)
		test.run()
		after, namedAfter := inUse(test.name)
		all, named := after-before, namedAfter-namedBefore
		ok := named < 200_000 // of at least 5 MB
		if test.leaks {
			ok = all > 1_000_000 && max(all, named)-min(all, named) <= all/20
		}
		fmt.Printf("%s: %d bytes, in the profile %d (%+.1f%%), ok: %t\n", test.name, all, named, 100*(float64(named)/float64(all)-1), ok)
		failed = failed || !ok
	}
	if failed {
		os.Exit(1)
	}
}
