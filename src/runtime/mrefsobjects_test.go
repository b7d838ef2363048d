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
	refsFreeBuffer struct{ _ [1 << 10]byte }
)

var (
	refsFreeChan chan *refsFreeItem
	refsFreeList struct{ first, last *refsFreeItem }
	refsFreeRing *[1000]*refsFreeItem
)

// TestRefsObjectsAgain checks that objects are where they are moved to while a
// recording marks, although these places may have been followed before.
func TestRefsObjectsAgain(t *testing.T) {
	for _, test := range []struct {
		name string
		move func(item *refsFreeItem, i int)
	}{
		{"channel", func(item *refsFreeItem, i int) { refsFreeChan <- item }},
		{"ring", func(item *refsFreeItem, i int) { refsFreeRing[i] = item }},
		{"head of a list", func(item *refsFreeItem, i int) {
			item.next = refsFreeList.first
			refsFreeList.first = item
		}},
		{"tail of a list", func(item *refsFreeItem, i int) {
			refsFreeList.last.next = item
			refsFreeList.last = item
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := refsRecordMeanwhile(t, func() (move func()) {
				refsFreeRing = new([1000]*refsFreeItem)
				refsFreeChan = make(chan *refsFreeItem, len(refsFreeRing))
				refsFreeList.first = new(refsFreeItem)
				refsFreeList.last = refsFreeList.first
				items := make([]*refsFreeItem, len(refsFreeRing))
				for i := range items {
					items[i] = &refsFreeItem{buffer: new(refsFreeBuffer)}
				}
				return func() {
					for i, item := range items {
						items[i] = nil
						test.move(item, i)
					}
				}
			})
			typ := abi.TypeFor[refsFreeBuffer]()
			moved := refsObjectsBelow(p, profilerecord.RefsGlobal, typ)
			left := refsObjectsBelow(p, profilerecord.RefsGoroutine, typ) // marking ended before the goroutine had moved them
			if moved == 0 || moved+left != int64(len(refsFreeRing)) {
				t.Errorf("%d buffers below a global variable and %d below the goroutine, want %d", moved, left, len(refsFreeRing))
			}
		})
	}
	refsFreeRing, refsFreeChan, refsFreeList.first, refsFreeList.last = nil, nil, nil, nil
}
