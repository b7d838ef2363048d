// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package reflectdata

import (
	"cmd/compile/internal/types"
	"cmd/internal/obj"
)

// WeakTypeSym returns the symbol of t's descriptor, to which callers refer
// weakly. It does not request the descriptor. Unlike TypeLinksym it does not
// need the size of t, which the compilation of a package may never compute.
func WeakTypeSym(t *types.Type) *obj.LSym {
	name := t.LinkString()
	if t.Noalg() {
		name = "noalg." + name
	}
	return types.TypeSymLookup(name).Linksym()
}
