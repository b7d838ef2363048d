// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmd/internal/memsite"
	"html"
	"internal/testenv"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestCycles checks what commands say about finalizers that lead back to their
// objects.
func TestCycles(t *testing.T) {
	testenv.MustHaveGoRun(t)
	name := filepath.Join(t.TempDir(), "heap.graph")
	out, err := testenv.Command(t, testenv.GoToolPath(t), "run", "internal/core/testdata/cycles/main.go", "-n=500", "-o="+name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const captured = "can never be freed: (finalizer) *main.captured leads back to its own object (a cycle), and so it never runs."
	for _, test := range []struct {
		args []string
		want string // in the line about a cycle, or ""
	}{
		{[]string{"suspects", name}, "  500 objects " + captured},
		{[]string{"why", name, "main.owner"}, "\n\nThis object " + captured},
		{[]string{"why", name, `\[4096\]uint8`}, " " + captured},
		{[]string{"why", name, "main.argument"}, "(cleanup) main.linkDone leads back"},
		{[]string{"why", name, "main.used"}, "(finalizer) *main.used leads back"},
		{[]string{"why", name, "main.nearLink"}, ""},
		{[]string{"why", name, "main.near"}, ""},
	} {
		text := output(t, test.args...)
		if test.want == "" && strings.Contains(text, "cycle") || !strings.Contains(text, test.want) {
			t.Errorf("%v does not say %q:\n%s", test.args, test.want, text)
		}
	}
	task := newTask(io.Discard, t.Output())
	x, err := task.loadSite([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	h := memsite.Guard("localhost", x.handler())
	has := func(url, want string) {
		body := html.UnescapeString(getPage(t, h, url).body)
		if want == "" && strings.Contains(body, "(a cycle)") || !strings.Contains(body, want) {
			t.Errorf("the page %s does not say %q:\n%s", url, want, body)
		}
	}
	has("/", ">500 objects "+captured)
	pages := map[string]string{"main.owner": ">This object " + captured, "main.near": ""}
	from, to := x.s.Objects()
	for v := from; v < to; v++ {
		if want, ok := pages[x.s.Type(v)]; ok {
			delete(pages, x.s.Type(v))
			has("/object?"+x.s.query(v).Encode(), want)
		}
	}
	for v, end := x.s.Roots(); v < end; v++ {
		if x.s.Name(v) == "(finalizer) *main.captured" {
			has("/object?"+x.s.query(v).Encode(), ">500 objects "+captured)
			pages["root"] = ""
		}
	}
	if len(pages) != 1 {
		t.Errorf("pages that the snapshot lacks: %v", pages)
	}
}
