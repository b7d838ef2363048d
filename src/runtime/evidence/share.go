// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"time"
	_ "unsafe" // for linkname
)

// pprof_memoryInUse returns memory in use, the memory in use at which a set
// would be due for this share, the memory limit, and the source of the limit.
// The limit is 0 if there is none.
//
//go:linkname pprof_memoryInUse net/http/pprof.memoryInUse
func pprof_memoryInUse(share int) (inUse, due, limit int64, source string) {
	m := newMeter(share)
	defer m.forget()
	u := m.read(time.Now())
	return u.inUse, u.due, u.limit, u.source
}
