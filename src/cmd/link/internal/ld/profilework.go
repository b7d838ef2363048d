// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Work of the runtime for profiles that are always recorded. Only programs that
// can request such a profile do the work. The runtime calls the functions for
// this work through a pointer to a table of functions. Only the code that reads
// the profile refers to the table itself. If deadcode reaches that code, the
// link sets the pointer. Otherwise the pointer is nil, and the program has
// neither the table nor its functions.

package ld

import "cmd/link/internal/sym"

// profileWork has the names of the pointers and the tables.
var profileWork = []struct{ pointer, table string }{
	{"runtime.growthWork", "runtime.growthFunctions"},
	{"runtime.memUsageWork", "runtime.memUsageFunctions"},
}

// profileWorkRoots returns symbols to keep even if nothing refers to them. In a
// program that links dynamically, these are the tables and the pointer to the
// table of globals, because a module that is loaded later may read a profile.
// In other programs there are none.
func (ctxt *Link) profileWorkRoots() (symbols []string) {
	if ctxt.DynlinkingGo() {
		for _, w := range profileWork {
			symbols = append(symbols, w.table)
		}
		symbols = append(symbols, refsGlobalsPointer)
	}
	return symbols
}

// setProfileWork sets the pointers to the tables that deadcode has reached. The
// link of a module that contains the runtime calls it.
func (ctxt *Link) setProfileWork() {
	ldr := ctxt.loader
	for _, w := range profileWork {
		table := ldr.Lookup(w.table, 0)
		if table == 0 || !ldr.AttrReachable(table) {
			continue
		}
		p := ldr.MakeSymbolUpdater(ldr.Lookup(w.pointer, 0))
		p.SetType(sym.SNOPTRDATA)
		p.SetSize(0) // AddAddr makes it the size of a pointer
		p.SetData(nil)
		p.AddAddr(ctxt.Arch, table)
	}
}
