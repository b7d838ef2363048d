// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refpath

import (
	"bytes"
	"internal/heapgraph"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	testItem           struct{ next *testItem }
	testPair[K, V any] struct {
		key   K
		value V
	}
)

// TestTypeNames checks how types are written in this package. Types without
// type arguments must be written in other packages as reflect writes them.
func TestTypeNames(t *testing.T) {
	for _, test := range []struct {
		typ       reflect.Type
		here      string
		elsewhere string // in other packages, if not as reflect writes it
	}{
		{reflect.TypeFor[int](), "int", ""},
		{reflect.TypeFor[error](), "error", ""},
		{reflect.TypeFor[any](), "interface {}", ""},
		{reflect.TypeFor[testItem](), "testItem", ""},
		{reflect.TypeFor[*testItem](), "*testItem", ""},
		{reflect.TypeFor[*bytes.Buffer](), "*bytes.Buffer", ""},
		{reflect.TypeFor[[]*testItem](), "[]*testItem", ""},
		{reflect.TypeFor[[3][]time.Time](), "[3][]time.Time", ""},
		{reflect.TypeFor[map[testItem]*bytes.Buffer](), "map[testItem]*bytes.Buffer", ""},
		{reflect.TypeFor[map[time.Time]map[string]testItem](), "map[time.Time]map[string]testItem", ""},
		{reflect.TypeFor[chan testItem](), "chan testItem", ""},
		{reflect.TypeFor[<-chan *testItem](), "<-chan *testItem", ""},
		{reflect.TypeFor[chan<- *testItem](), "chan<- *testItem", ""},
		{reflect.TypeFor[chan (<-chan testItem)](), "chan (<-chan testItem)", ""},
		{reflect.TypeFor[chan<- (<-chan testItem)](), "chan<- <-chan testItem", ""},
		{reflect.TypeFor[func()](), "func()", ""},
		{reflect.TypeFor[func(testItem) *testItem](), "func(testItem) *testItem", ""},
		{reflect.TypeFor[func(io.Reader, ...testItem) (int, error)](), "func(io.Reader, ...testItem) (int, error)", ""},
		{reflect.TypeFor[struct{}](), "struct {}", ""},
		{reflect.TypeFor[struct {
			testItem
			*bytes.Buffer
			List []testItem `json:"list"`
			n, m int
		}](), `struct { testItem; *bytes.Buffer; List []testItem "json:\"list\""; n int; m int }`, ""},
		{reflect.TypeFor[interface{ Write([]byte) }](), "interface { Write([]uint8) }", ""},
		{
			reflect.TypeFor[testPair[string, *testItem]](),
			"testPair[string,*testItem]",
			"refpath.testPair[string,*refpath.testItem]",
		},
		{
			reflect.TypeFor[*testPair[map[testItem]bytes.Buffer, testPair[int, []testItem]]](),
			"*testPair[map[testItem]bytes.Buffer,testPair[int,[]testItem]]",
			"*refpath.testPair[map[refpath.testItem]bytes.Buffer,refpath.testPair[int,[]refpath.testItem]]",
		},
		{
			reflect.TypeFor[testPair[func(testItem, ...int), struct{ N testItem }]](),
			"testPair[func(testItem, ...int),struct { N testItem }]",
			"refpath.testPair[func(refpath.testItem, ...int),struct { N refpath.testItem }]",
		},
	} {
		here := pkgPath(reflect.TypeFor[testItem]().PkgPath())
		if got := here.typeName(test.typ); got != test.here {
			t.Errorf("%v in its package: %s, want %s", test.typ, got, test.here)
		}
		want := test.elsewhere
		if want == "" {
			want = test.typ.String()
		}
		for _, pkg := range []pkgPath{"", "example.com/app", "refpath"} {
			if got := pkg.typeName(test.typ); got != want {
				t.Errorf("%v in package %q: %s, want %s", test.typ, pkg, got, want)
			}
		}
	}
}

// TestFullNames checks types with the paths of their packages.
func TestFullNames(t *testing.T) {
	for typ, want := range map[reflect.Type]string{
		reflect.TypeFor[int]():                            "int",
		reflect.TypeFor[error]():                          "error",
		reflect.TypeFor[testItem]():                       "internal/refpath.testItem",
		reflect.TypeFor[map[string][]*heapgraph.Writer](): "map[string][]*internal/heapgraph.Writer",
		reflect.TypeFor[testPair[int, *testItem]]():       "internal/refpath.testPair[int,*internal/refpath.testItem]",
		reflect.TypeFor[func(testItem) time.Time]():       "func(internal/refpath.testItem) time.Time",
	} {
		if got := FullName(typ); got != want {
			t.Errorf("%v: %s, want %s", typ, got, want)
		}
	}
}

func TestOwnerPackage(t *testing.T) {
	for name, want := range map[string]pkgPath{
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

// TestTypeNamesCut checks that a name whose front is cut off at dots still ends
// with the field or variable, if the types are of the owner's package.
func TestTypeNamesCut(t *testing.T) {
	pkg := ownerPackage("internal/refpath.testItem.next")
	name := "internal/refpath.testItem.next " + pkg.typeName(reflect.TypeFor[map[string]*testPair[int, testItem]]())
	if got, want := name[strings.LastIndexByte(name, '.')+1:], "next map[string]*testPair[int,testItem]"; got != want {
		t.Errorf("%s is cut to %s, want %s", name, got, want)
	}
}
