// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Dictionaries have references to the type arguments, behind the words that
// generic code uses (see ir/shapeargs.go).

package noder

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/objw"
	"cmd/compile/internal/reflectdata"
	"cmd/internal/obj"
)

// writeTypeArgs writes weak references to the descriptors of the type arguments
// at offset ot of the dictionary, and returns the offset behind them. It writes
// them whatever the package's flags are, because another package may write the
// same dictionary.
func (dict *readerDict) writeTypeArgs(lsym *obj.LSym, ot int) int {
	for _, targ := range dict.targs {
		ot = objw.SymPtrWeak(lsym, ot, reflectdata.WeakTypeSym(targ), 0)
	}
	return ot
}

// noteShapeArgs sets the shapes of fn if the code of fn is compiled for shapes.
// It does nothing if the compiler does not write frame variables.
func (r *reader) noteShapeArgs(fn *ir.Func) {
	if base.Debug.FrameVars == 0 || !r.hasTypeParams() || !r.dict.shaped {
		return
	}
	ir.SetShapeArgs(fn, &ir.ShapeArgs{Types: r.dict.targs, Word: int(r.dict.numWords())})
}
