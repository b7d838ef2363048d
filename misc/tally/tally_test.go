// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the .want files anew")

// TestStreams tallies each testdata/NAME.json with testdata/known.list, and
// compares the output with NAME.want.
func TestStreams(t *testing.T) {
	streams, err := filepath.Glob("testdata/*.json")
	if err != nil || len(streams) == 0 {
		t.Fatalf("no streams: %v", err)
	}
	for _, stream := range streams {
		t.Run(filepath.Base(stream), func(t *testing.T) { testStream(t, stream) })
	}
}

func testStream(t *testing.T, stream string) {
	in, err := os.Open(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	known, err := readKnown("testdata/known.list")
	if err != nil {
		t.Fatal(err)
	}

	var out strings.Builder
	tally := newTally(&out, known)
	tally.begun = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	if err := eachEvent(in, &out, tally.event); err != nil {
		t.Fatal(err)
	}
	ok := tally.finish()

	if want := filepath.Base(stream) == "good.json"; ok != want {
		t.Errorf("ok = %v, want %v", ok, want)
	}
	checkOutput(t, strings.TrimSuffix(stream, ".json")+".want", out.String())
}

func checkOutput(t *testing.T, file, got string) {
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
}
