// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tenants uses libraries in memory scopes. Tenant A is the first to use each of
// them, so that goroutines which the library keeps start in A's scope. After A's
// Run, what tenant B does must not count for A.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/memscope"
	"sync"
	"sync/atomic"

	"github.com/panjf2000/ants/v2"
	"golang.org/x/net/http2"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

const (
	size  = 50_000 // bytes that a piece of work allocates
	times = 100    // that B uses a service
)

// A service is something that tenants share.
type service struct {
	name string
	use  func(ctx context.Context) error
	each int64 // the least that one use counts for its tenant
}

var services = []service{
	{"errgroup", group, 4 * size},
	{"singleflight", flight, size},
	{"grpc-go", check, 2000},
	{"x/net/http2", fetch, 2000},
	{"ants", pooled, 0},
}

var sink atomic.Pointer[[]byte]

func work() {
	b := make([]byte, size)
	sink.Store(&b)
}

func group(ctx context.Context) error {
	g, _ := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for range 4 {
		g.Go(func() error { work(); return nil })
	}
	return g.Wait()
}

var flights singleflight.Group

func flight(context.Context) error {
	_, err, _ := flights.Do("key", func() (any, error) { work(); return nil, nil })
	return err
}

// client starts a server outside of scopes and, where the first use of the
// service is, a client.
var client = sync.OnceValues(func() (grpc_health_v1.HealthClient, error) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return nil, err
	}
	memscope.Detach(context.Background(), func(context.Context) {
		server := grpc.NewServer()
		grpc_health_v1.RegisterHealthServer(server, health.NewServer())
		go server.Serve(l)
	})
	c, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	return grpc_health_v1.NewHealthClient(c), err
})

func check(ctx context.Context) error {
	c, err := client()
	if err != nil {
		return err
	}
	_, err = c.Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return err
}

var server = sync.OnceValue(func() (s *httptest.Server) {
	memscope.Detach(context.Background(), func(context.Context) {
		s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, size)) }))
		s.EnableHTTP2 = true
		s.StartTLS()
	})
	return s
})

var transport = sync.OnceValue(func() *http2.Transport {
	return &http2.Transport{TLSClientConfig: server().Client().Transport.(*http.Transport).TLSClientConfig}
})

func fetch(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, "GET", server().URL, nil)
	if err != nil {
		return err
	}
	answer, err := transport().RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func pooled(context.Context) error {
	var wg sync.WaitGroup
	wg.Add(1)
	err := ants.Submit(func() { work(); wg.Done() })
	wg.Wait()
	return err
}

func main() {
	log.SetFlags(0)
	for _, s := range services {
		if err := s.share(); err != nil {
			log.Fatalf("%s: %v", s.name, err)
		}
	}
}

// share has both tenants use s.
func (s service) share() error {
	var a, b *memscope.Scope
	run := func(name string, times int) (scope *memscope.Scope, err error) {
		err = memscope.Run(context.Background(), memscope.Limits{Name: name, Bytes: 64 << 20}, func(ctx context.Context) error {
			scope = memscope.FromContext(ctx)
			for range times {
				if err := s.use(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		return scope, err
	}
	a, err := run("A", 1)
	if err != nil {
		return err
	}
	once := a.Usage().Bytes
	if b, err = run("B", times); err != nil {
		return err
	}
	more, each := a.Usage().Bytes-once, b.Usage().Bytes/times
	fmt.Printf("%s: A has %d bytes, and then %d more; B has %d a use\n", s.name, once, more, each)
	if more != 0 || each < s.each {
		return fmt.Errorf("want 0 more for A, and at least %d a use for B", s.each)
	}
	return nil
}
