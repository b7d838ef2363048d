// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ld

import (
	"internal/abi"
	"testing"
)

func TestProgramFuncs(t *testing.T) {
	p := programFuncs{std: map[string]bool{"runtime": true, "internal/sync": true, "unique": true, "main": true, "runtime_test": true}}
	for name, want := range map[string]abi.FuncFlag{
		"main.main":                              abi.FuncFlagProgram,
		"main.(*T).M":                            abi.FuncFlagProgram,
		"main.f.func1":                           abi.FuncFlagProgram,
		"example.com/a/b.F[go.shape.int]":        abi.FuncFlagProgram,
		"gopkg.in/yaml%2ev3.Unmarshal":           abi.FuncFlagProgram,
		"demo/pkg.init.0":                        abi.FuncFlagProgram,
		"runtime_test.TestX":                     abi.FuncFlagProgram,
		"runtime.mallocgc":                       0,
		"unique.Make[main.T]":                    0,
		"unique.Make[go.shape.struct { a/b.X }]": 0,
		"internal/sync.(*HashTrieMap[main.K,main.V]).Load": 0,
		"type:.eq.main.T":  0,
		"type:.hash.a/b.T": 0,
		"go:buildid":       0,
		"_cgo_panic":       0,
		"crosscall2":       0,
		"indexbytebody":    0,
	} {
		if got := p.flag(name); got != want {
			t.Errorf("flag(%q) = %d, want %d", name, got, want)
		}
	}
}
