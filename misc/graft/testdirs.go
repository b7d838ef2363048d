// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// Upstream's runner of GOROOT/test (cmd/internal/testdir) has a list of
// directories, and requires that all of them exist. The overlay has no files
// for most of them.

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// makeTestDirs makes the directories under goroot/test that the runner reads.
func makeTestDirs(goroot string) error {
	dirs, err := testDirs(filepath.Join(goroot, "src/cmd/internal/testdir/testdir_test.go"))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(filepath.Join(goroot, "test", filepath.FromSlash(dir)), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// testDirs returns the strings in the variable dirs of the runner's source.
func testDirs(file string) ([]string, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dirs []string
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || spec.Names[0].Name != "dirs" || len(spec.Values) != 1 {
			return true
		}
		ast.Inspect(spec.Values[0], func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				dir, _ := strconv.Unquote(lit.Value)
				dirs = append(dirs, dir)
			}
			return true
		})
		return false
	})
	return dirs, nil
}
