// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestLostFiles(t *testing.T) {
	const path, whole = "main.items > map[int]*main.item[value]", "live heap"
	for _, test := range []struct {
		lost   []string
		line   string
		places []string
	}{
		{nil, "", []string{path}},
		{[]string{"refs.1.pb.gz"}, "refs.1.pb.gz", []string{whole}},
		{[]string{"refs.2.pb.gz"}, "refs.2.pb.gz", []string{whole}},
		{[]string{"memory.8.pb.gz"}, "memory.8.pb.gz", []string{path}},
		{[]string{"inuse.2.pb.gz"}, "inuse.2.pb.gz", []string{path}},
		{[]string{"heap.graph"}, "heap.graph", []string{path}},
		{[]string{"heap.txt", "growth.4.pb.gz"}, "growth.4.pb.gz, heap.txt", []string{path}},
	} {
		k := makeTake(t, sizes{leak: 80 * mb})
		if slices.Contains(test.lost, graphName) {
			k.files[graphName] = nil
		}
		dir := storeTake(t, k)
		for _, name := range test.lost {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		k, err := readTake(dir)
		if err != nil {
			t.Fatal(err)
		}
		f := newFacts(k)
		want := test.line + ": not in the folder, although it was kept"
		if test.lost == nil && len(f.Missing) > 0 || test.lost != nil && !slices.Equal(f.Missing, []string{want}) {
			t.Errorf("%q: missing %q, want %q", test.lost, f.Missing, want)
		}
		var places []string
		for _, x := range find(f) {
			places = append(places, x.Place)
		}
		if !slices.Equal(places, test.places) {
			t.Errorf("%q: findings %q, want %q", test.lost, places, test.places)
		}
	}
}

// TestOldManifest has manifests without a list of files.
func TestOldManifest(t *testing.T) {
	lost := func(name string) []string { return []string{name + ": not in the folder, although it was kept"} }
	for _, test := range []struct {
		name    string
		lost    string
		change  func(*take)
		missing []string
	}{
		{"whole", "", func(*take) {}, nil},
		{"not of each take", "inuse.2.pb.gz", func(*take) {}, nil},
		{"the last recording", "refs.2.pb.gz", func(*take) {}, lost("refs.2.pb.gz")},
		{"a moment", "memory.8.pb.gz", func(*take) {}, lost("memory.8.pb.gz")},
		{"the server did not answer", "peak.pb.gz", func(k *take) { k.Missing["peak"] = "404" }, []string{"peak: 404"}},
		{"a watch that was cut", "refs.2.pb.gz", func(k *take) { k.Moments = k.Moments[:6] }, nil},
	} {
		k := makeTake(t, sizes{})
		test.change(k)
		dir := storeTake(t, k)
		k.Files = nil
		data, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.write(dir, manifestName, data); err != nil {
			t.Fatal(err)
		}
		os.Remove(filepath.Join(dir, test.lost)) // the folder is not empty
		if k, err = readTake(dir); err != nil {
			t.Fatal(err)
		}
		if got := newFacts(k).Missing; !slices.Equal(got, test.missing) {
			t.Errorf("%s: missing %q, want %q", test.name, got, test.missing)
		}
	}
}

func TestWrongType(t *testing.T) {
	for _, test := range []struct{ file, other, want string }{
		{"refs.2.pb.gz", "goroutine.0.pb.gz", "refs.2.pb.gz: no profile refs: it has the sample types goroutine, stack_space, and not live_space"},
		{"goroutine.3.pb.gz", "refs.1.pb.gz", "goroutine.3.pb.gz: no profile goroutine: it has the sample types live_objects, live_space, and not goroutine"},
		{"memory.8.pb.gz", "peak.pb.gz", "no profile memory: "},
		{"growth.1.pb.gz", "memory.1.pb.gz", "no profile growth: "},
		{"inuse.2.pb.gz", "refs.2.pb.gz", "no profile inuse: "},
		{"peak.pb.gz", "memory.1.pb.gz", "no profile peak: "},
		{"goroutineleak.pb.gz", "goroutine.0.pb.gz", "no profile goroutineleak: "},
	} {
		k := makeTake(t, sizes{})
		k.files[test.file] = k.files[test.other]
		wantError(t, test.want, storeTake(t, k))
	}
}
