// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// RefsModuleTypes returns the names of what the recorder takes for types, at all
// aligned addresses of the executable's types. It also reads their packages.
func RefsModuleTypes() (names []string) {
	md := &firstmoduledata
	for p := md.types; p < md.etypes; p += goarch.PtrSize {
		if refsModuleType(p) {
			t := toRType((*_type)(unsafe.Pointer(p)))
			_ = t.pkgpath()
			names = append(names, t.string())
		}
	}
	return names
}
