// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestPrune(t *testing.T) {
	const size = 1000
	all := []string{
		"memory-20260101T000000.000000Z-10",
		"memory-20260101T000001.000000Z-9.partial",
		"memory-20260102T000000.000000Z-8",
		"memory-20260103T000000.000000Z-7",
	}
	for _, test := range []struct {
		name     string
		sets     int
		bytes    int64
		survives int // number of the newest sets that survive
	}{
		{"all", 4, 4 * size, 4},
		{"three", 3, 4 * size, 3},
		{"one", 1, 4 * size, 1},
		{"bytes of three", 4, 4*size - 1, 3},
		{"bytes of none", 4, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := folder{path: t.TempDir(), most: test.bytes}
			others := []string{"memory-of-the-user.txt", "memory-of-the-user", "other"}
			if err := os.Mkdir(filepath.Join(d.path, "memory-of-the-user"), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range others {
				os.WriteFile(filepath.Join(d.path, name), make([]byte, size), 0o600)
			}
			for _, name := range all {
				dir := filepath.Join(d.path, name)
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				os.WriteFile(filepath.Join(dir, "a"), make([]byte, size/2), 0o600)
				os.WriteFile(filepath.Join(dir, "b"), make([]byte, size/2), 0o600)
			}
			d.prune(test.sets)
			want := slices.Concat(all[len(all)-test.survives:], others)
			slices.Sort(want)
			if got := names(t, d.path); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestPruneClock checks that the set that was written last remains if the clock
// has been set back.
func TestPruneClock(t *testing.T) {
	const future, older, written = "memory-20300101T000000.000000Z-1", "memory-20260101T000000.000000Z-1", "memory-20260102T000000.000000Z-1"
	d := folder{path: t.TempDir(), most: 1000}
	for _, name := range []string{future, older, written} {
		os.Mkdir(filepath.Join(d.path, name), 0o700)
	}
	d.newest = written
	d.prune(2)
	if got, want := names(t, d.path), []string{written, future}; !slices.Equal(got, want) {
		t.Errorf("two sets: got %q, want %q", got, want)
	}
	d.prune(1)
	if got, want := names(t, d.path), []string{written}; !slices.Equal(got, want) {
		t.Errorf("one set: got %q, want %q", got, want)
	}
}

// TestPruneIncomplete checks that sets for which the disk was full or failed
// are removed before others.
func TestPruneIncomplete(t *testing.T) {
	const complete, partial = "memory-20260101T000000.000000Z-1", "memory-20260102T000000.000000Z-1.partial"
	older, newer := "memory-20260103T000000.000000Z-1.incomplete", "memory-20260104T000000.000000Z-1.incomplete"
	for sets, want := range [][]string{1: {partial}, 2: {complete, partial}, 3: {complete, partial, newer}, 4: {complete, partial, older, newer}} {
		if sets == 0 {
			continue
		}
		d := folder{path: t.TempDir(), most: 1000}
		for _, name := range []string{complete, partial, older, newer} {
			os.Mkdir(filepath.Join(d.path, name), 0o700)
		}
		d.prune(sets)
		if got := names(t, d.path); !slices.Equal(got, want) {
			t.Errorf("%d sets: got %q, want %q", sets, got, want)
		}
	}
}

// TestPruneLinks checks that prune does not follow links out of the folder.
func TestPruneLinks(t *testing.T) {
	outside := t.TempDir()
	file := filepath.Join(outside, "file")
	os.WriteFile(file, []byte("precious"), 0o600)
	d := folder{path: t.TempDir(), most: 1}
	if err := os.Symlink(outside, filepath.Join(d.path, "memory-20260101T000000.000000Z-1")); err != nil {
		t.Skip(err)
	}
	os.Mkdir(filepath.Join(d.path, "memory-20260102T000000.000000Z-1"), 0o700)
	d.prune(1)
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// TestPruneInUse checks that a set remains while another process is writing it.
func TestPruneInUse(t *testing.T) {
	writer := folder{path: filepath.Join(t.TempDir(), "new"), most: 1 << 30}
	s, err := writer.newSet(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) // also makes the folder
	if err != nil {
		t.Fatal(err)
	}
	const complete = "memory-20260102T000000.000000Z-1"
	os.Mkdir(filepath.Join(writer.path, complete), 0o700)
	other := folder{path: writer.path, most: 1 << 30}
	other.prune(1)
	inUse := filepath.Base(s.dir)
	if got, want := names(t, other.path), []string{inUse + partial, complete}; !slices.Equal(got, want) {
		t.Errorf("while it is written: got %q, want %q", got, want)
	}
	s.file("a", func(io.Writer) error { return nil })
	s.close()
	other.prune(1)
	if got, want := names(t, other.path), []string{complete}; !slices.Equal(got, want) {
		t.Errorf("afterwards: got %q, want %q", got, want)
	}
}
