// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestRoundTrip checks that the library which pprof back ends read and write
// profiles with loses nothing of a goroutine profile with stack_space.
func TestRoundTrip(t *testing.T) {
	if !strings.Contains(runtime.Version(), "-refs") {
		t.Skipf("%s has no stack_space: run this with goroot/bin/go", runtime.Version())
	}
	exit := make(chan bool)
	defer close(exit)
	pprof.Do(context.Background(), pprof.Labels("kind", "labelled"), func(context.Context) {
		for range 10 {
			go func() { <-exit }()
		}
	})
	var written bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&written, 0); err != nil {
		t.Fatal(err)
	}
	first, err := profile.ParseData(written.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := first.Write(&again); err != nil {
		t.Fatal(err)
	}
	second, err := profile.Parse(&again)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := first.String(), second.String(); a != b {
		t.Errorf("read again, the profile is\n%s\nand not\n%s", b, a)
	}
	if first.DefaultSampleType != "goroutine" || second.DefaultSampleType != "goroutine" {
		t.Errorf("default sample types %q and %q", first.DefaultSampleType, second.DefaultSampleType)
	}

	var labelled, sized, bytes int64
	for _, s := range second.Sample {
		if s.HasLabel("kind", "labelled") {
			labelled += s.Value[0]
		}
		if units := s.NumUnit["stack_size"]; len(units) == 1 && units[0] == "bytes" {
			sized++
		}
		bytes += s.Value[1]
	}
	if labelled != 10 || sized == 0 || bytes == 0 {
		t.Errorf("%d labelled goroutines, %d samples with a stack size, %d bytes", labelled, sized, bytes)
	}
}
