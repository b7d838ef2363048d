// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package demo

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A long document is not read. The lines of doc/ include those of release notes
// and messages of change lists, and not the lists of files of the latter.
const (
	pageLines = 110 // of a page of doc/reference: two screens
	docLines  = 6000
)

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)|src="([^"]+)"`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	code    = regexp.MustCompile(`(?m)^\t.*$`)
)

// documents returns the text of each document, by its name in the repository.
func documents(t *testing.T) map[string]string {
	texts := make(map[string]string)
	read := func(name string) {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	read("README.md")
	read("CONTRIBUTING.md")
	root := os.DirFS("../..")
	if err := fs.WalkDir(root, "doc", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".md") {
			read(name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return texts
}

// anchors returns the names that links use for the headings of a document.
func anchors(text string) map[string]bool {
	names := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(m[1], "$1"))
		name = regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(name, "")
		names[strings.ReplaceAll(name, " ", "-")] = true
	}
	return names
}

// TestLinks checks that links of documents lead to files and headings. Release
// notes have links for go.dev.
func TestLinks(t *testing.T) {
	texts := documents(t)
	for name, text := range texts {
		if strings.HasPrefix(name, "doc/next/") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1]+m[2], "#")
			if strings.Contains(target, ":") {
				continue
			}
			to := name
			if target != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(name), target))
			}
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("%s: link to %s: %v", name, m[1]+m[2], err)
			} else if anchor != "" && !anchors(texts[to])[anchor] {
				t.Errorf("%s: %s has no heading #%s", name, to, anchor)
			}
		}
	}
}

// TestLength checks that documents are short.
func TestLength(t *testing.T) {
	sum := 0
	for name, text := range documents(t) {
		if strings.HasPrefix(name, "doc/cl/") {
			text, _, _ = strings.Cut(text, "\nFiles:\n")
		}
		n := strings.Count(text, "\n")
		if strings.HasPrefix(name, "doc/reference/") && n > pageLines {
			t.Errorf("%s has %d lines, and %d fit on two screens", name, n, pageLines)
		}
		if strings.HasPrefix(name, "doc/") {
			sum += n
		}
	}
	if sum > docLines {
		t.Errorf("doc/ has %d lines, want at most %d", sum, docLines)
	}
	t.Logf("doc/ has %d lines", sum)
}
