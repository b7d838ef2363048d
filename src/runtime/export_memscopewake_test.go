// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

var memscopeSink []byte

// MemscopeCross allocates n bytes, which is to cross a limit of the goroutine's
// scope. It reports whether the goroutine that cancels scopes was idle before,
// and whether the allocation has woken it. GOMAXPROCS must be 1, so that nothing
// else wakes it.
func MemscopeCross(n int) (idle, woken bool) {
	w := &memscopeWatcher
	mp := getg().m
	mp.preemptoff = "crossing a limit" // keeps the scheduler out
	idle = w.idle.Load() == 1
	memscopeSink = make([]byte, n)
	woken = w.idle.Load() == 0
	mp.preemptoff = ""
	return idle, woken
}
