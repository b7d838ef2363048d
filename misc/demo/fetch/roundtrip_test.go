// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// checkRoundTrip takes a profile of this process. It checks that the library
// with which pprof back ends read and write profiles loses nothing of it.
func checkRoundTrip(t *testing.T, name, defaultType string) *profile.Profile {
	t.Helper()
	needToolchain(t)
	var written bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&written, 0); err != nil {
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
	if first.DefaultSampleType != defaultType || second.DefaultSampleType != defaultType {
		t.Errorf("default sample types %q and %q, want %q", first.DefaultSampleType, second.DefaultSampleType, defaultType)
	}
	return second
}

func needToolchain(t *testing.T) {
	t.Helper()
	if !strings.Contains(runtime.Version(), "-refs") {
		t.Skipf("%s has neither stack_space nor refs: run this with goroot/bin/go", runtime.Version())
	}
}

func TestStackSpaceRoundTrip(t *testing.T) {
	exit := make(chan bool)
	defer close(exit)
	pprof.Do(context.Background(), pprof.Labels("kind", "labelled"), func(context.Context) {
		for range 10 {
			go func() { <-exit }()
		}
	})
	var labelled, sized, bytes int64
	for _, s := range checkRoundTrip(t, "goroutine", "goroutine").Sample {
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

type leaf struct{ data [1000]byte }

var held map[string]*leaf

func TestRefsRoundTrip(t *testing.T) {
	held = make(map[string]*leaf)
	for i := range 50 {
		held[strconv.Itoa(i)] = new(leaf)
	}
	const variable = "gorefs/misc/demo/fetch.held"
	var objects int64
	for _, s := range checkRoundTrip(t, "refs", "live_space").Sample {
		root := s.Location[len(s.Location)-1].Line[0].Function.Name
		if root == variable && s.HasLabel("root", "global") && s.HasLabel("type", "main.leaf") {
			objects += s.Value[0]
		}
	}
	if objects != 50 {
		t.Errorf("%s has %d objects of type leaf, want 50", variable, objects)
	}
}
