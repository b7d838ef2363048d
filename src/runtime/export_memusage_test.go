// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/profilerecord"
	"internal/stringslite"
	"unsafe"
)

// MemProfileUsage is what package pprof reads.
func MemProfileUsage(p []profilerecord.MemUsageRecord, usage *profilerecord.MemUsage) (n int, ok bool) {
	return pprof_memProfileUsage(p, usage)
}

// MemUsageNow returns what memory is used for at a moment, and all metrics whose names begin
// with /memory/classes/ at the same moment, and what Go's memory is by the pacer's count.
func MemUsageNow() (usage profilerecord.MemUsage, classes map[string]uint64, ready uint64) {
	classes = make(map[string]uint64)
	metricsLock()
	defer metricsUnlock()
	initMetrics()
	deps := makeStatDepSet(heapStatsDep, sysStatsDep)
	agg, v := new(statAggregate), new(metricValue)

	stw := stopTheWorld(stwForTestReadMetricsSlow)
	var c memUsageCycle
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

// MemUsageArenasFreed returns the bytes of user arenas that the program has freed, ever.
func MemUsageArenasFreed() uint64 { return uint64(memUsage.arenas.Load()) }

// MemUsageSize is the bytes that the state takes, and those of each bucket.
func MemUsageSize() (state, bucket uintptr) {
	return unsafe.Sizeof(memUsage), unsafe.Sizeof(memRecord{}.dead)
}

// MemUsageRead does what is done for each mark termination with the world stopped, n times.
func MemUsageRead(n int) {
	systemstack(func() {
		for range n {
			var c memUsageCycle
			c.read()
		}
	})
}

// MemUsageUncounted does what is done for each P after a mark termination, n times. States as
// of the latest one are wrong afterwards.
func MemUsageUncounted(n int) {
	mp := acquirem()
	for range n {
		memUsageUncounted(getMCache(mp))
	}
	releasem(mp)
}
