// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Typecheck parses and type-checks a package that it makes, which is most of the
// work of a compiler's front end.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"strings"

	"gorefs/misc/bench/programs/iterate"
)

func main() {
	iterate.Main(map[string]iterate.Body{"typecheck": check})
}

// check checks the package n times.
func check(n int) {
	source := source(200)
	for range n {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "p.go", source, parser.ParseComments)
		if err != nil {
			log.Fatal(err)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := new(types.Config).Check("p", set, []*ast.File{file}, info); err != nil {
			log.Fatal(err)
		}
	}
}

// source returns a package with n types, each of which has a method, and with n
// generic functions.
func source(n int) string {
	var b strings.Builder
	b.WriteString("package p\n")
	for i := range n {
		fmt.Fprintf(&b, `
// T%[1]d is a list.
type T%[1]d struct {
	next  *T%[1]d
	value map[string][]int
}

func (t *T%[1]d) Len() (n int) {
	for ; t != nil; t = t.next {
		n += len(t.value["key"]) + %[1]d
	}
	return n
}

func Map%[1]d[K comparable, V any](m map[K]V, f func(K, V) bool) []K {
	var keys []K
	for k, v := range m {
		if f(k, v) {
			keys = append(keys, k)
		}
	}
	return keys
}

var _ = Map%[1]d(map[int]*T%[1]d{1: {}}, func(k int, t *T%[1]d) bool { return t.Len() > k })
`, i)
	}
	return b.String()
}
