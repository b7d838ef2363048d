// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestStalled checks that responses with heap graphs are ended when the client
// does not read.
func TestStalled(t *testing.T) {
	defer func(d time.Duration) { stalledAfter = d }(stalledAfter)
	stalledAfter = 10 * time.Millisecond
	for _, url := range []string{"heapgraph"} {
		result := make(chan error)
		stalled := serveStalled(t, url, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			Index(endless{w, result}, r)
		}))
		if err := <-result; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the write to a client that does not read ended with the error %v", url, err)
		}
		stalled.Close()
		for {
			w := get(http.HandlerFunc(Index), "/debug/pprof/"+url)
			if w.Code == http.StatusOK {
				break
			}
			if w.Code != http.StatusServiceUnavailable {
				t.Fatalf("%s: status %d: %s", url, w.Code, w.Body)
			}
		}
	}
}

// An endless response is longer than the buffers of a connection: the first
// Write repeats its bytes until an error occurs, which it sends to result.
type endless struct {
	http.ResponseWriter
	result chan<- error
}

func (w endless) Write(p []byte) (int, error) {
	for {
		if n, err := w.ResponseWriter.Write(p); err != nil {
			w.result <- err
			return n, err
		}
	}
}

func (w endless) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serveStalled returns the connection of a client that requests a profile and
// does not read the response.
func serveStalled(t *testing.T, url string, h http.Handler) net.Conn {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "GET /debug/pprof/%s HTTP/1.1\r\nHost: localhost\r\n\r\n", url); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDeadlines checks that each part of a response has a deadline of its own,
// that none remains after the response, and that there is none if the server has
// a WriteTimeout.
func TestDeadlines(t *testing.T) {
	for _, test := range []struct {
		timeout time.Duration
		size    int
		parts   []int
	}{
		{0, 0, nil},
		{0, 1, []int{1}},
		{0, maxPart, []int{maxPart}},
		{0, 2*maxPart + 1, []int{maxPart, maxPart, 1}},
		{time.Hour, 2 * maxPart, []int{2 * maxPart}},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, &http.Server{WriteTimeout: test.timeout}))
		w := deadlineRecorder{ResponseWriter: httptest.NewRecorder()}
		n, err := endIfStalled(&w, r).Write(make([]byte, test.size))
		if n != test.size || err != nil || !slices.Equal(w.parts, test.parts) {
			t.Errorf("%d bytes: wrote %d in parts of %d, error %v", test.size, n, w.parts, err)
		}
		if w.withDeadline != (test.timeout == 0 && test.size > 0) || !w.deadline.IsZero() {
			t.Errorf("%d bytes: with deadlines %v, and with %v afterwards", test.size, w.withDeadline, w.deadline)
		}
	}
}

// TestSlowReader checks how many parts of a response clients get that accept each part
// after some time. The server waits at most five minutes for a part, and for all
// of them at most five minutes longer than they take at 64 KiB a second.
func TestSlowReader(t *testing.T) {
	const second, minute = time.Second, time.Minute
	for _, test := range []struct {
		name   string
		delays []time.Duration // of parts
		parts  int             // that are accepted
	}{
		{"fast", slices.Repeat([]time.Duration{0}, 2000), 2000},
		{"least rate", slices.Repeat([]time.Duration{second}, 2000), 2000},
		{"half the least rate", slices.Repeat([]time.Duration{2 * second}, 2000), 299},
		{"a part every four minutes", slices.Repeat([]time.Duration{4 * minute}, 10), 1},
		{"long pause", append(slices.Repeat([]time.Duration{second}, 2000), 4*minute, second), 2002},
		{"two long pauses", append(slices.Repeat([]time.Duration{second}, 2000), 4*minute, 4*minute), 2001},
		{"too long a pause", append(slices.Repeat([]time.Duration{0}, 2000), 6*minute), 2000},
		{"long pauses of a fast client", append(slices.Repeat([]time.Duration{0}, 2000), 4*minute, 4*minute), 2002},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &delayingClient{ResponseWriter: httptest.NewRecorder(), delays: test.delays}
				w := endIfStalled(client, httptest.NewRequest("GET", "/", nil))
				var err error
				parts := make([]byte, 10*maxPart)
				for i := 0; i < len(test.delays) && err == nil; i += 10 {
					time.Sleep(minute) // what the server takes does not count
					_, err = w.Write(parts[:maxPart*min(10, len(test.delays)-i)])
				}
				if client.parts != test.parts || (err != nil) != (test.parts < len(test.delays)) {
					t.Errorf("%d parts were accepted, want %d; error %v", client.parts, test.parts, err)
				}
			})
		})
	}
}

// A delayingClient accepts a part of the response after a delay.
type delayingClient struct {
	http.ResponseWriter
	delays   []time.Duration
	parts    int
	deadline time.Time
}

func (c *delayingClient) SetWriteDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

func (c *delayingClient) Write(p []byte) (int, error) {
	delay := c.delays[c.parts]
	if left := time.Until(c.deadline); left < delay {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(delay)
	c.parts++
	return len(p), nil
}

// A deadlineRecorder records the sizes of writes, and whether each of them had a
// deadline set after the previous one.
type deadlineRecorder struct {
	http.ResponseWriter
	parts        []int
	withDeadline bool
	deadline     time.Time
	set          bool // a deadline was set after the latest write
}

func (w *deadlineRecorder) SetWriteDeadline(t time.Time) error {
	w.deadline, w.set = t, !t.IsZero()
	return nil
}

func (w *deadlineRecorder) Write(p []byte) (int, error) {
	w.withDeadline = w.set && (len(w.parts) == 0 || w.withDeadline)
	w.parts, w.set = append(w.parts, len(p)), false
	return w.ResponseWriter.Write(p)
}
