// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	refsNode           struct{ next *refsNode }
	refsPair[K, V any] struct {
		key   K
		value V
	}
)

// TestRefsTypeNames checks how types are written in this package, and, if they are of no
// type that has arguments, that they are written elsewhere as reflect writes them.
func TestRefsTypeNames(t *testing.T) {
	for _, test := range []struct {
		typ       reflect.Type
		here      string
		elsewhere string // if not as reflect writes it
	}{
		{reflect.TypeFor[int](), "int", ""},
		{reflect.TypeFor[error](), "error", ""},
		{reflect.TypeFor[any](), "interface {}", ""},
		{reflect.TypeFor[refsNode](), "refsNode", ""},
		{reflect.TypeFor[*refsNode](), "*refsNode", ""},
		{reflect.TypeFor[*bytes.Buffer](), "*bytes.Buffer", ""},
		{reflect.TypeFor[[]*refsNode](), "[]*refsNode", ""},
		{reflect.TypeFor[[3][]time.Time](), "[3][]time.Time", ""},
		{reflect.TypeFor[map[refsNode]*bytes.Buffer](), "map[refsNode]*bytes.Buffer", ""},
		{reflect.TypeFor[map[time.Time]map[string]refsNode](), "map[time.Time]map[string]refsNode", ""},
		{reflect.TypeFor[chan refsNode](), "chan refsNode", ""},
		{reflect.TypeFor[<-chan *refsNode](), "<-chan *refsNode", ""},
		{reflect.TypeFor[chan<- *refsNode](), "chan<- *refsNode", ""},
		{reflect.TypeFor[chan (<-chan refsNode)](), "chan (<-chan refsNode)", ""},
		{reflect.TypeFor[chan<- (<-chan refsNode)](), "chan<- <-chan refsNode", ""},
		{reflect.TypeFor[func()](), "func()", ""},
		{reflect.TypeFor[func(refsNode) *refsNode](), "func(refsNode) *refsNode", ""},
		{reflect.TypeFor[func(io.Reader, ...refsNode) (int, error)](), "func(io.Reader, ...refsNode) (int, error)", ""},
		{reflect.TypeFor[struct{}](), "struct {}", ""},
		{reflect.TypeFor[struct {
			refsNode
			*bytes.Buffer
			List []refsNode `json:"list"`
			n, m int
		}](), `struct { refsNode; *bytes.Buffer; List []refsNode "json:\"list\""; n int; m int }`, ""},
		{reflect.TypeFor[interface{ Write([]byte) }](), "interface { Write([]uint8) }", ""},
		{
			reflect.TypeFor[refsPair[string, *refsNode]](),
			"refsPair[string,*refsNode]",
			"pprof.refsPair[string,*pprof.refsNode]",
		},
		{
			reflect.TypeFor[*refsPair[map[refsNode]bytes.Buffer, refsPair[int, []refsNode]]](),
			"*refsPair[map[refsNode]bytes.Buffer,refsPair[int,[]refsNode]]",
			"*pprof.refsPair[map[pprof.refsNode]bytes.Buffer,pprof.refsPair[int,[]pprof.refsNode]]",
		},
		{
			reflect.TypeFor[refsPair[func(refsNode, ...int), struct{ N refsNode }]](),
			"refsPair[func(refsNode, ...int),struct { N refsNode }]",
			"pprof.refsPair[func(pprof.refsNode, ...int),struct { N pprof.refsNode }]",
		},
	} {
		here := refsPackage(reflect.TypeFor[refsNode]().PkgPath())
		if got := here.typeName(test.typ); got != test.here {
			t.Errorf("%v in its package: %s, want %s", test.typ, got, test.here)
		}
		want := test.elsewhere
		if want == "" {
			want = test.typ.String()
		}
		for _, pkg := range []refsPackage{"", "example.com/app", "pprof"} {
			if got := pkg.typeName(test.typ); got != want {
				t.Errorf("%v in package %q: %s, want %s", test.typ, pkg, got, want)
			}
		}
	}
}

func TestRefsOwnerPackage(t *testing.T) {
	for name, want := range map[string]refsPackage{
		"main.server":                          "main",
		"main.main.func1.ctx":                  "main",
		"example.com/app.server":               "example.com/app",
		"example.com/app.(*Session).expire.s":  "example.com/app",
		"example.com/app.handle[...].body":     "example.com/app",
		"gopkg.in/yaml%2ev3.(*parser).parse.p": "gopkg.in/yaml.v3",
		"(timer) time.goFunc":                  "",
	} {
		if got := ownerPackage(name); got != want {
			t.Errorf("%s: package %q, want %q", name, got, want)
		}
	}
}

// TestRefsTypeNamesCut checks that a name whose front is cut off at dots still ends with
// the field or variable, if the types are the owner's package's.
func TestRefsTypeNamesCut(t *testing.T) {
	pkg := ownerPackage("runtime/pprof.refsNode.next")
	name := "runtime/pprof.refsNode.next " + pkg.typeName(reflect.TypeFor[map[string]*refsPair[int, refsNode]]())
	if got, want := name[strings.LastIndexByte(name, '.')+1:], "next map[string]*refsPair[int,refsNode]"; got != want {
		t.Errorf("%s is cut to %s, want %s", name, got, want)
	}
}
