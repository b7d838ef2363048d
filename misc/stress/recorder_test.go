// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// newRecording makes a recording with no workers running.
func newRecording(t *testing.T, kind string, debug int) *recording {
	t.Helper()
	p := pprof.Lookup(kind)
	if p == nil {
		t.Skipf("there is no profile %s", kind)
	}
	var b bytes.Buffer
	if err := p.WriteTo(&b, debug); err != nil {
		t.Fatal(err)
	}
	r := &recording{kind: kind, text: debug > 0, written: b.Bytes()}
	r.cycle, r.live = collector()
	return r
}

// TestRecordingChecked changes recordings, and checks that check finds the
// changes.
func TestRecordingChecked(t *testing.T) {
	plant := func(p *profile.Profile) *profile.Sample {
		i := slices.IndexFunc(p.Sample, func(s *profile.Sample) bool {
			return slices.Equal(s.Label["type"], []string{"main.plant"})
		})
		return p.Sample[i]
	}
	tests := []struct {
		kind   string
		tamper func(*recording)
		want   string // text in the error
	}{
		{"refs", func(*recording) {}, ""},
		{"inuse", func(*recording) {}, ""},
		{"refs", func(r *recording) { r.parse().Sample[0].Value[1] += 8 }, "add up to"},
		{"refs", func(r *recording) { r.parse().Sample = r.parse().Sample[1:] }, "add up to"},
		{"refs", func(r *recording) { r.live -= 16 }, "/gc/heap/live:bytes"},
		{"refs", func(r *recording) { plant(r.parse()).Value[0]-- }, "plants"},
		{"refs", func(r *recording) { s := plant(r.parse()); s.Location = s.Location[:1] }, "plants below"},
		{"inuse", func(r *recording) { plant(r.parse()).Value[0]++ }, "plants count as"},
		{"refs", func(r *recording) { r.parse().Comments = nil }, "no comment"},
	}
	for i, test := range tests {
		t.Run(fmt.Sprint(test.kind, i), func(t *testing.T) {
			r := newRecording(t, test.kind, 0)
			test.tamper(r)
			err := r.check()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("check returned %v, want %q", err, test.want)
			}
		})
	}
}

func TestTextChecked(t *testing.T) {
	r := newRecording(t, "refs", 1)
	if err := r.check(); err != nil {
		t.Error(err)
	}
	r.written = bytes.Replace(r.written, []byte("refs profile: "), []byte("refs profile: 1"), 1)
	if err := r.check(); err == nil || !strings.Contains(err.Error(), "add up to") {
		t.Errorf("check returned %v of a wrong header", err)
	}
}

func TestCyclesCountedOnce(t *testing.T) {
	made.seen = nil
	before := made.cycles.Load()
	const first = 1 << 40
	for i := range uint64(30_000) {
		count(first + i)
		count(first + max(i, 5) - 5)
	}
	if n := made.cycles.Load() - before; n != 30_000 {
		t.Errorf("counted %d cycles, want 30000", n)
	}
}

func TestHangFound(t *testing.T) {
	j := &job{worker: worker{name: "idler"}, changed: time.Now().Add(-*hang - time.Second)}
	j.rounds.Store(1)
	j.watch() // the job has made a round
	j.changed = time.Now().Add(-*hang - time.Second)
	v := recovered(j.watch)
	if s, ok := v.(string); !ok || !strings.Contains(s, "idler has made no round") {
		t.Errorf("watch panicked with %v", v)
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose("^(graph|maps|cpu)$", "maps")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range chosen {
		names = append(names, w.name)
	}
	if want := []string{"refs", "inuse", "graph", "cpu"}; !slices.Equal(names, want) {
		t.Errorf("chose %q, want %q", names, want)
	}
}
