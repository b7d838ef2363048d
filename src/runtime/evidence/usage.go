// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file measures memory in use and its limit. newWatcher and then the
// goroutine of the watcher use one meter, and each call of pprof_memoryInUse
// uses a meter of its own.

package evidence

import (
	"errors"
	"internal/memcgroup"
	"math"
	"runtime/metrics"
	"time"
)

// A usage has the values that a meter has read at a moment. Memory is in bytes.
type usage struct {
	limit  int64  // memory limit, or 0 if there is none
	source string // where limit is from: gomemlimit, or the cgroup
	due    int64  // memory in use at which a set is due
	inUse  int64  // memory in use, as the package's comment defines it, plus what the kernel can easily reclaim if the cgroup uses less than due bytes in total (see memcgroup.Group.Used); 0 if there is no limit
	room   int64  // memory that the process may take before a set can be due; 0 if there is no limit

	waiting  int64 // bytes of allocations that wait at the gate
	fresh    int64 // the most bytes that one of them takes from the system
	expected int64 // memory in use if they continue; 0 if there is no limit
	left     int64 // memory that allocations may take then, before they have to wait; 0 if there is no limit

	spare int64 // memory that is left to the nearest limit; 0 if there is no limit

	goInUse int64 // Go's memory that is neither free nor released
	live    int64 // goInUse without the objects that the latest collection did not mark
	free    int64 // heap that is free, and not released

	cycles     uint64 // number of collections
	goroutines uint64
}

// A meter reads usages.
type meter struct {
	share   int
	samples []metrics.Sample

	root  string // prefix of all paths in the file system; "" except in tests
	group *memcgroup.Group
	found time.Time // when group was last searched

	crossed bool // an allocation has brought Go's memory to where a set is due, and it has not been less since
}

const (
	metricTotal = iota
	metricFree
	metricReleased
	metricObjects
	metricLive
	metricLimit
	metricCycles
	metricGoroutines
)

func newMeter(share int) *meter {
	m := &meter{share: share}
	for _, name := range []string{
		metricTotal:      "/memory/classes/total:bytes",
		metricFree:       "/memory/classes/heap/free:bytes",
		metricReleased:   "/memory/classes/heap/released:bytes",
		metricObjects:    "/memory/classes/heap/objects:bytes",
		metricLive:       "/gc/heap/live:bytes",
		metricLimit:      "/gc/gomemlimit:bytes",
		metricCycles:     "/gc/cycles/total:gc-cycles",
		metricGoroutines: "/sched/goroutines:goroutines",
	} {
		m.samples = append(m.samples, metrics.Sample{Name: name})
	}
	return m
}

// gomemlimit is the source of a limit.
const gomemlimit = "GOMEMLIMIT"

// searchInterval is the time after which the cgroup is searched again, because
// the limit may be changed, and the process may be moved.
const searchInterval = 30 * time.Second

// read returns the usage at the time now, without allocations that wait.
func (m *meter) read(now time.Time) usage { return m.readWith(now, 0, 0) }

// readWith returns the usage if allocations wait.
func (m *meter) readWith(now time.Time, waiting, fresh int64) usage {
	metrics.Read(m.samples)
	get := func(i int) int64 { return int64(m.samples[i].Value.Uint64()) }
	u := usage{free: get(metricFree), cycles: uint64(get(metricCycles)), goroutines: uint64(get(metricGoroutines))}
	u.waiting, u.fresh = waiting, fresh
	u.goInUse = get(metricTotal) - u.free - get(metricReleased)
	// All objects that the latest collection did not mark are garbage or
	// younger than that collection.
	u.live = u.goInUse - max(get(metricObjects)-get(metricLive), 0)

	m.limits(&u, get(metricLimit), now)
	return u
}

