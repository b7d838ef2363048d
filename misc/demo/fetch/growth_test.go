// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// TestFetchGrowth fetches the profiles of this process.
func TestFetchGrowth(t *testing.T) {
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	s := source{url: server.URL, dir: t.TempDir()}
	if err := s.fetchGrowth(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"growth.pb.gz", "peak.pb.gz"} {
		if info, err := os.Stat(s.file(name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadyOf(t *testing.T) {
	file := writeProfile(t, []string{"released_space", "resident_space"}, []int64{10, 100}, []int64{5, 0})
	if ready, err := readyOf(file); ready != 85 || err != nil {
		t.Errorf("readyOf = %d, %v, want 85", ready, err)
	}
	file = writeProfile(t, []string{"inuse_space", "alloc_space"}, []int64{10, 100})
	if _, err := readyOf(file); err == nil {
		t.Error("a profile of something else is accepted")
	}
}
