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
	return pprof_memProfileUsage(func() {}, nil)
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

// MemPagesSampled returns the bytes of b, a large sampled object, that the
// profile counts as absent if all pages are and change has been made to a copy
// of the span after the profile has looked at it.
func MemPagesSampled(b []byte, change string) (absent uint64) {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	m := memPages{base: p, limit: p + uintptr(len(b)), objects: make(map[memPagesSample]uint64)}
	m.present = make([]byte, uintptr(len(b))/physPageSize)
	s := spanOf(p)
	mp := acquirem()
	s.ensureSwept()
	c := (*mspan)(persistentalloc(unsafe.Sizeof(*s), 0, &memstats.other_sys))
	memmove(unsafe.Pointer(c), unsafe.Pointer(s), unsafe.Sizeof(*s))
	releasem(mp)
	slots := memPagesSlots{base: p, size: c.elemsize, n: 1, next: 1, bits: c.allocBits}
	switch change {
	case "dead":
		c.state.set(mSpanDead)
	case "stack":
		c.state.set(mSpanManual)
	case "being freed":
		c.allocCount = 0
	case "another base":
		c.startAddr += pageSize
	case "another size":
		c.elemsize += pageSize
	}
	m.readSampled(c, &slots, p, p+uintptr(len(b)))
	for _, n := range m.objects {
		absent += n
	}
	KeepAlive(b)
	return absent
}
