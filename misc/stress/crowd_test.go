// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestWaitsForRoom checks which workers begin no round while objects take too
// much memory, and that these begin one when there is room again.
func TestWaitsForRoom(t *testing.T) {
	waits := map[string]bool{
		"refs": false, "inuse": false, // recordings
		"heap": false, "cpu": false, "GC": false,
		"graph": true, "large": true, "library": true,
	}
	defer crowded.Store(false)
	for _, table := range [][]worker{recorders, mutators, settings, others} {
		for _, w := range table {
			want, ok := waits[w.name]
			if !ok {
				continue
			}
			delete(waits, w.name)
			synctest.Test(t, func(t *testing.T) {
				crowded.Store(true)
				var began atomic.Bool
				go func() {
					(&job{worker: w}).waitForRoom()
					began.Store(true)
				}()
				synctest.Wait()
				if began.Load() == want {
					t.Errorf("%s waits: %v, want %v", w.name, !began.Load(), want)
				}
				crowded.Store(false)
				time.Sleep(time.Second)
				synctest.Wait()
				if !began.Load() {
					t.Errorf("%s waits although there is room", w.name)
				}
			})
		}
	}
	if len(waits) > 0 {
		t.Errorf("there are no workers %v", waits)
	}
}
