// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The oldest goroutines, whose stacks are scanned one after the other.
//
// A program may have a million goroutines, and the world must not wait for a
// loop over them. Therefore root jobs choose the oldest: each goes over a few
// goroutines, and a worker can be preempted between two jobs. Each P keeps the
// oldest that its jobs have found. When the jobs are done, the goroutine in
// gcMarkDone merges what the Ps have found. The stage then has one job for each
// turn, which scans one stack.

package runtime

import "internal/runtime/refs"

// refsOldest has the oldest goroutines. refsStartCycle sets n to -1, and the
// goroutine in gcMarkDone makes all other changes while no worker marks.
type refsOldest struct {
	n    int // number of goroutines whose turn has not ended, or one of the values below
	turn int // index of the goroutine whose turn it is
	ages refsAges
}

// Values of refsOldest.n before the goroutines are known.
const (
	refsOldestNone   = -1
	refsOldestChoose = -2 // root jobs choose
)

// refsAges has the oldest of some goroutines, oldest first.
type refsAges struct {
	n  int
	of [refs.MostOldest]refsAge
}

// refsAge is a goroutine. A goroutine with a smaller goid counts as older,
// although it may be younger: each P takes 16 goids in advance.
type refsAge struct {
	goid uint64
	root uint32 // index in work.stackRoots
}

// next lets root jobs choose the oldest goroutines or, when they have done so,
// begins the next turn. It returns the number of root jobs.
func (o *refsOldest) next() uint32 {
	switch o.n {
	case refsOldestNone:
		*o = refsOldest{n: refsOldestChoose}
		return refsChooseJobs(work.nStackRoots)
	case refsOldestChoose:
		for id := range refsPs.n {
			o.ages.merge(&refsOf(id).oldest)
		}
		o.n = o.ages.n
	default:
		o.turn++
		o.n--
	}
	return uint32(min(o.n, 1))
}

// do performs a root job, and returns the scan work done, in bytes.
//
//go:nowritebarrier
func (o *refsOldest) do(rp *refsP, gcw *gcWork, job uint32) int64 {
	if o.n == refsOldestChoose {
		from, to := refsChooseRange(job, work.nStackRoots)
		rp.oldest.choose(from, to)
		return 0
	}
	return refsMarkStack(rp, gcw, o.ages.of[o.turn].root, false)
}

// refsChoosePerJob is the number of goroutines that a root job goes over.
const refsChoosePerJob = 512

// refsChooseJobs returns the number of root jobs that go over n goroutines.
func refsChooseJobs(n int) uint32 {
	return uint32((n + refsChoosePerJob - 1) / refsChoosePerJob)
}

// refsChooseRange returns the root indices [from, to) of the job's part of n
// goroutines.
//
//go:nowritebarrierrec
func refsChooseRange(job uint32, n int) (from, to int) {
	from = int(job) * refsChoosePerJob
	return from, min(from+refsChoosePerJob, n)
}

// choose inserts the program's goroutines among those with the root indices
// [from, to).
//
//go:nowritebarrierrec
func (ages *refsAges) choose(from, to int) {
	for i := from; i < to; i++ {
		gp := work.stackRoots[i]
		switch readgstatus(gp) &^ _Gscan {
		case _Gidle, _Gdead, _Gdeadextra:
			continue
		}
		if !isSystemGoroutine(gp, false) {
			ages.insert(refsAge{gp.goid, uint32(i)})
		}
	}
}

// insert puts a goroutine in its place by age, if it is among the oldest.
//
//go:nowritebarrierrec
func (ages *refsAges) insert(a refsAge) {
	i := ages.n
	for i > 0 && ages.of[i-1].goid > a.goid {
		i--
	}
	if i == len(ages.of) {
		return
	}
	ages.n = min(ages.n+1, len(ages.of))
	copy(ages.of[i+1:ages.n], ages.of[i:])
	ages.of[i] = a
}

// merge inserts the goroutines of b.
func (ages *refsAges) merge(b *refsAges) {
	for _, a := range b.of[:b.n] {
		ages.insert(a)
	}
}
