// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for tests of the log of references.

package runtime

import (
	"internal/goarch"
	"internal/profilerecord"
)

// A RefsLogRecord is a record of the log. Addresses are absolute.
type RefsLogRecord struct {
	Kind profilerecord.RefsLogKind
	A, B uint64 // for references and claims, their two values; for others, as in profilerecord
	C    uint64
}

// RefsRecordLogged calls pprof_heapGraph, which records references and logs
// them. It calls the function do for each record of the log. If late is set, it
// takes all records after the recording.
func RefsRecordLogged(most uint64, late bool, do func(RefsLogRecord)) *profilerecord.RefsGraph {
	result := make(chan *profilerecord.RefsGraph, 1)
	go func() {
		h, failed := pprof_heapGraph(most)
		if failed != "" {
			panic(failed)
		}
		result <- h
	}()
	var h *profilerecord.RefsGraph
	if late {
		h = <-result
	}
	for {
		kind, words, chunk := pprof_heapGraphNext()
		switch {
		case chunk != nil:
			refsLogRecords(kind, words, do)
			pprof_heapGraphDone(chunk)
			continue
		case h == nil:
			select {
			case h = <-result:
			default:
				Gosched()
			}
			continue
		}
		break
	}
	pprof_heapGraphEnd()
	return h
}

func refsLogRecords(kind profilerecord.RefsLogKind, words []uint64, do func(RefsLogRecord)) {
	if do == nil {
		return
	}
	address := func(w uint64) uint64 { return uint64(refsLog.base + uintptr(w)*goarch.PtrSize) }
	for len(words) > 0 {
		r := RefsLogRecord{Kind: kind}
		switch kind {
		case profilerecord.RefsLogReference:
			r.A, r.B, words = profilerecord.RefsLogPair(words)
			r.A, r.B = address(r.A), address(r.B)
		case profilerecord.RefsLogClaim:
			r.A, r.B, words = profilerecord.RefsLogPair(words)
			r.A = address(r.A)
		default:
			r = RefsLogRecord{profilerecord.RefsLogKind(words[0]), words[1], words[2], words[3]}
			words = words[4:]
			switch r.Kind {
			case profilerecord.RefsLogSpecial:
				r.A, r.C = address(r.A), address(r.C)
			case profilerecord.RefsLogRoot:
				r.C = address(r.C)
			case profilerecord.RefsLogLone:
				r.A = address(r.A)
			}
		}
		do(r)
	}
}

// RefsLogPairs logs a reference and a claim, as if the lowest arena of the heap
// were at base, and returns the records.
func RefsLogPairs(base, slot, target uintptr, node uint32) (records []RefsLogRecord) {
	semacquire(&refsSema)
	defer semrelease(&refsSema)
	refsLogBegin(1 << 20)
	refsLog.base = base
	l := new(refsLogger)
	l.reference(slot, target, 0)
	l.claim(target, node)
	l.stop()
	for {
		kind, words, chunk := pprof_heapGraphNext()
		if chunk == nil {
			break
		}
		refsLogRecords(kind, words, func(r RefsLogRecord) { records = append(records, r) })
		pprof_heapGraphDone(chunk)
	}
	refsLogEnd()
	refsLog.wanted = false
	return records
}

// RefsBlockedSince makes the goroutine look as if a collection had first seen it
// wait the given number of seconds ago. It reports whether the goroutine waits.
func RefsBlockedSince(goid uint64, seconds int64) (waits bool) {
	forEachG(func(gp *g) {
		if gp.goid == goid && readgstatus(gp) == _Gwaiting {
			gp.waitsince = nanotime() - seconds*1e9
			waits = true
		}
	})
	return waits
}
