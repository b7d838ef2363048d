// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frame variables: funcdata that only the recorder of references and readers of
// core files read (see package internal/vartable). In a program without the
// recorder, the deadcode pass does not reach them, unless the program links
// dynamically (see keepsFrameVars). A function whose frame variables are not
// reached has no such funcdata.

package ld

import (
	"cmd/internal/goobj"
	"cmd/link/internal/loader"
	"internal/abi"
	"strings"
)

// isFrameVars reports whether aux, the auxiliary symbol i of s, is a function's
// frame variables. Auxiliary symbols for funcdata stand together, in the order of
// their indices.
func (d *deadcodePass) isFrameVars(aux loader.Aux, s loader.Sym, i int) bool {
	first := i - abi.FUNCDATA_FrameVars
	return aux.Type() == goobj.AuxFuncdata && first >= 0 && d.isFuncdata(s, first) &&
		(first == 0 || !d.isFuncdata(s, first-1))
}

func (d *deadcodePass) isFuncdata(s loader.Sym, i int) bool {
	aux := d.ldr.Aux(s, i)
	return aux.Type() == goobj.AuxFuncdata
}

// keepsFrameVars reports whether to keep vars, the frame variables of fn, as
// far as the pass knows. The link of a module that may load another module, or
// be loaded by one, does not know whether the program can record references. It
// keeps the frame variables. The link of a module that refers to a shared
// library keeps none: the types of the variables may be in the library, at an
// offset that this link does not know.
func (d *deadcodePass) keepsFrameVars(vars, fn loader.Sym) bool {
	return d.dynlink && !d.ctxt.linkShared || d.refsKeep(vars, fn)
}

// isFrameVarsSymbol reports whether s is frame variables, by the name that the
// compiler gives them. A type can have such a name, too.
func (d *deadcodePass) isFrameVarsSymbol(s loader.Sym) bool {
	name := d.ldr.SymName(s)
	return (strings.HasSuffix(name, ".framevars0") || strings.HasSuffix(name, ".framevars1")) &&
		d.ldr.SymType(s).IsRODATA() && !d.ldr.IsGoType(s)
}

// withoutDropped returns funcdata, the symbols of a function's funcdata,
// without frame variables that are not reachable. If it leaves these out, it
// also leaves out the missing symbols that are then at the end.
func withoutDropped(ldr *loader.Loader, funcdata []loader.Sym) []loader.Sym {
	n := len(funcdata)
	if n != abi.FUNCDATA_FrameVars+1 || ldr.AttrReachable(funcdata[n-1]) {
		return funcdata
	}
	for n--; n > 0 && funcdata[n-1] == 0; n-- {
	}
	return funcdata[:n]
}
