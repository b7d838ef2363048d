// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Type arguments of generic code. The code of a generic function is compiled
// for the shapes of its type arguments, and a dictionary has the words that
// depend on the type arguments themselves. Behind these words, noder writes
// references to the descriptors of the type arguments. They give the types of
// variables in a frame whose dictionary is known (see liveness/framevars.go).

package ir

import (
	"cmd/compile/internal/types"
	"slices"
)

// ShapeArgs are the shapes for which a function's code is compiled.
type ShapeArgs struct {
	Types []*types.Type
	Word  int // index of the dictionary's word for the first type argument
}

// shapeArgs has the shapes of each function that has any. noder writes it. The
// back end runs later, and only reads it.
var shapeArgs = make(map[*Func]*ShapeArgs)

// SetShapeArgs sets the shapes for which fn's code is compiled.
func SetShapeArgs(fn *Func, args *ShapeArgs) { shapeArgs[fn] = args }

// DictWord returns the index of the word of f's dictionary that has the type
// argument with shape t. It returns -1 if t is nil, or if not exactly one type
// argument has the shape.
func (f *Func) DictWord(t *types.Type) int {
	args := shapeArgs[f]
	if args == nil || t == nil {
		return -1
	}
	i := slices.Index(args.Types, t)
	if i < 0 || slices.Contains(args.Types[i+1:], t) {
		return -1
	}
	return args.Word + i
}
