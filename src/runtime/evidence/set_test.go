// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// names returns the names of all files and folders in dir.
func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

var errTest = errors.New("it failed")

func TestSetFiles(t *testing.T) {
	fails := func(w io.Writer) error {
		io.WriteString(w, "part")
		return errTest
	}
	ignores := func(w io.Writer) error {
		io.WriteString(w, "more than the twenty bytes that are left")
		return nil
	}
	for _, test := range []struct {
		name  string
		write func(io.Writer) error
		want  error
		files []string
	}{
		{"complete", text("some"), nil, []string{"a", "b", "c"}},
		{"writer fails", fails, errTest, []string{"a", "c"}},
		{"too large", text("more than the twenty bytes that are left"), errTooLarge, []string{"a", "c"}},
		{"too large, ignored", ignores, errTooLarge, []string{"a", "c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := folder{path: t.TempDir(), most: 20}
			now := time.Now()
			s, err := d.newSet(now)
			if err != nil {
				t.Fatal(err)
			}
			s.file("a", text("first"))
			s.file("b", test.write)
			s.file("c", text("last"))
			if got := names(t, d.path); !slices.Equal(got, []string{name(setPrefix, now) + partial}) {
				t.Errorf("folders before close: %q", got)
			}
			dir := s.close()
			if got := names(t, dir); !slices.Equal(got, test.files) {
				t.Errorf("files: got %q, want %q", got, test.files)
			}
			if want := filepath.Join(d.path, name(setPrefix, now)); dir != want {
				t.Errorf("folder: got %s, want %s", dir, want)
			}
			if !errors.Is(s.err, test.want) || (s.err == nil) != (test.want == nil) {
				t.Errorf("error: got %v, want %v", s.err, test.want)
			}
			if s.full {
				t.Error("the disk is full")
			}
			if len(s.written) != 3 {
				t.Errorf("lines about files: %q", s.written)
			}
		})
	}
}

// TestSetDiskFails checks that a set is incomplete if its disk fails, and that
// nothing remains of a set that has no files.
func TestSetDiskFails(t *testing.T) {
	for _, first := range []bool{true, false} {
		d := folder{path: t.TempDir(), most: 1000}
		now := time.Now()
		s, err := d.newSet(now)
		if err != nil {
			t.Fatal(err)
		}
		if first {
			s.file("a", text("first"))
		}
		s.file("missing/b", text("a file in a folder that does not exist"))
		dir := s.close()
		want, folders := "", 0
		if first {
			want, folders = filepath.Join(d.path, name(setPrefix, now)+incomplete), 1
		}
		if dir != want || !s.full || s.err == nil {
			t.Errorf("got folder %q, full %v, error %v; want %q and an error", dir, s.full, s.err, want)
		}
		if got := names(t, d.path); len(got) != folders {
			t.Errorf("got folders %q", got)
		}
	}
}
