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

func TestReadKnownErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no test", "toy/a  # why\n", `:1: want "package Test  # why"`},
		{"no reason", "# list\ntoy/a TestA\n", `:2: want "package Test  # why"`},
		{"empty reason", "toy/a TestA #  \n", `:1: want "package Test  # why"`},
		{"twice", "toy/a TestA # x\ntoy/a TestA # y\n", ":2: toy/a TestA is listed twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "list")
			if err := os.WriteFile(file, []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := readKnown(file)
			if err == nil || !strings.Contains(err.Error(), file+test.want) {
				t.Errorf("error %v, want one with %q", err, file+test.want)
			}
		})
	}
}

func TestReadKnownNoFile(t *testing.T) {
	if _, err := readKnown(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("error %v, want that the file does not exist", err)
	}
}
