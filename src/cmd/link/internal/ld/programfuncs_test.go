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
