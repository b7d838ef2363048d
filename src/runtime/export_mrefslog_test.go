// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for tests of the log of references.

package runtime

import (
	"internal/profilerecord"
	"unsafe"
)

// A RefsLogRecord is a record of the log. Addresses are absolute.
type RefsLogRecord struct {
	Kind profilerecord.RefsLogKind
	A, B uint64 // the two values of references and claims; otherwise as in profilerecord
	C    uint64
}

// RefsRecordLogged records references with at most so many bytes of memory for
// the log, and calls do for each record of the log. If late, all records are
// taken after the recording.
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
	address := func(w uint64) uint64 { return uint64(refsLog.base) + w*uint64(unsafe.Sizeof(uintptr(0))) }
	for len(words) > 0 {
		w := words[0]
		switch r := (RefsLogRecord{Kind: kind}); kind {
		case profilerecord.RefsLogReference:
			r.A, r.B = w>>32, w&(1<<32-1)
			words = words[1:]
			if r.A == refsLogFar {
				r.A, r.B = words[0], words[1]
				words = words[2:]
			}
			r.A, r.B = address(r.A), address(r.B)
			do(r)
		case profilerecord.RefsLogClaim:
			r.A, r.B = w>>32, w&(1<<32-1)
			words = words[1:]
			if r.A == refsLogFar {
				r.A = words[0]
				words = words[1:]
			}
			r.A = address(r.A)
			do(r)
		default:
			r = RefsLogRecord{profilerecord.RefsLogKind(w), words[1], words[2], words[3]}
			switch r.Kind {
			case profilerecord.RefsLogSpecial:
				r.A = address(r.A)
				fallthrough
			case profilerecord.RefsLogRoot:
				r.C = address(r.C)
			case profilerecord.RefsLogLone:
				r.A = address(r.A)
			}
			words = words[4:]
			do(r)
		}
	}
}
