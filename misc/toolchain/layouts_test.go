// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package toolchain

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const goroot = "../../goroot"

// linknamed are the folders of the standard library whose symbols modules reach.
var linknamed = []string{"crypto", "hash", "internal", "log", "maps", "math", "net", "os", "plugin", "reflect",
	"runtime", "sync", "syscall", "testing", "time", "unique", "weak"}

// grown are structs that the fork has appended fields to. Their package alone
// allocates them. In runtime.special, only 386 has no padding for these fields.
var grown = []string{"net/http.transportRequest", "net/http/internal/http2.clientStream", "runtime.g", "runtime.m", "runtime.mcache", "runtime.p", "runtime.special"}

// TestLayouts compares all that linknamed symbols pass with upstream's.
func TestLayouts(t *testing.T) {
	upstream := upstreamTree(t)
	for _, platform := range []string{"linux/amd64", "linux/386", "linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(platform, "/")
			theirs, ours := newTree(upstream, goos, goarch), newTree(goroot, goos, goarch)
			for _, tree := range []*tree{theirs, ours} {
				if err := tree.load(linknamed...); err != nil {
					t.Fatal(err)
				}
			}
			for _, d := range differences(theirs, ours, grown...) {
				t.Error(d)
			}
			// The comparison must have seen the structs and symbols
			// that it is for.
			layout := theirs.layout()
			if s := layout.structs["internal/profilerecord.MemProfileRecord"]; s == nil || !s.byValue {
				t.Error("no symbol passes internal/profilerecord.MemProfileRecord")
			}
			if s := layout.structs["runtime.g"]; s == nil || s.byValue {
				t.Errorf("runtime.g is passed as %v, want behind a pointer", s)
			}
			for _, name := range []string{"runtime.pprof_memProfileInternal",
				"runtime.runtime_expandFinalInlineFrame", "runtime.reflect_mapiterinit", "runtime.timeSleep"} {
				if theirs.symbols[name] == nil {
					t.Errorf("no symbol %s", name)
				}
			}
		})
	}
}

// upstreamTree returns a GOROOT with upstream's standard library, which
// goroot's repository has as its first commit. The few files that cmd/dist
// generates are the fork's.
func upstreamTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	archive, err := exec.Command("git", "-C", goroot, "archive", "refs/gorefs/upstream", "src", ":!src/cmd").Output()
	if err != nil {
		t.Fatal(err)
	}
	extract := exec.Command("tar", "-x", "-C", dir)
	extract.Stdin = bytes.NewReader(archive)
	if out, err := extract.CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, out)
	}
	generated, err := exec.Command("git", "-C", goroot, "ls-files", "-o", "-i", "--exclude-standard", "src", ":!src/cmd").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(generated)) {
		name = strings.TrimSuffix(name, "\n")
		data, err := os.ReadFile(filepath.Join(goroot, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestDifferences compares small trees.
func TestDifferences(t *testing.T) {
	const before = "package p\nimport _ \"unsafe\"\n//go:linkname f\nfunc f(v T, p *U) {}\n"
	tests := []struct {
		name, upstream, fork string
		want                 []string
	}{
		{"equal", "type T struct{ a, b int32 }; type U struct{ c int }", "type T struct{ a, b int32 }; type U struct{ c int }", nil},
		{"a value's struct has grown", "type T struct{ a int64 }; type U struct{}", "type T struct{ a, b int64 }; type U struct{}",
			[]string{"p.T, which p.f passes: 16 bytes, want 8"}},
		{"a field has moved", "type T struct{}; type U struct{ a, b int32 }", "type T struct{}; type U struct{ b, a int32 }",
			[]string{"p.U.a, which p.f passes: at 4, 4 bytes of int32, want at 0, 4 bytes of int32",
				"p.U.b, which p.f passes: at 0, 4 bytes of int32, want at 4, 4 bytes of int32"}},
		{"appended behind a pointer", "type T struct{}; type U struct{ a int64 }", "type T struct{}; type U struct{ a, b int64 }", nil},
		{"inserted behind a pointer", "type T struct{}; type U struct{ a int64 }", "type T struct{}; type U struct{ b, a int64 }",
			[]string{"p.U.a, which p.f passes: at 8, 8 bytes of int64, want at 0, 8 bytes of int64"}},
		{"in padding", "type T struct{ a int8; b int64 }; type U struct{}", "type T struct{ a, c int8; b int64 }; type U struct{}", nil},
		{"nothing", "type T struct{ a int64 }; type U struct{}", "type T struct{ _ [0]*int64; a int64 }; type U struct{}", nil},
		{"a nested struct", "type T struct{}; type U struct{ s []V }; type V struct{ a int64 }", "type T struct{}; type U struct{ s []V }; type V struct{ a string }",
			[]string{"p.V, which p.f passes: 16 bytes, want 8", "p.V.a, which p.f passes: at 0, 16 bytes of string, want at 0, 8 bytes of int64"}},
	}
	for _, test := range tests {
		var trees []*tree
		for _, types := range []string{test.upstream, test.fork} {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "src", "p"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "src", "p", "p.go"), []byte(before+types+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			tree := newTree(dir, "linux", "amd64")
			if err := tree.load("p"); err != nil {
				t.Fatal(err)
			}
			trees = append(trees, tree)
		}
		if got := differences(trees[0], trees[1], "p.U"); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n%q, want\n%q", test.name, got, test.want)
		}
	}
}
