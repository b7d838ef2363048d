// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file decides when a set is written.

package evidence

import (
	"fmt"
	"sync"
	"time"
)

// A watcher measures memory in use and writes sets. One goroutine runs it.
type watcher struct {
	Config
	folder  folder
	meter   *meter
	growth  *window // nil if Growth is 0
	spare   spare
	reserve reserve
	gate    gate
	crash   crashFile
	last    time.Time // when the latest set was begun

	once  sync.Once     // for closing end
	begun chan struct{} // closed when large allocations are counted
	end   chan struct{} // closed to end run
	ended chan struct{} // closed when run has ended
}

func newWatcher(c Config) (*watcher, error) {
	now := time.Now()
	w := &watcher{
		Config: c,
		folder: folder{path: c.Dir, most: c.MaxBytes},
		meter:  newMeter(c.Share),
		begun:  make(chan struct{}),
		end:    make(chan struct{}),
		ended:  make(chan struct{}),
	}
	if err := w.folder.make(); err != nil {
		return nil, err
	}
	u := w.meter.read(now)
	if w.Growth > 0 {
		w.growth = newWindow(w.Within, now)
		w.growth.add(now, u.live)
	}
	w.spare.take()
	set(&w.Reserve, defaultReserve(u.limit))
	if c.Reserve == 0 && u.limit > 0 {
		w.Reserve = min(w.Reserve, max(u.due/2, 1))
	}
	if u.limit > 0 && w.Reserve >= u.due {
		w.close()
		return nil, fmt.Errorf("a reserve of %d bytes does not fit into %d%% of the memory limit of %d bytes", w.Reserve, w.Share, u.limit)
	}
	if w.hasRoom(u) && !w.reserve.take(w.Reserve) {
		w.close()
		return nil, fmt.Errorf("no memory for a reserve of %d bytes", w.Reserve)
	}
	w.folder.prune(w.MaxSets)
	w.folder.pruneCrashes(w.MaxSets)
	var err error
	if w.crash, err = w.folder.openCrash(now); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// run measures and writes until the watcher is stopped.
func (w *watcher) run() {
	defer close(w.ended)
	defer w.close()
	w.gate.start()
	defer w.gate.stop()
	w.openGate(w.meter.read(time.Now()))
	close(w.begun)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-w.end:
			return
		case <-timer.C:
		case <-w.gate.asked:
		}
		now := time.Now()
		waiting, fresh := runtime_waitingBytes()
		u := w.meter.readWith(now, waiting, fresh)
		if reason := w.reason(u, now); reason != "" {
			w.last = now
			w.record(u, now, reason)
			if w.growth != nil {
				w.growth.clear()
			}
			w.openGate(u)
		} else {
			again := w.setAside(&u)
			w.openGate(u) // first, because the reserve may be much memory
			w.refill(again)
		}
		timer.Reset(w.wait(u))
	}
}

// close frees what newWatcher has taken.
func (w *watcher) close() {
	w.crash.close()
	w.meter.forget()
	w.spare.release()
	w.reserve.release()
}

// stop ends run and waits for its end.
func (w *watcher) stop() {
	w.once.Do(func() { close(w.end) })
	<-w.ended
}

// reason returns the reason to write a set, or "".
func (w *watcher) reason(u usage, now time.Time) string {
	var growth int64
	if w.growth != nil {
		growth = w.growth.add(now, u.live-w.reserve.size())
	}
	percent := func(bytes int64) int64 { return bytes / max(u.limit/100, 1) }
	switch {
	case !w.last.IsZero() && now.Sub(w.last) < w.Interval:
		return ""
	case u.limit > 0 && u.inUse >= u.due:
		return fmt.Sprintf("memory in use is %d%% of the memory limit", percent(u.inUse))
	case u.limit > 0 && u.waiting > 0 && u.expected >= u.due:
		return fmt.Sprintf("%d bytes to be allocated bring memory in use to %d%% of the memory limit", u.waiting, percent(u.expected))
	case w.growth != nil && growth >= w.Growth:
		return fmt.Sprintf("memory in use has grown by %d bytes within %v", growth, w.Within)
	}
	return ""
}

// setAside reports whether the reserve can be taken again after a set, and then
// takes it from what allocations may use: with both, memory in use could reach
// the limit before it is measured again.
func (w *watcher) setAside(u *usage) bool {
	if w.reserve.held() || !w.hasRoom(*u) {
		return false
	}
	u.room -= w.Reserve
	u.left -= w.Reserve
	return true
}

// refill opens the spare file descriptors again after a set, and takes the
// reserve again if it is set aside.
func (w *watcher) refill(again bool) {
	w.spare.take()
	if again {
		w.reserve.take(w.Reserve)
	}
}

// openGate lets the allocations that wait continue. Until the interval after a
// set is nearly over, none waits again.
func (w *watcher) openGate(u usage) {
	if w.resting() {
		w.gate.openWide()
	} else {
		w.gate.open(u)
	}
}

// resting reports whether a set has been written, and Interval is not nearly
// over.
func (w *watcher) resting() bool {
	return !w.last.IsZero() && time.Since(w.last) < w.Interval-longestWait
}

// hasRoom reports whether the reserve is less than u.room without what waits, or
// there is no limit. With the reserve, memory in use then stays below the share.
func (w *watcher) hasRoom(u usage) bool { return u.limit == 0 || u.room-u.waiting > w.Reserve }

const (
	shortestWait = 10 * time.Millisecond
	longestWait  = time.Second

	// fastest is the growth, in bytes per second, up to which a set begins
	// in time.
	fastest = 1 << 30
)

// wait returns the time until the next measurement. The nearer memory is to the
// share, the shorter this time is. Without a limit, and until the interval
// after a set is nearly over, it is longestWait. If the limit is GOMEMLIMIT,
// the part of memory in use that is objects changes only with a collection, so
// memory in use need not be measured as often.
func (w *watcher) wait(u usage) time.Duration {
	if u.limit == 0 || w.resting() {
		return longestWait
	}
	wait := time.Duration(float64(max(u.room, 0)) / fastest * float64(time.Second))
	shortest := shortestWait
	if u.source == gomemlimit {
		shortest *= 2
	}
	return min(max(wait, shortest), longestWait)
}
