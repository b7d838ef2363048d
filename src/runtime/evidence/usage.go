// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"internal/memcgroup"
	"math"
	"runtime/metrics"
	"time"
)

// A usage has numbers of bytes at a moment.
type usage struct {
	limit  int64  // memory limit, or 0 if there is none
	source string // of the limit
	inUse  int64  // memory in use, as the package's comment defines it; 0 if there is no limit
	now    int64  // memory in use that counts garbage, too

	goInUse int64 // Go's memory that is neither free nor released
	live    int64 // goInUse without the garbage of the latest collection
	free    int64 // heap that is free, and not released

	cycles     uint64 // collections
	goroutines uint64
}

// A meter reads usages.
type meter struct {
	share   int
	samples []metrics.Sample

	root  string // of the file system
	group *memcgroup.Group
	found time.Time // when group was found, or not
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

// searchInterval is the time after which the cgroup is searched again. The
// limit may be changed, and the process may be moved.
const searchInterval = 30 * time.Second

// read returns the usage at the time now.
func (m *meter) read(now time.Time) usage {
	metrics.Read(m.samples)
	get := func(i int) int64 { return int64(m.samples[i].Value.Uint64()) }
	u := usage{free: get(metricFree), cycles: uint64(get(metricCycles)), goroutines: uint64(get(metricGoroutines))}
	u.goInUse = get(metricTotal) - u.free - get(metricReleased)
	// All objects that the latest collection did not mark are garbage, or
	// have been allocated since.
	u.live = u.goInUse - max(get(metricObjects)-get(metricLive), 0)

	group := m.cgroup(now)
	switch limit := get(metricLimit); {
	case limit != math.MaxInt64 && (group == nil || limit <= group.Limit):
		u.limit, u.source, u.inUse, u.now = limit, gomemlimit, u.live, u.goInUse
	case group != nil:
		used, err := group.Used(part(group.Limit, m.share))
		if err != nil {
			m.group = nil
			break
		}
		u.limit, u.source = group.Limit, "cgroup "+group.Dir
		u.inUse = max(used-u.free, 0)
		u.now = u.inUse
	}
	return u
}

// cgroup returns the cgroup, or nil if none has a limit.
func (m *meter) cgroup(now time.Time) *memcgroup.Group {
	if m.found.IsZero() || now.Sub(m.found) >= searchInterval {
		m.group, _ = memcgroup.Find(m.root) // without a cgroup there is GOMEMLIMIT, or growth
		m.found = now
	}
	return m.group
}

// part returns share percent of n.
func part(n int64, share int) int64 {
	return n/100*int64(share) + n%100*int64(share)/100
}
