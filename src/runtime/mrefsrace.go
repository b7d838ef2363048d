// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What the race detector is told about a recording: that whoever has it may read
// the types that package reflect has made and the labels that goroutines have, as
// long as these were there when the recording ended.
//
// The goroutines that wrote them need not have synchronized with the reader. They
// were stopped at the end of marking, or had ended, which the detector does not see.

package runtime

import "unsafe"

var refsRaceSync byte

// refsRaceGoexit releases all that the current goroutine, which ends, has done. It is
// called by goexit1 in programs with the race detector.
func refsRaceGoexit() {
	racereleasemerge(unsafe.Pointer(&refsRaceSync))
}

// refsRaceStopped releases all that goroutines have done. The world is stopped. A
// goroutine whose context has ended is just about to, and has none.
func refsRaceStopped() {
	if !raceenabled {
		return
	}
	forEachGRace(func(gp *g) {
		if gp.racectx != 0 {
			racereleasemergeg(gp, unsafe.Pointer(&refsRaceSync))
		}
	})
}

// refsRaceAcquire acquires what recordings have released. The caller reads the types
// and labels.
func refsRaceAcquire() {
	if raceenabled {
		raceacquire(unsafe.Pointer(&refsRaceSync))
	}
}
