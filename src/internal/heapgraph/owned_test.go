// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph

import (
	"bytes"
	"slices"
	"testing"
)

// TestSums checks that records of SUMS can be read again.
func TestSums(t *testing.T) {
	want := []Sum{{Node: 1, Scan: 8}, {Node: 2, Scan: 1 << 40, Unused: 1 << 41}, {Node: 1000, Unused: 1}}
	checkOptional(t, KindSums, want, (*Writer).Sum, (*Decoder).Sum)
}

// TestCreators checks that records of CREATORS can be read again.
func TestCreators(t *testing.T) {
	want := []Creator{{1, 2, 3, 4}, {Goroutine: 2}}
	for i := range uint64(100000) {
		want = append(want, Creator{3 + 2*i, i, 1 << 40, i * i})
	}
	checkOptional(t, KindCreators, want, (*Writer).Creator, (*Decoder).Creator)
}

// TestHulls checks that records of HULLS, whose objects are in any order, can be
// read again.
func TestHulls(t *testing.T) {
	want := []Hull{{1 << 48, 0, 1}, {1, 1 << 40, 1 << 41}, {2, 7, 7}}
	for i := range uint64(100000) {
		want = append(want, Hull{1<<48 + i*i%1000003, i, i + i%100})
	}
	checkOptional(t, KindHulls, want, (*Writer).Hull, (*Decoder).Hull)
}

// TestWaits checks that records of WAITS can be read again.
func TestWaits(t *testing.T) {
	want := []Wait{{1, 1}, {2, 1 << 40}}
	for i := range uint64(100000) {
		want = append(want, Wait{3 + 2*i, i * i})
	}
	checkOptional(t, KindWaits, want, (*Writer).Wait, (*Decoder).Wait)
}

// checkOptional writes records, and checks that they are in sections of an
// optional kind, which older readers skip, and that they can be read again.
func checkOptional[R comparable](t *testing.T, k Kind, want []R, write func(*Writer, R), read func(*Decoder) R) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, r := range want {
		write(w, r)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []R
	for i, s := range f.Sections {
		if s.Kind != k {
			continue
		}
		d, err := new(Loader).Load(f, i)
		if err != nil {
			t.Fatal(err)
		}
		for d.More() {
			got = append(got, read(d))
		}
	}
	if k < firstOptional || f.Counts != (Counts{}) || !slices.Equal(got, want) {
		t.Errorf("%v: counts %v; records are %v, want %v", k, f.Counts, got, want)
	}
}

// TestOwners checks that records of OWNERS are in optional sections, which older
// readers skip, and that they can be read again.
func TestOwners(t *testing.T) {
	var want, got []Special
	var b bytes.Buffer
	w := NewWriter(&b)
	for i := range uint64(200000) {
		s := Special{Object: 1<<48 + i*i%1000003, Node: i, Target: 1<<48 - i}
		want = append(want, s)
		w.Owner(s)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var l Loader
	sections := 0
	for i, s := range f.Sections {
		if s.Kind < firstOptional {
			continue
		}
		sections++
		d, err := l.Load(f, i)
		if err != nil {
			t.Fatal(err)
		}
		for d.More() {
			got = append(got, d.Special())
		}
		if d.Err() != nil {
			t.Fatal(d.Err())
		}
	}
	if f.Counts != (Counts{}) || sections < 2 || !slices.Equal(got, want) {
		t.Errorf("counts %v; %d sections with %d records, want %d", f.Counts, sections, len(got), len(want))
	}
}
