// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Frame variables: funcdata that only the recorder of references reads (see
// package internal/vartable). Programs without the recorder have none. The link
// calls dropFrameVars after deadcode and linksetup, when it is known which
// functions the program has.

package ld

import (
	"cmd/link/internal/loader"
	"internal/abi"
)

// dropFrameVars makes all frame variables unreachable if nothing reads them.
func (ctxt *Link) dropFrameVars() {
	ldr := ctxt.loader
	if refsRecords(ldr) {
		return
	}
	var funcdata []loader.Sym
	for _, s := range ctxt.Textp {
		funcdata = ldr.Funcdata(s, funcdata)
		if len(funcdata) > abi.FUNCDATA_FrameVars && funcdata[abi.FUNCDATA_FrameVars] != 0 {
			ldr.SetAttrReachable(funcdata[abi.FUNCDATA_FrameVars], false)
		}
	}
}

// withoutDropped returns a function's funcdata. If dropFrameVars has dropped the
// last one, it returns them without that and without the missing ones before it.
func withoutDropped(ldr *loader.Loader, funcdata []loader.Sym) []loader.Sym {
	n := len(funcdata)
	if n != abi.FUNCDATA_FrameVars+1 || ldr.AttrReachable(funcdata[n-1]) {
		return funcdata
	}
	for n--; n > 0 && funcdata[n-1] == 0; n-- {
	}
	return funcdata[:n]
}
