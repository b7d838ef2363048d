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

// A slowClient does not read the response before it is released.
type slowClient struct {
	http.ResponseWriter
	release chan bool
}

func (c slowClient) Write(p []byte) (int, error) {
	<-c.release
	return len(p), nil
}

// TestRequestsWait records references while other requests wait, for the second
// profile of a difference or for their clients. What they hold is at the path of
// requests.
func TestRequestsWait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan bool)
	urls := []string{"refs?seconds=3600", "inuse?seconds=3600", "refs", "refs?top=3", "inuse?debug=1", "inuse?labels=none&debug=1"}
	ended := make(chan bool)
	for _, url := range urls {
		r := httptest.NewRequestWithContext(ctx, "GET", "/debug/pprof/"+url, nil)
		go func() {
			Index(slowClient{httptest.NewRecorder(), release}, r)
			ended <- true
		}()
	}
	defer func() {
		cancel()
		close(release)
		for range urls {
			<-ended
		}
	}()
	awaitWaiting(t, len(urls))
	var text strings.Builder
	if err := pprof.Lookup("refs").WriteTo(&text, 1); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "pprof.handler.ServeHTTP") || !strings.Contains(text.String(), " (this request)\n") {
		t.Errorf("the requests are not one path:\n%s", text.String())
	}
}

// awaitWaiting waits until n requests wait for time or for clients.
func awaitWaiting(t *testing.T, n int) {
	t.Helper()
	waiting, stacks := 0, make([]byte, 1<<20)
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(10 * time.Millisecond) {
		waiting = 0
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, ".slowClient.Write(") || strings.Contains(stack, " [select") && strings.Contains(stack, ".serveDeltaProfile(") {
				waiting++
			}
		}
		if waiting == n {
			return
		}
	}
	t.Fatalf("%d requests wait, want %d", waiting, n)
}
