// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Checker is a server like gopls, for servers.bash. It parses and type-checks a
// package with everything that it imports, keeps the syntax trees and the
// results of go/types, and serves net/http/pprof.
//
//	checker 127.0.0.1:6060 PACKAGE
//
// It prints "load is on" when all packages are checked, and ends a minute
// later.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("checker: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: checker 127.0.0.1:6060 PACKAGE")
	}
	go func() { log.Fatal(http.ListenAndServe(os.Args[1], nil)) }()
	w := &workspace{fset: token.NewFileSet(), packages: make(map[string]*checked)}
	if _, err := w.ImportFrom(os.Args[2], "", 0); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("load is on: %d packages\n", len(w.packages))
	time.Sleep(time.Minute)
	runtime.KeepAlive(w)
}

// A workspace has all packages by directory.
type workspace struct {
	fset     *token.FileSet
	packages map[string]*checked
}

type checked struct {
	types *types.Package
	files []*ast.File
	info  *types.Info
}

func (w *workspace) Import(path string) (*types.Package, error) {
	return w.ImportFrom(path, "", 0)
}

func (w *workspace) ImportFrom(path, dir string, _ types.ImportMode) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	source, err := build.Import(path, dir, 0)
	if err != nil {
		return nil, err
	}
	if p, ok := w.packages[source.Dir]; ok {
		return p.types, nil
	}
	p, err := w.check(source)
	if err != nil {
		return nil, err
	}
	w.packages[source.Dir] = p
	return p.types, nil
}

func (w *workspace) check(source *build.Package) (*checked, error) {
	p := &checked{info: &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:     make(map[ast.Node]*types.Scope),
	}}
	for _, name := range source.GoFiles {
		file, err := parser.ParseFile(w.fset, filepath.Join(source.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, file)
	}
	config := types.Config{
		Importer:    w,
		FakeImportC: true,
		Sizes:       types.SizesFor("gc", runtime.GOARCH),
	}
	var err error
	p.types, err = config.Check(source.ImportPath, w.fset, p.files, p.info)
	return p, err
}
