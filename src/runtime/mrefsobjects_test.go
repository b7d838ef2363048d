// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/abi"
	"internal/profilerecord"
	"testing"
)

type (
	refsFreeItem struct {
		next   *refsFreeItem
		buffer *refsFreeBuffer
	}
	refsFreeBuffer struct{ _ [1 << 20]byte } // one alone is enough for refs.MovedMatters
)

var (
	refsFreeChan chan *refsFreeItem
	refsFreeList struct{ first, last *refsFreeItem }
	refsFreeRing *[16]*refsFreeItem
)

// TestRefsObjectsAgain checks that objects are where they are moved to while a
// recording marks, although these places may have been followed before.
func TestRefsObjectsAgain(t *testing.T) {
	refsKeepBusy(t)
	for _, test := range []struct {
		name    string
		cleared int // number of pointers that are cleared first
		move    func(item *refsFreeItem, i int)
	}{
		{"channel", 0, func(item *refsFreeItem, i int) { refsFreeChan <- item }},
		{"ring", 0, func(item *refsFreeItem, i int) { refsFreeRing[i] = item }},
		{"ring, when many pointers are cleared", 100_000, func(item *refsFreeItem, i int) { refsFreeRing[i] = item }},
		{"head of a list", 0, func(item *refsFreeItem, i int) {
			item.next = refsFreeList.first
			refsFreeList.first = item
		}},
		{"tail of a list", 0, func(item *refsFreeItem, i int) {
			refsFreeList.last.next = item
			refsFreeList.last = item
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := refsRecordMeanwhile(t, func() (move func()) {
				refsFreeRing = new([16]*refsFreeItem)
				refsFreeChan = make(chan *refsFreeItem, len(refsFreeRing))
				refsFreeList.first = new(refsFreeItem)
				refsFreeList.last = refsFreeList.first
				items := make([]*refsFreeItem, len(refsFreeRing))
				for i := range items {
					items[i] = &refsFreeItem{buffer: new(refsFreeBuffer)}
				}
				cleared := make([]*refsFreeItem, test.cleared)
				for i := range cleared {
					cleared[i] = new(refsFreeItem)
				}
				return func() {
					clear(cleared)
					for i, item := range items {
						items[i] = nil
						test.move(item, i)
					}
				}
			})
			if got := refsObjectsBelow(p, profilerecord.RefsGlobal, abi.TypeFor[refsFreeBuffer]()); got != int64(len(refsFreeRing)) {
				t.Errorf("%d buffers below a global variable, want %d", got, len(refsFreeRing))
			}
		})
	}
	refsFreeRing, refsFreeChan, refsFreeList.first, refsFreeList.last = nil, nil, nil, nil
}