// limits sets the fields of u that depend on limits. memoryLimit is GOMEMLIMIT.
// Even if GOMEMLIMIT is less than the cgroup's limit, the cgroup's memory may
// reach that limit, because of memory that is not Go's. But a program that is
// near its GOMEMLIMIT may have much garbage, which counts for the cgroup.
// Therefore, if GOMEMLIMIT is not greater, a set is due for the cgroup's limit
// only if the cgroup's memory in use is also at least halfway from GOMEMLIMIT
// to that limit.
func (m *meter) limits(u *usage, memoryLimit int64, now time.Time) {
	hasLimit := memoryLimit != math.MaxInt64
	if hasLimit {
		u.limit, u.source, u.due = memoryLimit, gomemlimit, part(memoryLimit, m.share)
		u.inUse, u.room, u.expected = u.live, u.due-u.goInUse, u.live+u.waiting
		u.left = u.room - u.waiting
		u.spare = memoryLimit - u.goInUse
	}
	group := m.cgroup(now)
	if group == nil {
		return
	}
	due := part(group.Limit, m.share)
	used, err := group.Used(due - u.waiting)
	if err != nil {
		m.forget()
		return
	}
	inUse := max(used-u.free, 0)
	if left := group.Limit - used; !hasLimit || left < u.spare {
		u.spare = left
	}
	if hasLimit && memoryLimit <= group.Limit {
		due = max(due, memoryLimit+(group.Limit-memoryLimit)/2)
		expected, left := m.expect(u, used, due)
		if expected < due {
			u.room, u.left = min(u.room, due-inUse), min(u.left, left)
			return
		}
	}
	u.limit, u.source, u.due = group.Limit, "cgroup "+group.Dir, due
	u.inUse, u.room = inUse, due-inUse
	u.expected, u.left = m.expect(u, used, due)
}

// roomOfCycle returns how many bytes large allocations may take in the cycle of
// a recording: as with the brake, half of what is left to the limit. It is not
// less than a fifth of a part (see largeShare), so that a program near its limit
// goes on.
func (u usage) roomOfCycle() int64 {
	if u.limit == 0 {
		return math.MaxInt64 / 4
	}
	return max(u.spare/2, u.limit/largeShare/5)
}

// expect returns expected and left for a cgroup of which so many bytes are in
// use, with the free heap, and in which a set is due at due.
//
// Memory that the program has allocated and not yet written to is not in the
// cgroup. Therefore Go's memory counts if it is more. It does not count again
// after an allocation has brought it to due, because the program may never
// write to that memory.
//
// The free heap may not have room for an allocation in one piece. Therefore a
// set is also due if the allocation leaves less than half of what due leaves.
func (m *meter) expect(u *usage, used, due int64) (expected, left int64) {
	inUse := max(used-u.free, 0)
	allocated := inUse
	m.crossed = m.crossed && u.goInUse >= due
	if !m.crossed {
		allocated = max(allocated, u.goInUse)
		m.crossed = u.waiting > 0 && u.goInUse+u.waiting >= due
	}
	left = due - max(allocated, used) - u.waiting
	switch {
	case u.waiting == 0:
		return inUse, left
	case used+u.fresh >= due+(m.group.Limit-due)/2:
		return max(allocated+u.waiting, used+u.fresh), left
	}
	return allocated + u.waiting, left
}

// cgroup returns the cgroup, or nil if none has a limit. If the search fails,
// because the process has no file descriptors left, for example, cgroup returns
// the cgroup that it has found before. After a call of forget, it returns nil
// until the next search.
func (m *meter) cgroup(now time.Time) *memcgroup.Group {
	if !m.found.IsZero() && now.Sub(m.found) < searchInterval {
		return m.group
	}
	m.found = now
	switch group, err := memcgroup.Find(m.root); {
	case err == nil && m.group != nil && m.group.Dir == group.Dir:
		m.group.Limit = group.Limit
	case err == nil || errors.Is(err, memcgroup.ErrNoLimit): // without a cgroup, GOMEMLIMIT and Growth still apply
		m.forget()
		m.group = group
	}
	return m.group
}

// forget forgets the cgroup.
func (m *meter) forget() {
	if m.group != nil {
		m.group.Close()
		m.group = nil
	}
}

// part returns share percent of n.
func part(n int64, share int) int64 {
	return n/100*int64(share) + n%100*int64(share)/100
}
