// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	. "internal/runtime/refs"
	"testing"
)

// TestOwn checks which packages are the program's own.
func TestOwn(t *testing.T) {
	const mark = "0123456789abcdef"
	program := mark + "path\texample.com/app/cmd/serve\nmod\texample.com/app\t(devel)\t\ndep\texample.com/lib\tv1.0.0\th1:x=\n" + mark
	test := mark + "path\texample.com/app/store.test\ndep\texample.com/lib\tv1.0.0\th1:x=\n" + mark
	dotted := mark + "path\tgopkg.in/app.v3\nmod\tgopkg.in/app.v3\tv3.0.1\th1:x=\n" + mark
	for _, test := range []struct {
		modinfo, pkg string
		own          bool
	}{
		{"", "main.", true},
		{"", "example.com/app.", false},
		{program, "main.", true},
		{program, "example.com/app.", true},
		{program, "example.com/app_test.", true},
		{program, "example.com/app/store.", true},
		{program, "example.com/application.", false},
		{program, "example.com/app.io/store.", false},
		{program, "example.com/lib.", false},
		{program, "example.com.", false},
		{program, "net/http.", false},
		{test, "example.com/app/store.", true},
		{test, "example.com/app/store_test.", true},
		{test, "example.com/app.", false},
		{dotted, "gopkg.in/app%2ev3.", true},
		{dotted, "gopkg.in/app.v3/store.", true},
		{dotted, "gopkg.in/app%2ev3_test.", true},
		{dotted, "gopkg.in/app%2ev2.", false},
	} {
		module, main := OwnPaths(test.modinfo)
		if own := IsOwn(test.pkg, module, main); own != test.own {
			t.Errorf("%s with %q: %v, want %v", test.pkg, test.modinfo, own, test.own)
		}
	}
}

// TestOwnFunction checks which functions are the program's own.
func TestOwnFunction(t *testing.T) {
	const mark = "0123456789abcdef"
	program := mark + "path\texample.com/app/cmd/server\nmod\texample.com/app\tv1.2.3\th1:x=\n" + mark
	for _, test := range []struct {
		function string
		own      bool
	}{
		{"main.main", true},
		{"main.(*T).method.func1", true},
		{"main.F[example.com/lib.T]", true},
		{"example.com/app.run", true},
		{"example.com/app/store.(*DB).open", true},
		{"example.com/app/v2%2e1.open", true},
		{"example.com/application.run", false},
		{"example.com/lib.F[example.com/app.T]", false},
		{"runtime.main", false},
		{"type:.eq.main.T", false},
		{"go.shape.example.com/app.F", false},
		{"main.(*T[go.shape.int]).method", true},
		{"example.com/app_test.TestF", true},
		{"", false},
	} {
		module, main := OwnPaths(program)
		if own := IsOwn(PackageOf(test.function), module, main); own != test.own {
			t.Errorf("%s: %v, want %v", test.function, own, test.own)
		}
	}
}
