// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/google/pprof/profile"
)

// scrapes is a proxy that keeps the profiles that pass through it.
type scrapes struct {
	address string
	mu      sync.Mutex
	bodies  map[string][]byte // by name and time in milliseconds
}

func newScrapes(address string) *scrapes {
	return &scrapes{address: address, bodies: make(map[string][]byte)}
}

func (s *scrapes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resp, err := http.Get("http://" + s.address + r.URL.RequestURI())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if p, err := profile.ParseData(body); err == nil {
		s.mu.Lock()
		s.bodies[scrapeKey(path.Base(r.URL.Path), p.TimeNanos/1e6)] = body
		s.mu.Unlock()
	}
	w.WriteHeader(resp.StatusCode)
	w.Write(body)
}

func scrapeKey(name string, millis int64) string { return fmt.Sprint(name, " ", millis) }

// at returns the profile with the given name and time.
func (s *scrapes) at(name string, millis int64) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, ok := s.bodies[scrapeKey(name, millis)]
	return body, ok
}

// stacks returns the values of a profile by stack. Functions are outermost
// first. The name of the sample type is not needed if there is only one.
func stacks(data []byte, sampleType string) (map[string]int64, error) {
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool {
		return t.Type == sampleType || len(p.SampleType) == 1
	})
	if i < 0 {
		return nil, fmt.Errorf("no sample type %q", sampleType)
	}
	all := make(map[string]int64)
	for _, s := range p.Sample {
		var functions []string
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				functions = append(functions, line.Function.Name)
			}
		}
		if s.Value[i] != 0 {
			all[strings.Join(functions, " > ")] += s.Value[i]
		}
	}
	return all, nil
}

// same returns an error unless the stacks are the same, and their sum is the
// value of the series.
func same(have, want map[string]int64, sum int64) error {
	var total int64
	for stack, v := range have {
		total += v
		if want[stack] != v {
			return fmt.Errorf("%s has %d, want %d", stack, v, want[stack])
		}
	}
	if len(have) != len(want) || total != sum || len(want) == 0 {
		return fmt.Errorf("%d stacks and %d, want %d stacks and %d", len(have), total, len(want), sum)
	}
	return nil
}
