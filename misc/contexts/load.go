// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// A program is the code to check.
type program struct {
	ssa     *ssa.Program
	runtime *ssa.Package
	all     []*ssa.Function   // sorted
	ours    map[string]bool   // our files, by absolute name
	links   map[string]string // linkname: from the name of a function without a body to that of its body
	calls   map[*ssa.Function][]call

	escapes    map[string]bool // lines of the runtime that allocate from the heap; nil: all that may
	orderTable ast.Expr        // the initial value of the runtime's lockPartialOrder
}

// newFiles returns the files in goroot/src that upstream's commit, which is the
// first one, does not have.
func newFiles(goroot string) (map[string]bool, error) {
	git := func(args ...string) ([]string, error) {
		cmd := exec.Command("git", append([]string{"-C", goroot}, args...)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		return strings.Fields(string(out)), err
	}
	first, err := git("rev-list", "--max-parents=0", "HEAD")
	if err != nil || len(first) != 1 {
		return nil, fmt.Errorf("%s has no commit of upstream's release: %v", goroot, err)
	}
	names, err := git("ls-tree", "-r", "--name-only", first[0], "src/runtime", "src/internal", "src/syscall")
	if err != nil {
		return nil, err
	}
	upstream := make(map[string]bool)
	for _, name := range names {
		upstream[name] = true
	}
	ours := make(map[string]bool)
	root, err := filepath.Abs(goroot)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(filepath.Join(root, "src"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		name := filepath.ToSlash(path[len(root)+1:])
		for _, dir := range []string{"src/runtime/", "src/internal/", "src/syscall/"} {
			if strings.HasPrefix(name, dir) && !upstream[name] {
				ours[path] = true
			}
		}
		return nil
	})
	return ours, err
}

// load loads the packages with all that they import. The first one is the
// runtime.
func load(dir string, env []string, ours map[string]bool, patterns ...string) (*program, error) {
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Dir: dir,
		Env: append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local"), env...),
	}
	list, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(list) > 0 {
		return nil, errors.New("cannot load the packages")
	}
	prog, built := ssautil.AllPackages(list, ssa.InstantiateGenerics)
	prog.Build()
	p := &program{ssa: prog, ours: ours, links: make(map[string]string)}
	p.all = slices.SortedFunc(maps.Keys(ssautil.AllFunctions(prog)), func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.String(), b.String()), cmp.Compare(a.Pos(), b.Pos()))
	})
	for i, pkg := range list {
		if pkg.PkgPath == patterns[0] || len(patterns) == 1 {
			p.runtime = built[i]
		}
	}
	packages.Visit(list, nil, func(pkg *packages.Package) {
		for _, f := range pkg.Syntax {
			p.readLinks(pkg.PkgPath, f)
			p.readOrderTable(f)
		}
	})
	p.connect()
	return p, nil
}

// readLinks collects the linkname directives of a file. Which of the two names
// has the body shows later, in body.
func (p *program) readLinks(pkg string, f *ast.File) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if words := strings.Fields(c.Text); len(words) == 3 && words[0] == "//go:linkname" {
				local := pkg + "." + words[1]
				p.links[local] = words[2]
				if _, ok := p.links[words[2]]; !ok {
					p.links[words[2]] = local
				}
			}
		}
	}
}

// readOrderTable looks for the value of lockPartialOrder in a file.
func (p *program) readOrderTable(f *ast.File) {
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && v.Names[0].Name == "lockPartialOrder" {
				p.orderTable = v.Values[0]
			}
		}
	}
}

// isOurs reports whether f is in one of our files.
func (p *program) isOurs(f *ssa.Function) bool {
	return p.ours[p.ssa.Fset.Position(position(f)).Filename]
}
