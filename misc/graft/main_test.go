// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	for name, cmd := range commands {
		var stdout, stderr bytes.Buffer
		if status := run([]string{name, "-h"}, &stdout, &stderr); status != 0 || !strings.Contains(stdout.String(), cmd.about) {
			t.Errorf("graft %s -h: status %d\n%s%s", name, status, stdout.String(), stderr.String())
		}
		if !strings.Contains(usage, "graft "+name+" ") {
			t.Errorf("usage does not name %s", name)
		}
	}
	var stdout, stderr bytes.Buffer
	equal(t, "graft -h", run([]string{"-h"}, &stdout, &stderr), 0)
	equal(t, "usage", stdout.String(), usage)
}

func TestBadUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"frob"}, {"export"}, {"rebase"}, {"save", "a", "b"}, {"status", "x"}, {"save", "-z"}} {
		var stdout, stderr bytes.Buffer
		if status := run(args, &stdout, &stderr); status != 2 || !strings.Contains(stderr.String(), "graft ") {
			t.Errorf("graft %v: status %d, %q", args, status, stderr.String())
		}
	}
}

func TestProject(t *testing.T) {
	hash := "h1:" + strings.Repeat("A", 43) + "="
	for _, test := range []struct{ name, version, pin, want string }{
		{"good", "go1.99.1-refs\n", `{"version":"go1.99.1","hash":"` + hash + `","root":"` + hash + `"}`, ""},
		{"other base", "go1.99.2-refs\n", `{"version":"go1.99.1","hash":"` + hash + `","root":"` + hash + `"}`, `VERSION must be "go1.99.1-refs"`},
		{"no hash", "go1.99.1-refs\n", `{"version":"go1.99.1"}`, pinFile},
		{"no second hash", "go1.99.1-refs\n", `{"version":"go1.99.1","hash":"` + hash + `"}`, pinFile},
		{"bad pin", "go1.99.1-refs\n", `{`, pinFile},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, map[string]string{"VERSION": test.version, pinFile: test.pin, "goroot/VERSION": "x", "goroot/src/x": ""})
			var p project
			err := openProject(filepath.Join(dir, "goroot/src"), &p)
			if test.want == "" {
				if err != nil || p.root != dir {
					t.Errorf("root %s, %v", p.root, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("have %v, want %q", err, test.want)
			}
		})
	}
	var p project
	if err := openProject(os.TempDir(), &p); err == nil {
		t.Errorf("found a project in %s", p.root)
	}
}
