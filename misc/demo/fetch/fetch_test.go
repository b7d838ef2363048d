// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// writeProfile writes a profile with the given sample types, and a sample for
// each of values.
func writeProfile(t *testing.T, types []string, values ...[]int64) string {
	t.Helper()
	return writeCommented(t, nil, types, values...)
}

func writeCommented(t *testing.T, comments, types []string, values ...[]int64) string {
	t.Helper()
	p := &profile.Profile{Comments: comments}
	for _, name := range types {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name})
	}
	for _, v := range values {
		p.Sample = append(p.Sample, &profile.Sample{Value: v})
	}
	file := filepath.Join(t.TempDir(), "profile.pb.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestStackSpace(t *testing.T) {
	file := writeProfile(t, []string{"goroutine", "stack_space"}, []int64{3, 0}, []int64{0, 4096}, []int64{0, 2048})
	if sum, err := stackSpace(file); sum != 6144 || err != nil {
		t.Errorf("stackSpace = %d, %v, want 6144", sum, err)
	}
	file = writeProfile(t, []string{"goroutine"}, []int64{3})
	if _, err := stackSpace(file); !errors.Is(err, errNoStackSpace) {
		t.Errorf("without stack_space: error %v, want %v", err, errNoStackSpace)
	}
	if err := os.WriteFile(file, []byte("no profile"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := stackSpace(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("of a file that is no profile: error %v, want one that names it", err)
	}
}

// TestStackMetric compares stackMetric with the metric of this process.
func TestStackMetric(t *testing.T) {
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	got, err := source{url: server.URL}.stackMetric()
	if err != nil {
		t.Fatal(err)
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	if want := int64(sample[0].Value.Uint64()); got < want/2 || got > want*2 {
		t.Errorf("stackMetric = %d, far from the metric's %d", got, want)
	}
}

func TestStatus(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	s := source{url: server.URL, dir: t.TempDir()}
	for name, fetch := range map[string]func() error{"heap.pb.gz": s.fetchStacks, "refs.pb.gz": s.fetchRefs} {
		if err := fetch(); err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("%s: error %v, want one that says 404", name, err)
		}
		if _, err := os.Stat(s.file(name)); !os.IsNotExist(err) {
			t.Errorf("%s: a page that is no profile was saved: %v", name, err)
		}
	}
}

func TestCompare(t *testing.T) {
	tests := []struct {
		space, low, high int64
		ok               bool
	}{
		{1000, 1000, 1000, true},
		{1500, 1000, 2000, true},
		{990, 1000, 2000, true},
		{991, 1000, 1000, true},
		{989, 1000, 2000, false},
		{989, 1000, 1000, false},
		{2011, 1000, 2000, false},
		{0, 1000, 1000, false},
	}
	for _, test := range tests {
		if err := compareStacks.check(test.space, test.low, test.high); (err == nil) != test.ok {
			t.Errorf("check(%d, %d, %d) = %v, want ok = %v", test.space, test.low, test.high, err, test.ok)
		}
	}
}
