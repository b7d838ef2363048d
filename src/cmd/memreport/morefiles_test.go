// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// upstreamTake returns a take of a server of an unchanged toolchain, whose heap,
// stacks and free memory grow.
func upstreamTake(t *testing.T) *take {
	t.Helper()
	whole := makeTake(t, sizes{})
	k := newTake()
	k.Time, k.Seconds, k.Program, k.Moments = whole.Time, 30, "server", whole.Moments
	k.Missing["memory"], k.Missing["growth"], k.Missing["refs"] = "404", "404", "404"
	stats := func(i int) []byte {
		return fmt.Appendf(nil, "x\n\n# runtime.MemStats\n# HeapAlloc = %d\n# HeapIdle = 90000000\n# HeapInuse = 40000000\n# HeapReleased = 0\n"+
			"# Stack = 9 / %d\n# NextGC = 20000000\n", (20+2*i)*mb, (4+i)*mb)
	}
	for i := range k.Moments {
		k.files[fmt.Sprintf("heap.%d.txt", i)] = stats(i)
		k.files[numbered("goroutine", i)] = encode(t, makeProfile("goroutine", nil, row{[]int64{100}, "main.wait@/m/a.go < main.start@/m/a.go", ""}))
	}
	for i, n := range []int64{20 * mb, 40 * mb} {
		k.files[numbered("heap", i+1)] = encode(t, makeProfile("alloc_space inuse_space", nil, row{[]int64{mb, n}, "main.keep@/m/a.go", ""}))
	}
	k.files["heap.txt"] = stats(0)
	return k
}

// TestMoreFiles looks for the files of each command that shows more, and for the
// sample types that it asks for, in takes that do not have all files.
func TestMoreFiles(t *testing.T) {
	refs := func(items, finalizers int64) []byte {
		return encode(t, makeProfile("unused_space live_objects live_space", nil,
			row{[]int64{0, items, items * mb}, "main.item.text []uint8 < map[int]*main.item[value] < main.items", "root=global"},
			row{[]int64{14 * mb, 9, 15 * mb}, "main.buffer []uint8 < main.buffers", "root=global"},
			row{[]int64{0, 9, finalizers}, "(finalizer) *main.file", "root=finalizer"}))
	}
	grown := func() *take {
		k := makeTake(t, sizes{leak: 40 * mb, mapStep: 3 * mb, waitStep: 30, goroutine: 20})
		k.files["refs.1.pb.gz"], k.files["refs.2.pb.gz"] = refs(10, 0), refs(45, 0)
		return k
	}
	cut := func(finalizers int64) *take {
		k := grown()
		k.files["refs.1.pb.gz"] = refs(10, finalizers)
		for name := range k.files {
			if strings.Contains(name, ".8.") || strings.Contains(name, ".7.") {
				delete(k.files, name)
			}
		}
		delete(k.files, "refs.2.pb.gz")
		delete(k.files, "inuse.2.pb.gz")
		if !k.cut(errors.New("connection refused")) {
			t.Fatal("too few moments")
		}
		return k
	}
	whole, ended, upstream, evidence := storeTake(t, grown()), storeTake(t, cut(60*mb)), storeTake(t, upstreamTake(t)), storeEvidence(t, grown())
	later := grown()
	later.Time = later.Time.AddDate(1, 0, 0)
	small, whole2 := storeEvidence(t, makeTake(t, sizes{})), storeTake(t, later)
	for _, test := range []struct {
		name string
		args []string
		want string // the kinds of findings
	}{
		{"whole", []string{whole}, "live-growth mapped-growth goroutines-growth unused-capacity goroutines-leaked"},
		{"cut", []string{ended}, "mapped-growth goroutines-growth unused-capacity goroutines-leaked"},
		{"cut, and the live heap grows", []string{storeTake(t, cut(0))}, "class-growth mapped-growth goroutines-growth unused-capacity goroutines-leaked"},
		{"upstream", []string{upstream}, "live-growth class-growth free-not-returned"},
		{"evidence", []string{evidence}, "unused-capacity"},
		{"a folder since evidence", []string{"-base", small, whole2}, ""},
		{"evidence since a folder", []string{"-base", storeTake(t, makeTake(t, sizes{})), evidence}, ""},
		{"a folder since a cut watch", []string{"-base", ended, whole}, ""},
		{"a cut watch since a folder", []string{"-base", storeTake(t, makeTake(t, sizes{})), ended}, ""},
		{"upstream since upstream", []string{"-base", upstream, upstream}, ""},
		{"evidence since upstream", []string{"-base", upstream, evidence}, ""},
	} {
		status, out, stderr := invoke(append([]string{"-json"}, test.args...)...)
		var r report
		if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 {
			t.Errorf("%s: %v, status %d, %s", test.name, err, status, stderr)
			continue
		}
		var kinds []string
		for _, x := range r.Findings {
			kinds = append(kinds, x.Kind)
			checkMore(t, test.name, x.More)
		}
		if got := strings.Join(kinds, " "); test.want != "" && got != test.want {
			t.Errorf("%s: findings %s, want %s", test.name, got, test.want)
		}
	}
}

// checkMore looks for the files of a command, and for what it needs in them.
func checkMore(t *testing.T, name, command string) {
	t.Helper()
	var sampleType string
	found := 0
	for _, word := range split(command) {
		word = strings.TrimPrefix(word, "-diff_base=")
		if s, ok := strings.CutPrefix(word, "-sample_index="); ok {
			sampleType = s
		}
		if !filepath.IsAbs(word) {
			continue
		}
		found++
		data, err := os.ReadFile(word)
		if err != nil {
			t.Errorf("%s: %s: %v", name, command, err)
			continue
		}
		if sampleType == "" {
			continue
		}
		p, err := parseProfile(data)
		if err != nil {
			t.Errorf("%s: %s: %v", name, command, err)
			continue
		}
		var types []string
		for _, x := range p.SampleType {
			types = append(types, x.Type)
		}
		if !slices.Contains(types, sampleType) {
			t.Errorf("%s: %s: sample types %q", name, command, types)
		}
	}
	if found == 0 {
		t.Errorf("%s: %s: no file", name, command)
	}
}
