// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestDebugMalloc looks where upstream sets debug.malloc, because a sample of a
// type ends by setting it as upstream would (othersDebugMalloc).
func TestDebugMalloc(t *testing.T) {
	if _, err := os.Stat("runtime1.go"); err != nil {
		t.Skip("there are no sources: ", err)
	}
	want := map[string][]string{
		"runtime1.go": {"(debug.inittrace | debug.sbrk | debug.checkfinalizers) != 0"},
		"trace.go":    {"true", "trace.debugMalloc"},
	}
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	sets := regexp.MustCompile(`(?m)\bdebug\.malloc = (.*)$`)
	for _, name := range names {
		if !regexp.MustCompile(`^[a-z0-9_]*\.go$`).MatchString(name.Name()) || name.Name() == "mtypesample.go" {
			continue
		}
		text, err := os.ReadFile(name.Name())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range sets.FindAllStringSubmatch(string(text), -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, want[name.Name()]) {
			t.Errorf("%s sets debug.malloc to %q, want %q: see othersDebugMalloc", name.Name(), got, want[name.Name()])
		}
		delete(want, name.Name())
	}
	if len(want) > 0 {
		t.Errorf("no files: %q", want)
	}
}
