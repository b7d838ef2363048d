// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

import "unsafe"

// A LabelledMemRecord is the heap profile's record of the objects of one call
// stack and size that were allocated with the same labels. MemProfileRecord can
// have no additional fields, because modules reach it by linkname with copies
// of upstream's declaration.
type LabelledMemRecord struct {
	MemProfileRecord
	Labels unsafe.Pointer // pprof labels with which the objects were allocated
	Scope  unsafe.Pointer // label of the memory scope in which they were allocated, if the scope has a name
}
