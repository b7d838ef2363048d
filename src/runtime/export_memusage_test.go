// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import (
	"internal/profilerecord"
	"internal/stringslite"
	"unsafe"
)

// MemProfileUsage reads the records and the state that package pprof reads.
func MemProfileUsage() (profilerecord.MemUsage, []profilerecord.MemUsageRecord) {
	return pprof_memProfileUsage(func() {})
}

// MemUsageNow returns the uses of memory at one moment, and, for the same
// moment, all metrics whose names begin with /memory/classes/ and the pacer's
// count of Go's memory.
func MemUsageNow() (usage profilerecord.MemUsage, classes map[string]uint64, ready uint64) {
	classes = make(map[string]uint64)
	metricsLock()
	defer metricsUnlock()
	initMetrics()
	deps := makeStatDepSet(heapStatsDep, sysStatsDep)
	agg, v := new(statAggregate), new(metricValue)

	stw := stopTheWorld(stwForTestReadMetricsSlow)
	systemstack(func() {
		flushallmcaches()
		readMemUsage(&usage)
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
	return usage, classes, ready
}

// MemUsageSize returns the sizes, in bytes, of the state and of the part in
// each bucket.
func MemUsageSize() (state, bucket uintptr) {
	return unsafe.Sizeof(memUsage), unsafe.Sizeof(memRecord{}.recent)
}

// MemUsageMark does n times what each mark termination does once while the
// world is stopped.
func MemUsageMark(n int) {
	systemstack(func() {
		for range n {
			markMemUsage()
		}
	})
}

// MemUsageUncounted counts the uncounted bytes n times, as each P does once
// after a mark termination. The state of the latest mark termination is wrong
// afterwards.
func MemUsageUncounted(n int) {
	mp := acquirem()
	for range n {
		memUsageUncounted(getMCache(mp))
	}
	releasem(mp)
}
