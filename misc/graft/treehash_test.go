// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestHashTree compares with hashes from dirhash.Hash1 in golang.org/x/mod
// v0.31.0.
func TestHashTree(t *testing.T) {
	for _, test := range []struct {
		files map[string]string
		want  string
	}{
		{nil, "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
		{map[string]string{"src/a.go": "package a\n"}, "h1:AMTfBK9g3KplEpDFWS2YwR81Ja5tOG+gKq5xEjRoIdw="},
		{map[string]string{"src/b/b.go": "package b\n", "src/a.go": "package a\n", "lib/é x": "", "src/b.go": "b\n"},
			"h1:pnIGkpD5PZ9OBTWKl68uLJS0D2Ww9eeJSZWD/ruhWNs="},
	} {
		names := slices.Collect(maps.Keys(test.files))
		have, err := hashTree(names, func(name string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(test.files[name])), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, strings.Join(names, " "), have, test.want)
	}
}

func TestHashTreeErrors(t *testing.T) {
	none := func(string) (*os.File, error) { return nil, errors.New("none") }
	for name, want := range map[string]string{"a": "none", "a\nb": "newline"} {
		if _, err := hashTree([]string{name}, none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have %v, want %q", name, err, want)
		}
	}
}

// TestNeedsNoModules checks that graft needs no other module, because make.bash
// builds it before it fetches anything.
func TestNeedsNoModules(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "require") {
		t.Errorf("go.mod requires modules, which a build without a network cannot fetch:\n%s", data)
	}
	if _, err := os.Stat("go.sum"); err == nil {
		t.Error("there is a go.sum")
	}
}
