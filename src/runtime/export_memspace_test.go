// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/profilerecord"
	"internal/stringslite"
	"unsafe"
)

// MemProfileSpace is what package pprof reads.
func MemProfileSpace(p []profilerecord.MemSpaceRecord, space *profilerecord.MemSpace) (n int, ok bool) {
	return pprof_memProfileSpace(p, space)
}

// MemSpaceNow returns what memory is used for at a moment, and all metrics whose names begin
// with /memory/classes/ at the same moment, and what Go's memory is by the pacer's count.
func MemSpaceNow() (space profilerecord.MemSpace, classes map[string]uint64, ready uint64) {
	classes = make(map[string]uint64)
	metricsLock()
	defer metricsUnlock()
	initMetrics()
	deps := makeStatDepSet(heapStatsDep, sysStatsDep)
	agg, v := new(statAggregate), new(metricValue)

	stw := stopTheWorld(stwForTestReadMetricsSlow)
	var c memSpaceCycle
	systemstack(func() {
		flushallmcaches()
		c.read()
		agg.ensure(&deps)
		ready = gcController.mappedReady.Load()
	})
	startTheWorld(stw)

	for name, m := range metrics {
		if stringslite.HasPrefix(name, "/memory/classes/") {
			m.compute(agg, v)
			classes[name] = v.scalar
		}
	}
	return c.record(), classes, ready
}

// MemSpaceArenasFreed returns the bytes of user arenas that the program has freed, ever.
func MemSpaceArenasFreed() uint64 { return uint64(memSpace.arenas.Load()) }

// MemSpaceSize is the bytes that the state takes, and those of each bucket.
func MemSpaceSize() (state, bucket uintptr) {
	return unsafe.Sizeof(memSpace), unsafe.Sizeof(memRecord{}.dead)
}

// MemSpaceRead does what is done for each mark termination with the world stopped, n times.
func MemSpaceRead(n int) {
	systemstack(func() {
		for range n {
			var c memSpaceCycle
			c.read()
		}
	})
}

// MemSpaceUncounted does what is done for each P after a mark termination, n times. States as
// of the latest one are wrong afterwards.
func MemSpaceUncounted(n int) {
	mp := acquirem()
	for range n {
		memSpaceUncounted(getMCache(mp))
	}
	releasem(mp)
}
