// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope

import "unsafe"

// recovered panics with v again, unless v is nil or is the LimitError with
// which a limit of s has made the function of Run panic.
func (s *Scope) recovered(v any) {
	if limit, ok := v.(*LimitError); v != nil && (!ok || limit.scope != s) {
		panic(v)
	}
}

// errorOfOwner returns the value with which goroutines panic after a limit of
// the scope was crossed.
func errorOfOwner(owner unsafe.Pointer) any {
	return (*Scope)(owner).limitError(nil)
}
