// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Fetch saves a program's profiles from its net/http/pprof pages: heap,
// goroutine, growth, peak, memory, faults and refs, refs as text, the growth of
// refs in five seconds, and a heap graph. It compares the sums of three profiles
// with the program's own figures: stack_space of the goroutine profile with the
// metric for stack memory, growth with the metrics for all memory and for memory
// returned to the system, and refs with the live heap of the collection that
// recorded it, and prints nothing if they agree. demo.bash calls it while its
// server is under load.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fetch: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: fetch http://127.0.0.1:PORT DIR")
	}
	s := source{url: os.Args[1], dir: os.Args[2]}
	if err := errors.Join(s.fetchStacks(), s.fetchGrowth(), s.fetchRefs()); err != nil {
		log.Fatal(err)
	}
}

// A source is a program with net/http/pprof pages, and the folder in which its
// profiles are saved.
type source struct{ url, dir string }

// fetchStacks saves the heap profile and the goroutine profile, and compares
// the sum of stack_space with the metric for stack memory.
func (s source) fetchStacks() error {
	if err := s.save("heap", "heap.pb.gz"); err != nil {
		return err
	}
	low, high, err := s.saveBetween("goroutine", "goroutine.pb.gz", s.stackMetric)
	if err != nil {
		return err
	}
	space, err := stackSpace(s.file("goroutine.pb.gz"))
	if err != nil {
		return err
	}
	return compareStacks.check(space, low, high)
}

func (s source) file(name string) string {
	return filepath.Join(s.dir, name)
}

func (s source) save(page, name string) error {
	data, err := s.get(page)
	if err != nil {
		return err
	}
	return os.WriteFile(s.file(name), data, 0o666)
}

func (s source) get(page string) (data []byte, err error) {
	client := http.Client{Timeout: 5 * time.Minute}
	resp, err := client.Get(s.url + "/debug/pprof/" + page)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", resp.Request.URL, resp.Status)
	}
	return io.ReadAll(resp.Body)
}
