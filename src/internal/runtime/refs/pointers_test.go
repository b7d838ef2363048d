// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"testing"
)

// TestPointerless checks that no type and no variable of the package has
// pointers. If one had, an assignment might need a write barrier, and the
// compiler does not look for write barriers in packages that the runtime
// imports. Exceptions are the fields by which Paths and Array reach their user,
// who sets them before marking begins.
func TestPointerless(t *testing.T) {
	const path = "internal/runtime/refs"
	if _, err := build.Default.Import(path, "", build.FindOnly); err != nil {
		t.Skip(err)
	}
	pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.TypeName, *types.Var:
			if types.IsInterface(obj.Type()) {
				continue
			}
			n++
			if why := pointers(obj.Type(), name); why != "" {
				t.Errorf("%s has pointers", why)
			}
		}
	}
	if n == 0 {
		t.Error("there are no types")
	}
}

// pointers returns a part of a value of type t that is a pointer, or "".
func pointers(t types.Type, name string) string {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		if t.Kind() == types.String || t.Kind() == types.UnsafePointer {
			return name
		}
		return ""
	case *types.Interface:
		switch name {
		case "Paths.Heap", "Paths.nodes.Memory", "Paths.evidence.array.Memory", "Array.Memory", "evidence.array.Memory":
			return ""
		}
	case *types.Array:
		return pointers(t.Elem(), name+"[]")
	case *types.Struct:
		for f := range t.Fields() {
			if why := pointers(f.Type(), name+"."+f.Name()); why != "" {
				return why
			}
		}
		return ""
	}
	return name
}
