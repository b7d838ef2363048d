// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heaptest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/heaptest"
)

// In a test file, the body of this function literal would be the body of a
// test.
func ExampleWatch() {
	_ = func(t *testing.T) {
		handler := http.FileServer(http.Dir(t.TempDir()))
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		heaptest.Watch(t, handler, server)
		if _, err := server.Client().Get(server.URL); err != nil {
			t.Error(err)
		}
	}
}

func ExampleOnlyHeldBy() {
	_ = func(t *testing.T) {
		heaptest.OnlyHeldBy(t, "cache.entry", "example.com/cache.Cache")
	}
}

func ExampleMaxRetained() {
	_ = func(t *testing.T) {
		heaptest.MaxRetained(t, "example.com/cache.shared", 10<<20)
	}
}
