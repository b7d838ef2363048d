// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ld

import (
	"cmd/link/internal/loader"
	"cmd/link/internal/sym"
	"internal/abi"
	"testing"
)

func TestProgramFuncs(t *testing.T) {
	p := programFuncs{std: map[string]bool{"runtime": true, "internal/sync": true, "unique": true, "main": true, "runtime_test": true}}
	for want, names := range map[abi.FuncFlag][]string{
		abi.FuncFlagProgram: {
			"main.main",
			"main.(*T).M",
			"main.f.func1",
			"example.com/a/b.F[go.shape.int]",
			"gopkg.in/yaml%2ev3.Unmarshal",
			"demo/pkg.init.0",
			"runtime_test.TestX",
		},
		0: {
			"runtime.mallocgc",
			"unique.Make[main.T]",
			"unique.Make[go.shape.struct { a/b.X }]",
			"internal/sync.(*HashTrieMap[main.K,main.V]).Load",
			"type:.eq.main.T",
			"type:.hash.a/b.T",
			"go:buildid",
			"_cgo_panic",
			"crosscall2",
			"indexbytebody",
		},
	} {
		for _, name := range names {
			if got := p.flag(name); got != want {
				t.Errorf("flag(%q) = %d, want %d", name, got, want)
			}
		}
	}
}

// TestProgramFuncsShared checks that packages in the shared library that has
// package runtime are taken for packages of the standard library.
func TestProgramFuncsShared(t *testing.T) {
	const std = "libstd.so"
	ctxt := &Link{loader: loader.NewLoader(0, &loader.ErrorReporter{}), LibraryByPkg: map[string]*sym.Library{}}
	for pkg, shlib := range map[string]string{"runtime": std, "slices": std, "example.com/lib": "liblib.so", "example.com/a": ""} {
		lib := &sym.Library{Pkg: pkg, Shlib: shlib}
		ctxt.LibraryByPkg[pkg] = lib
		ctxt.Library = append(ctxt.Library, lib)
	}
	p := ctxt.programFuncs()
	for name, want := range map[string]abi.FuncFlag{
		"slices.SortFunc[go.shape.[]int,go.shape.int]": 0,
		"example.com/lib.F[go.shape.int]":              abi.FuncFlagProgram,
		"example.com/a.F":                              abi.FuncFlagProgram,
	} {
		if got := p.flag(name); got != want {
			t.Errorf("flag(%q) = %d, want %d", name, got, want)
		}
	}
}
