// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// origin returns the function of the source that f is made from.
func origin(f *ssa.Function) *ssa.Function {
	if o := f.Origin(); o != nil {
		return o
	}
	return f
}

func position(f *ssa.Function) token.Pos {
	return origin(f).Pos()
}

// has reports whether f is declared with the directive. Functions that package
// ssa makes, such as those of method values, have none.
func has(f *ssa.Function, directive string) bool {
	decl, ok := origin(f).Syntax().(*ast.FuncDecl)
	if !ok || decl.Doc == nil {
		return false
	}
	return slices.ContainsFunc(decl.Doc.List, func(c *ast.Comment) bool { return c.Text == "//go:"+directive })
}

// splits reports whether the stack may be split in f. Functions without a body
// are in assembly or intrinsic, where it may not. Of Go's functions, the
// assembler also makes those nosplit that call nothing. Ours must say so.
func (p *program) splits(f *ssa.Function) bool {
	if has(f, "nosplit") || len(f.Blocks) == 0 {
		return false
	}
	return p.isOurs(f) || len(p.calls[f]) > 0
}
