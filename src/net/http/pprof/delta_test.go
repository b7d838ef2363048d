// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// TestDeltaWaits records references while other requests wait between the two
// profiles of a difference. What these requests hold is at the path of requests.
func TestDeltaWaits(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(Index))
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, page := range []string{"refs", "inuse"} {
		r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/debug/pprof/"+page+"?seconds=3600", nil)
		if err != nil {
			t.Fatal(err)
		}
		go http.DefaultClient.Do(r)
	}
	awaitGoroutines(t, 2)
	var text strings.Builder
	if err := pprof.Lookup("refs").WriteTo(&text, 1); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "serveDeltaProfile") || !strings.Contains(text.String(), " (this request)\n") {
		t.Errorf("the requests are not one path:\n%s", text.String())
	}
	cancel()
	awaitGoroutines(t, 0)
}

// awaitGoroutines waits until n goroutines wait between two profiles.
func awaitGoroutines(t *testing.T, n int) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for range 1000 {
		waiting := 0
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, " [select") && strings.Contains(stack, ".serveDeltaProfile(") {
				waiting++
			}
		}
		if waiting == n {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("there are not %d goroutines that wait", n)
}
