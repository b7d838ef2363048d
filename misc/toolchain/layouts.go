// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file compares the layouts of the values that the standard library's
// linknamed symbols pass. Many modules reach these symbols by declarations of
// their own, which are copies of upstream's. Therefore the fork's symbols must
// have the same types as upstream's, and the fields of the structs that they
// pass must have the same sizes and offsets. A tree of sources is type-checked
// without function bodies, for any platform. The sizes and offsets of its types
// are those that the compiler uses.

package toolchain

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is the standard library in a GOROOT, for one platform. It imports packages.
type tree struct {
	context  build.Context
	config   types.Config
	sizes    types.Sizes
	fset     *token.FileSet
	packages map[string]*types.Package
	symbols  map[string]types.Object // linknamed functions and variables, by package and name
}

func newTree(goroot, goos, goarch string) *tree {
	t := &tree{
		context:  build.Default,
		sizes:    types.SizesFor("gc", goarch),
		fset:     token.NewFileSet(),
		packages: map[string]*types.Package{"unsafe": types.Unsafe},
		symbols:  make(map[string]types.Object),
	}
	t.context.GOROOT, t.context.GOOS, t.context.GOARCH, t.context.CgoEnabled = goroot, goos, goarch, false
	if goarch == "386" { // these tags are of the platform that runs the test
		t.context.ToolTags = slices.DeleteFunc(slices.Clone(t.context.ToolTags), func(tag string) bool {
			return strings.HasPrefix(tag, "goexperiment.regabi")
		})
	}
	t.config = types.Config{Importer: t, Sizes: t.sizes, IgnoreFuncBodies: true, FakeImportC: true}
	return t
}

// load checks all packages below the folders of GOROOT/src.
func (t *tree) load(folders ...string) error {
	src := filepath.Join(t.context.GOROOT, "src")
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(src, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" || d.Name() == "vendor" || strings.HasPrefix(d.Name(), "_") {
				return fs.SkipDir
			}
			name, err := filepath.Rel(src, path)
			if err != nil {
				return err
			}
			_, err = t.Import(filepath.ToSlash(name))
			if _, none := err.(*build.NoGoError); none {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Import implements types.Importer.
func (t *tree) Import(path string) (*types.Package, error) {
	if p, ok := t.packages[path]; ok {
		return p, nil
	}
	dir := filepath.Join(t.context.GOROOT, "src", path)
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Join(t.context.GOROOT, "src", "vendor", path)
	}
	found, err := t.context.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range found.GoFiles {
		file, err := parser.ParseFile(t.fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	p, err := t.config.Check(path, t.fset, files, nil)
	if err != nil {
		return nil, err
	}
	t.packages[path] = p
	for _, file := range files {
		t.addSymbols(p, file)
	}
	return p, nil
}

// addSymbols records the functions and variables of a package for which a file
// of it has linkname directives.
func (t *tree) addSymbols(p *types.Package, file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			words := strings.Fields(c.Text)
			if len(words) < 2 || words[0] != "//go:linkname" {
				continue
			}
			if object := p.Scope().Lookup(words[1]); object != nil {
				t.symbols[p.Path()+"."+words[1]] = object
			}
		}
	}
}

// A layout has the structs that symbols pass, by name, and how the symbols pass
// them.
type layout struct {
	*tree
	structs map[string]*passed
}

// A passed struct is one that symbols pass.
type passed struct {
	*types.Struct
	by      string // a symbol that passes it, by value if one does
	byValue bool   // a symbol passes it with no pointer in between; slices, maps and channels are no pointers here
}

// layout returns the structs that the symbols pass.
func (t *tree) layout() *layout {
	l := &layout{t, make(map[string]*passed)}
	for name, object := range t.symbols {
		l.add(object.Type(), name, true)
	}
	return l
}

// add adds the structs in a type that symbol passes.
func (l *layout) add(typ types.Type, symbol string, byValue bool) {
	switch typ := types.Unalias(typ).(type) {
	case *types.Named:
		s, ok := typ.Underlying().(*types.Struct)
		if !ok {
			l.add(typ.Underlying(), symbol, byValue)
			return
		}
		name := typeName(typ)
		known := l.structs[name]
		if known == nil {
			known = &passed{Struct: s, by: symbol}
			l.structs[name] = known
			for f := range s.Fields() {
				l.add(f.Type(), symbol, byValue)
			}
		}
		if byValue && !known.byValue {
			known.byValue, known.by = true, symbol
			for f := range s.Fields() {
				l.add(f.Type(), symbol, true)
			}
		}
	case *types.Struct:
		for f := range typ.Fields() {
			l.add(f.Type(), symbol, byValue)
		}
	case *types.Pointer:
		l.add(typ.Elem(), symbol, false)
	case *types.Slice:
		l.add(typ.Elem(), symbol, byValue)
	case *types.Array:
		l.add(typ.Elem(), symbol, byValue)
	case *types.Chan:
		l.add(typ.Elem(), symbol, byValue)
	case *types.Map:
		l.add(typ.Key(), symbol, byValue)
		l.add(typ.Elem(), symbol, byValue)
	case *types.Signature:
		for _, tuple := range []*types.Tuple{typ.Params(), typ.Results()} {
			for v := range tuple.Variables() {
				l.add(v.Type(), symbol, byValue)
			}
		}
	}
}

func typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Path() })
}

// fields returns the offset, size and type of each field of a struct, without those of size
// 0, and the struct's size.
func (l *layout) fields(name string) (fields map[string]string, size int64) {
	s := l.structs[name].Struct
	var all []*types.Var
	for f := range s.Fields() {
		all = append(all, f)
	}
	fields = make(map[string]string)
	for i, offset := range l.sizes.Offsetsof(all) {
		if n := l.sizes.Sizeof(all[i].Type()); n != 0 {
			fields[all[i].Name()] = fmt.Sprintf("at %d, %d bytes of %s", offset, n, typeName(all[i].Type()))
		}
	}
	return fields, l.sizes.Sizeof(s)
}

// differences returns how the fork's symbols and structs differ from upstream's
// for modules that have upstream's declarations. Structs in grown, which the
// runtime alone allocates, may be larger if they are only passed behind
// pointers and upstream's fields have the same offsets.
func differences(upstream, fork *tree, grown ...string) (all []string) {
	report := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for name, object := range upstream.symbols {
		ours := fork.symbols[name]
		if ours == nil {
			report("%s: no such symbol", name)
		} else if got, want := typeName(ours.Type()), typeName(object.Type()); got != want {
			report("%s: %s, want %s", name, got, want)
		}
	}
	theirs, ours := upstream.layout(), fork.layout()
	for name, s := range theirs.structs {
		if ours.structs[name] == nil {
			report("%s, which %s passes: no such struct", name, s.by)
			continue
		}
		want, wantSize := theirs.fields(name)
		got, size := ours.fields(name)
		if size != wantSize && (s.byValue || size < wantSize || !slices.Contains(grown, name)) {
			report("%s, which %s passes: %d bytes, want %d", name, s.by, size, wantSize)
		}
		for field, where := range want {
			if got[field] != where {
				report("%s.%s, which %s passes: %s, want %s", name, field, s.by, got[field], where)
			}
		}
	}
	slices.Sort(all)
	return all
}
