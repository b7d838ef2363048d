// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

const GateBound = gateBound

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

// GateOpening lets two goroutines wait at the gate, whose watcher has not seen
// them, and opens it in the given way. It returns how many still wait, how many
// records of those that wait there are, and whether the timer opens the gate.
func GateOpening(way string) (wait int32, records int, timed bool) {
	evidence_startGate()
	gate.watcher.Store(0) // so that the goroutines wait
	evidence_closeGate()
	ended := make(chan bool, 2)
	for range cap(ended) {
		go func() {
			passGate(1)
			ended <- true
		}()
	}
	state := func() (wait int32, due int64) {
		lock(&gate.mu)
		wait, due = gate.waiting.size, gate.since+gateBound
		unlock(&gate.mu)
		return
	}
	for wait < int32(cap(ended)) {
		Gosched()
		wait, _ = state()
	}
	switch way {
	case "for all, who were seen":
		evidence_waitingBytes()
		fallthrough
	case "for those that were seen":
		evidence_openGate(1, 1<<63)
	case "wide":
		evidence_openGate(-1, 0)
	case "overdue":
		lock(&gate.mu)
		gate.since -= gateBound
		unlock(&gate.mu)
		fallthrough
	case "not yet due":
		gate.timer.stop()
		gateOverdue(nil, 0, 0)
	}
	wait, due := state()
	gate.timer.lock()
	timed, records = gate.timer.when == due, gate.n
	gate.timer.unlock()
	evidence_stopGate()
	for range cap(ended) {
		<-ended
	}
	return wait, records, timed
}
