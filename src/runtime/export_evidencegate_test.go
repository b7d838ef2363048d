// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

// MayWaitAtGate reports, by the name of a context, whether a large allocation
// there may wait at the gate of runtime/evidence.
func MayWaitAtGate() map[string]bool {
	may := map[string]bool{"goroutine": mayWaitAtGate()}

	mp := acquirem()
	held := mayWaitAtGate()
	releasem(mp)
	may["locks"] = held

	mp = acquirem()
	mp.preemptoff = "test"
	releasem(mp)
	off := mayWaitAtGate()
	mp.preemptoff = ""
	may["preemption off"] = off

	var system bool
	systemstack(func() { system = mayWaitAtGate() })
	may["system stack"] = system

	watcher := gate.watcher.Load()
	gate.watcher.Store(getg().goid)
	may["watcher"] = mayWaitAtGate()
	child := make(chan bool)
	go func() { child <- mayWaitAtGate() }()
	may["started by the watcher"] = <-child
	gate.watcher.Store(watcher)
	return may
}
