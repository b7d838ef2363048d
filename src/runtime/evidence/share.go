// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"time"
	_ "unsafe" // for linkname
)

// pprof_memoryInUse returns memory in use, the amount that is the share of the
// memory limit, the limit, and its source. If there is no limit, it is 0.
//
//go:linkname pprof_memoryInUse net/http/pprof.memoryInUse
func pprof_memoryInUse(share int) (inUse, due, limit int64, source string) {
	m := newMeter(share)
	defer m.forget()
	u := m.read(time.Now())
	return u.inUse, u.due, u.limit, u.source
}
