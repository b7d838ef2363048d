// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "expected")
	const paths = `# The rooms are what the server is for.
rooms	^app\.chat > app\.Chat\.rooms
rooms	app\.Room\.members
buffers	bufio\.Writer\.buf
+seen	^seen
`
	if err := os.WriteFile(file, []byte(paths), 0o666); err != nil {
		t.Fatal(err)
	}
	expected, err := readExpected(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	score(&got, []sample{
		{path: []string{"app.chat", "app.Chat.rooms []app.Room"}, bytes: 500},
		{path: []string{"main.main", "app.Room.members map[*app.Member]bool"}, bytes: 100},
		{path: []string{"app.chat", "app.Chat.rooms []app.Room", "bufio.Writer.buf []uint8"}, bytes: 200},
		{path: []string{"lib.registry", "bufio.Writer.buf []uint8"}, bytes: 50},
		{path: []string{"lib.registry"}, bytes: 130},
		{path: []string{"seen"}, bytes: 20},
	}, expected)
	const want = `
       bytes   share  structure, under a path that is expected
         800  80.00%  rooms
          50   5.00%  buffers
          20   2.00%  +seen
         850  85.00%  all
         870  87.00%  all, with those added

the largest paths that are not expected:
         130  13.00%  lib.registry
`
	if "\n"+got.String() != want {
		t.Errorf("score:\n%s\nwant%s", got.String(), want)
	}
}

func TestReadExpectedErrors(t *testing.T) {
	for text, want := range map[string]string{
		"rooms":               ":1: a structure without paths",
		"# first\nrooms\ta(b": ":2: error parsing regexp",
	} {
		file := filepath.Join(t.TempDir(), "expected")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readExpected(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := readExpected(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error without a file")
	}
}

func TestMoved(t *testing.T) {
	at := func(path, typ string, bytes int64) sample {
		return sample{path: strings.Split(path, "/"), typ: typ, bytes: bytes}
	}
	first := []sample{at("a", "T", 100), at("a/b", "T", 50), at("c", "T", 10)}
	tests := []struct {
		name  string
		later []sample
		want  int64
	}{
		{"nothing", first, 0},
		{"growth", []sample{at("a", "T", 170), at("a/b", "T", 50), at("c", "T", 10)}, 0},
		{"loss", []sample{at("a", "T", 100)}, 0},
		{"one for another", []sample{at("a", "T", 70), at("a/b", "T", 80), at("c", "T", 10)}, 30},
		{"with growth", []sample{at("a", "T", 170), at("c", "T", 10)}, 50},
		{"another type", []sample{at("a", "U", 100), at("a/b", "T", 50), at("c", "T", 10)}, 100},
	}
	for _, test := range tests {
		if got := moved(first, test.later); got != test.want {
			t.Errorf("%s: %d bytes moved, want %d", test.name, got, test.want)
		}
	}
}
