// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// The version that the built toolchain reports ends with a hash of the release
// and of the overlay's files that go into the tools. The go command identifies
// a release compiler by its version, so two different compilers must not have
// the same version. Two machines with the same overlay must have the same
// version, and an edit of the runtime alone must not require new tools.
//
// A hyphen and not a dot precedes the hash, because programs parse the version.
// Delve accepts no dot after a hyphen. The go command makes a semantic version
// from a toolchain's version to look for a toolchain module, and a semantic
// version has no number with a leading zero between dots. misc/toolchain tests
// the form with the parsers themselves.

import (
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

var toolchainRE = regexp.MustCompile(`(?m)^GOTOOLCHAIN=.*$`)

// toolDirs are the directories of src/, besides cmd/, that the hash covers.
// They are the std packages of bootstrapDirs in src/cmd/dist/buildtool.go:
// cmd/dist compiles goroot/'s versions of these packages even into the first
// tools, which the bootstrap Go builds.
var toolDirs = []string{
	"cmp", "compress/flate", "compress/zlib", "container/heap",
	"debug/dwarf", "debug/elf", "debug/macho", "debug/pe",
	"go/build/constraint", "go/constant", "go/version",
	"internal/abi", "internal/bisect", "internal/buildcfg", "internal/coverage", "internal/exportdata",
	"internal/goarch", "internal/godebugs", "internal/goexperiment", "internal/goroot", "internal/gover",
	"internal/goversion", "internal/lazyregexp", "internal/pkgbits", "internal/platform", "internal/profile",
	"internal/race", "internal/runtime/gc", "internal/saferio", "internal/strconv", "internal/syscall/unix",
	"internal/types/errors", "internal/unsafeheader", "internal/vartable", "internal/xcoff", "internal/zstd", "math/bits", "sort",
}

// toolHeaders are the files of src/runtime that cmd/dist copies to pkg/include.
var toolHeaders = []string{"textflag.h", "funcdata.h", "asm_ppc64x.h", "asm_amd64.h", "asm_riscv64.h"}

// demandDirs are directories of src/ whose programs are not built with the
// toolchain. The go command compiles such a program when go tool first runs it,
// and again when a file in its directory or below changes, even if the version
// stays the same.
var demandDirs = []string{"cmd/heapgraph"}

// onDemand reports whether a file of src/ is in one of demandDirs or below it.
func onDemand(rel string) bool {
	return slices.ContainsFunc(demandDirs, func(dir string) bool {
		return strings.HasPrefix(rel, dir+"/")
	})
}

// inTools reports whether the hash covers a file of goroot/ that the overlay
// makes or edits.
func inTools(target string) bool {
	rel, ok := strings.CutPrefix(target, "src/")
	if !ok || strings.HasSuffix(rel, "_test.go") || strings.Contains(rel, "/testdata/") {
		return false
	}
	dir, base := path.Split(rel)
	dir = strings.TrimSuffix(dir, "/")
	return strings.HasPrefix(rel, "cmd/") && !onDemand(rel) ||
		slices.Contains(toolDirs, dir) ||
		dir == "runtime" && slices.Contains(toolHeaders, base)
}

// fullVersion returns the version of the built toolchain, for example
// go1.27.4-refs-5dcfd7b6.
func (p *project) fullVersion(o *overlay) string {
	return p.version + "-" + p.toolsHash(o)
}

// toolsHash returns 8 hex digits of a hash of the base's release, and of those
// files of the overlay and variants of the base that go into the tools.
func (p *project) toolsHash(o *overlay) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s", p.version, p.pin.identity())
	for name, f := range o.sorted(p.base) {
		if inTools(f.target) {
			fmt.Fprintf(h, "%s %d\n%s", name, len(f.data), f.data)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:4])
}
