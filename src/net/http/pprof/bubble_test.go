// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
)

// TestIntervalBubble makes two requests within the interval, of which one or
// both are in a bubble of testing/synctest, whose clock begins in the year 2000.
func TestIntervalBubble(t *testing.T) {
	for _, in := range [][2]bool{{true, false}, {false, true}, {true, true}} {
		request := func(i int, do func()) {
			if in[i] {
				synctest.Test(t, func(*testing.T) { do() })
			} else {
				do()
			}
		}
		setLimits(t, "interval=1h")
		var times [2]int64
		for i := range in {
			request(i, func() {
				w := get(http.HandlerFunc(Index), "/debug/pprof/refs")
				p, err := profile.Parse(w.Body)
				if err != nil {
					t.Fatal(err)
				}
				times[i] = p.TimeNanos
			})
		}
		if times[0] != times[1] {
			t.Errorf("bubbles %v: recordings at %d and %d are not shared", in, times[0], times[1])
		}
		for i, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
			request(i, func() {
				w := get(http.HandlerFunc(Index), "/debug/pprof/heapgraph")
				retry, _ := strconv.Atoi(w.Header().Get("Retry-After"))
				if w.Code != want || retry > 3600 {
					t.Errorf("bubbles %v: request %d: status %d, Retry-After %d, want status %d", in, i, w.Code, retry, want)
				}
			})
		}
	}
}
