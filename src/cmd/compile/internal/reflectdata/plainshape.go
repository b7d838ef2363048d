// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Plain shapes: the types to which frame variables refer in place of shapes
// with promoted methods.
//
// A descriptor refers to the wrappers of the type's promoted methods. noder
// makes wrappers only for types that it reads. In most cases, the underlying
// struct of a shape is the struct in a type declaration. No variable has this
// struct itself as its type, so noder makes no wrappers for it. If such a
// struct has promoted methods, a program with its descriptor does not link.
// Frame variables refer to the plain shape instead. The plain shape has the
// same fields at the same offsets, but embeds none of them, and so has no
// methods.
//
// The compiler calls MakePlainShapes when noder has read all types. After that
// it runs the back end, which calls PlainShape (liveness/framevars.go).

package reflectdata

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/typecheck"
	"cmd/compile/internal/types"
	"slices"
)

// plainShapes has the plain shape of each struct that is the underlying type of
// a shape and has promoted methods. The back end only reads it.
var plainShapes = make(map[*types.Type]*types.Type)

// MakePlainShapes fills in plainShapes.
func MakePlainShapes() {
	if base.Debug.FrameVars == 0 || base.Flag.CompilingRuntime {
		return
	}
	for _, sym := range types.ShapePkg.Syms {
		if sym.Def == nil {
			continue
		}
		if t := sym.Def.Type().Underlying(); hasPromotedMethods(t) {
			plainShapes[t] = newPlainStruct(t)
		}
	}
}

// PlainShape returns the type that a frame variable refers to in place of t.
// This is t itself unless t has a plain shape.
func PlainShape(t *types.Type) *types.Type {
	if plain := plainShapes[t]; plain != nil {
		return plain
	}
	return t
}

// hasPromotedMethods reports whether t is a struct, and its descriptor or that
// of a pointer to it has methods. Structs that contain shapes have no
// descriptors.
func hasPromotedMethods(t *types.Type) bool {
	if !t.IsStruct() || t.HasShape() || !slices.ContainsFunc(t.Fields(), isEmbedded) {
		return false
	}
	typecheck.CalcMethods(t)
	return len(t.AllMethods()) != 0
}

func isEmbedded(f *types.Field) bool { return f.Embedded != 0 }

// newPlainStruct returns a struct that has the fields of t and embeds none.
func newPlainStruct(t *types.Type) *types.Type {
	fields := make([]*types.Field, t.NumFields())
	for i, f := range t.Fields() {
		fields[i] = types.NewField(f.Pos, f.Sym, f.Type)
		fields[i].Note = f.Note
	}
	plain := types.NewStruct(fields)
	types.CalcSize(plain)
	if plain.Size() != t.Size() {
		base.FatalfAt(t.Pos(), "%v has another size than %v", plain, t)
	}
	return plain
}
