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

// TestExport checks that the mails apply to a plain tree of the release, and
// give the files that goroot/ has.
func TestExport(t *testing.T) {
	y := assembled(t)
	y.git("", "init", "-q")
	y.git("", "config", "user.name", "An Author")
	y.git("", "config", "user.email", "author@localhost")
	mails := filepath.Join(t.TempDir(), "mails")
	y.must("export", mails)
	names, err := filepath.Glob(mails + "/*.patch")
	if err != nil || len(names) != 2 {
		t.Fatal(names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"From: An Author <author@localhost>", "Subject: [PATCH 1/2] a: add alpha", "Why alpha.", "\n a line 3\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), trailer) {
		t.Errorf("the mail has our trailer:\n%s", text)
	}

	y.write(map[string]string{"plain/src/a/a.go": toyRelease["src/a/a.go"], "plain/src/a/b.go": toyRelease["src/a/b.go"]})
	y.git("plain", "init", "-q")
	y.git("plain", "add", ".")
	y.git("plain", "commit", "-qm", "upstream")
	y.git("plain", append([]string{"am", "-q"}, names...)...)
	for _, name := range []string{"src/a/a.go", "src/a/b.go", "src/a/new.go"} {
		equal(t, name, y.read("plain/"+name), y.read("goroot/"+name))
	}
	equal(t, "commits", y.git("plain", "log", "--format=%s by %an"), "a: add beta by An Author\na: add alpha by An Author\nupstream by A")

	y.refused([]string{"is not empty"}, "export", mails)
}

func TestExportNeedsAuthor(t *testing.T) {
	y := assembled(t)
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
	y.git("", "init", "-q")
	y.refused([]string{"git has no user."}, "export", filepath.Join(t.TempDir(), "mails"))
}
