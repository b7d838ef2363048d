// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

// Tutorial is the server of doc/tutorial.md: a shop whose memory grows, for more than one
// reason.
//
//	shop ADDRESS
//	shop -limit BYTES ADDRESS
//	shop -load ADDRESS
//
// The first command serves the shop and net/http/pprof on ADDRESS. The second
// also limits the memory that a request allocates, unless the request is for
// metrics or profiles. The third puts load on a shop. It returns when it has
// sent the first requests, which are the same each time. It leaves a process
// behind that sends some fifty requests a second until the shop is gone.
//
//go:debug memprofilelabels=1
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
	"runtime/memscope"
	"runtime/metrics"
	"runtime/pprof"

	"gorefs/misc/demo/scopes/limit"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("shop: ")
	load := flag.Bool("load", false, "put load on the shop at ADDRESS")
	goOn := flag.Bool("go-on", false, "do not return when the load is on")
	bytes := flag.Int64("limit", 0, "limit what a request allocates to `BYTES`")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: shop [-load] [-limit BYTES] ADDRESS")
	}
	var err error
	switch address := flag.Arg(0); {
	case *load && *goOn:
		err = putLoad(address, os.Stdout)
	case *load:
		err = startLoad(address, os.Stdout)
	default:
		err = serve(address, *bytes)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func serve(address string, bytes int64) error {
	// Profiles are compared with doc/tutorial.md. With more samples, they
	// depend less on chance.
	runtime.MemProfileRate = 64 << 10
	if err := writeIndex(); err != nil {
		return err
	}
	handlers := map[string]http.HandlerFunc{
		"/visit":   visit,
		"/invoice": invoice,
		"/preview": preview,
		"/watch":   watch,
		"/report":  report,
		"/search":  search,
	}
	for path, handler := range handlers {
		h := labelled(path, handler)
		if bytes > 0 {
			h = limit.Handler(h, memscope.Limits{Name: path, Bytes: bytes})
		}
		http.Handle(path, h)
	}
	http.HandleFunc("/metrics", printMetrics)
	return http.ListenAndServe(address, nil)
}

// overLimit reports whether the request has allocated more than its limit.
func overLimit() bool { return memscope.Err() != nil }

// labelled returns a handler that calls h while the goroutine has the label
// handler=path.
func labelled(path string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pprof.Do(r.Context(), pprof.Labels("handler", path), func(ctx context.Context) {
			h.ServeHTTP(w, r.WithContext(ctx))
		})
	})
}

// printMetrics answers with metrics of the program's memory.
func printMetrics(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{
		"/memory/classes/total:bytes",
		"/memory/classes/heap/released:bytes",
		"/memory/classes/heap/objects:bytes",
		"/memory/classes/heap/free:bytes",
		"/memory/classes/heap/stacks:bytes",
		"/gc/heap/live:bytes",
		"/memory/peak:bytes",
	} {
		s := []metrics.Sample{{Name: name}}
		metrics.Read(s)
		fmt.Fprintf(w, "%-36s %5d MiB\n", name, s[0].Value.Uint64()>>20)
	}
}
