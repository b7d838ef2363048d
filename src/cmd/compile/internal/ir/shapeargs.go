// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Type arguments of generic code: the code of a generic function is compiled for the
// shapes of its type arguments, and a dictionary has the words that differ. Behind
// these noder writes the descriptors of the type arguments, so that whoever sees a
// frame with its dictionary can tell the types of its variables (liveness,
// framevars.go).

package ir

import (
	"cmd/compile/internal/types"
	"slices"
)

// ShapeArgs are the shapes that a function's code is for.
type ShapeArgs struct {
	Types []*types.Type
	Word  int // of the dictionary that has the first one's type argument
}

// shapeArgs has those of all functions that have any. It is written before the back
// end runs, which reads it.
var shapeArgs = make(map[*Func]*ShapeArgs)

// SetShapeArgs notes the shapes that fn's code is for.
func SetShapeArgs(fn *Func, args *ShapeArgs) { shapeArgs[fn] = args }

// DictWord returns the word of fn's dictionary that has the type argument whose shape t
// is, or -1 if t is none, or if several have that shape.
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
