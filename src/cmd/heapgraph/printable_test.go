// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"debug/heapgraph"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func TestPrintable(t *testing.T) {
	for s, want := range map[string]string{
		"":                                    "",
		"map[string]*app.Größe[K·1]":          "map[string]*app.Größe[K·1]",
		"struct { A int \"json:\\\"a\\\"\" }": "struct { A int \"json:\\\"a\\\"\" }",
		"a\x1b]0;title\x07b":                  `a\x1b]0;title\ab`,
		"a\nb\r\tc\x7f":                       `a\nb\r\tc\x7f`,
		"a\u009bb":                            `a\u009bb`,
		"a\u202eb\u2066c\u200bd\u2028e":       `a\u202eb\u2066c\u200bd\u2028e`,
		"\xff\xfe\ufffd":                      `\xff\xfe` + "\ufffd",
		"'\"\\`":                              "'\"\\`",
	} {
		if got := printable(s); got != want {
			t.Errorf("printable(%q) is %q, want %q", s, got, want)
		}
	}
}

const evil = "\x1b]0;title\x07\nforged 100%\r\u202e\xff"

// TestEvilNames checks that all commands that print text make names printable,
// and that names are exported as they are.
func TestEvilNames(t *testing.T) {
	x := &server{sessions: 100, creators: 1, wait: "select", minutes: 2, goroutines: 2, suffix: evil, meta: map[string]string{"main.path": "app" + evil}}
	name, old := x.file(t), (&server{sessions: 10, suffix: evil}).file(t)
	for _, args := range [][]string{
		{"top", name},
		{"top", "-by=root", name},
		{"top", "-by=package", name},
		{"top", "-by=path", name},
		{"suspects", name},
		{"tree", "-share=0", name},
		{"why", name, "app.Session" + evil},
		{"why", name, "^app.Session"},
		{"object", name, "^app.Session"},
		{"object", name, "goroutine"},
		{"diff", old, name},
	} {
		text := output(t, args...)
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "forged") || strings.ContainsFunc(line, func(r rune) bool {
				return !unicode.IsPrint(r) || r == unicode.ReplacementChar
			}) {
				t.Errorf("%s: %q is not printable", args[0], line)
			}
		}
		if !strings.Contains(text, `\x1b]0;title\a\nforged 100%\r\u202e\xff`) {
			t.Errorf("%s: no name in\n%s", args[0], text)
		}
	}
	for _, format := range []string{"pprof", "heapsnapshot"} {
		file := filepath.Join(t.TempDir(), "x")
		_, _, stderr := start("export", "-o", file, format, name)
		if strings.ContainsAny(stderr, "\x1b\r") {
			t.Errorf("export %s prints %q", format, stderr)
		}
	}
	b := output(t, "export", "heapsnapshot", name)
	if want := `app.Session\u001b]0;title\u0007\nforged 100%\r` + "\u202e"; !strings.Contains(b, want) {
		t.Errorf("the heap snapshot has no %s", want)
	}
	status, _, stderr := start("top", filepath.Join(t.TempDir(), evil))
	if status != 1 || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "\x1b") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// TestPrintfArguments checks that arguments with a method that makes their text
// are made printable, too.
func TestPrintfArguments(t *testing.T) {
	var b bytes.Buffer
	x := newTask(&b, &b)
	x.printf("%s %v %v %d %v", evil, heapgraph.Creator{Func: evil}, errors.New(evil), 5, nil)
	x.out.Flush()
	p := printable(evil)
	if got, want := b.String(), p+" "+p+" "+p+" 5 <nil>"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// TestPrintf checks that nothing prints text to standard output except with
// printf.
func TestPrintf(t *testing.T) {
	print := regexp.MustCompile(`Fprint\w*\((\w+\.)*out\b`)
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := print.FindAll(text, -1); len(found) > 0 && name != "printable.go" {
			t.Errorf("%s has %q", name, bytes.Join(found, []byte(", ")))
		}
	}
}
