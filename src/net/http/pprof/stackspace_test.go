// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestDeltaStackSpace checks the difference of two goroutine profiles. It must
// have the stacks of the goroutines that started in between, and the form of a
// profile.
func TestDeltaStackSpace(t *testing.T) {
	const n = 500
	for seconds := 1; ; seconds *= 4 {
		goroutines, allocated := deltaStackSpace(t, seconds, n)
		if goroutines < n && seconds < 30 {
			continue // not all of them started between the two profiles
		}
		if goroutines != n {
			t.Errorf("%d goroutines more in waitForExit, want %d", goroutines, n)
		}
		if allocated < n*1024 {
			t.Errorf("%d bytes more, want at least %d", allocated, n*1024)
		}
		return
	}
}

// deltaStackSpace starts n goroutines during a difference. It returns the
// goroutines and the bytes that the difference has in waitForExit.
func deltaStackSpace(t *testing.T, seconds, n int) (goroutines, allocated int64) {
	exit := make(chan bool)
	var exited sync.WaitGroup
	exited.Add(n)
	defer exited.Wait()
	defer close(exit)
	time.AfterFunc(time.Duration(seconds)*time.Second/4, func() {
		for range n {
			go waitForExit(exit, &exited)
		}
	})
	w := httptest.NewRecorder()
	Handler("goroutine").ServeHTTP(w, httptest.NewRequest("GET", "/debug/pprof/goroutine?seconds="+strconv.Itoa(seconds), nil))
	p, err := profile.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if p.DefaultSampleType != "goroutine" || len(p.SampleType) != 2 {
		t.Fatalf("default sample type %q of %d types", p.DefaultSampleType, len(p.SampleType))
	}
	for _, s := range p.Sample {
		if !hasFunction(s, "net/http/pprof.waitForExit") {
			continue
		}
		goroutines += s.Value[0]
		allocated += s.Value[1]
		if sizes := s.NumLabel["stack_size"]; len(sizes) > 0 && (len(s.NumUnit["stack_size"]) != 1 || s.NumUnit["stack_size"][0] != "bytes") {
			t.Errorf("units of stack_size: %q", s.NumUnit["stack_size"])
		}
	}
	return goroutines, allocated
}

func waitForExit(exit chan bool, exited *sync.WaitGroup) {
	<-exit
	exited.Done()
}

func hasFunction(s *profile.Sample, name string) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function.Name == name {
				return true
			}
		}
	}
	return false
}
