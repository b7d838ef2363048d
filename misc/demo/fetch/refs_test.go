// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestRefsTotals(t *testing.T) {
	types := []string{"live_objects", "live_space"}
	comments := []string{"GC cycle 17: 4112 bytes live", "GC cycle 17: memory used for recording: 9 bytes"}
	samples := [][]int64{{1, 16}, {2, 4096}}
	tests := []struct {
		name            string
		comments, types []string
		err             error
	}{
		{"good", comments, types, nil},
		{"no comments", nil, types, errNoRefs},
		{"other comments", comments[1:], types, errNoRefs},
		{"other types", comments, []string{"inuse_objects", "inuse_space"}, errNoRefs},
	}
	for _, test := range tests {
		sum, live, err := refsTotals(writeCommented(t, test.comments, test.types, samples...))
		if !errors.Is(err, test.err) || err == nil && (sum != 4112 || live != 4112) {
			t.Errorf("%s: %d, %d, %v, want 4112, 4112, %v", test.name, sum, live, err, test.err)
		}
	}
	if err := compareRefs(4112, 4112); err != nil {
		t.Error(err)
	}
	if err := compareRefs(4112, 4128); err == nil {
		t.Error("no error for a sum that is not the live heap")
	}
}

// TestFetchRefs fetches the profiles of this process.
func TestFetchRefs(t *testing.T) {
	needToolchain(t)
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	s := source{url: server.URL, dir: t.TempDir()}
	if err := s.fetchRefs(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.file("refs.txt"))
	if err != nil || !strings.HasPrefix(string(text), "refs profile: ") {
		t.Errorf("refs.txt: error %v, begins with %.40q", err, text)
	}
	if _, _, err := refsTotals(s.file("refs-growth.pb.gz")); err != nil {
		t.Errorf("refs-growth.pb.gz: %v", err)
	}
}
