// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// answers counts the answers to requests of one kind.
type answers struct {
	mu     sync.Mutex
	status map[string]int
	times  []time.Duration // of the answers with status 200
}

func load(address, duration string) error {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	var requests sync.WaitGroup
	send := func(path string, every time.Duration) *answers {
		a := &answers{status: make(map[string]int)}
		requests.Go(func() {
			for start := time.Now(); time.Since(start) < d; time.Sleep(every) {
				requests.Go(func() { a.add(client, "http://"+address+path) })
			}
		})
		return a
	}
	smalls, bigs := send("/small", 2*time.Millisecond), send("/big", 100*time.Millisecond)
	requests.Wait()
	smalls.print("small")
	bigs.print("big")
	return nil
}

// add sends a request and adds its answer.
func (a *answers) add(client *http.Client, url string) {
	start := time.Now()
	status := "no answer"
	if r, err := client.Get(url); err == nil {
		_, err = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if err == nil {
			status = r.Status
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status[status]++
	if status == "200 OK" {
		a.times = append(a.times, time.Since(start))
	}
}

func (a *answers) print(kind string) {
	slices.Sort(a.times)
	fmt.Printf("%-6s %v", kind, a.status)
	if n := len(a.times); n > 0 {
		fmt.Printf(", median %v, 99%% in %v", a.times[n/2].Round(100*time.Microsecond), a.times[n*99/100].Round(100*time.Microsecond))
	}
	fmt.Println()
}
