// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package toy stands for the runtime: this file for Go's code, ours.go for ours.
package toy

type mutex struct{ key uintptr }

type lockRank int

const (
	lockRankUnknown lockRank = iota
	lockRankLow
	lockRankHigh
	lockRankLeafRank lockRank = 1000
)

var lockPartialOrder = [][]lockRank{
	lockRankLow:  {},
	lockRankHigh: {lockRankLow},
}

type m struct{ mallocing int }

var sched struct {
	low, high, leaf mutex
	safePointFn     func()
}

func lock(l *mutex)                    { l.key = 1 }
func unlock(l *mutex)                  { l.key = 0 }
func lockInit(l *mutex, rank lockRank) {}
func systemstack(fn func())
func throw(s string)             { mallocgc(nil) }
func gopark()                    {}
func ready()                     {}
func goready()                   { systemstack(func() { ready() }) }
func callbackUpdateSystemStack() {}

func schedinit() {
	lockInit(&sched.low, lockRankLow)
	lockInit(&sched.high, lockRankHigh)
}

//go:nosplit
//go:nowritebarrierrec
func dropm() {
	nosplit()
	throws()
	unminit()
	switches()
	callbackUpdateSystemStack()
	splitsRepaired()
}

//go:nosplit
func unminit() {
	splits()
	if repairs() {
		callsRepaired()
	}
}

func minit() {
	hasNoPragma()
}

//go:nosplit
func needm() {
	callbackUpdateSystemStack()
	minit()
}

//go:nosplit
func acquireSudog() {
	switchesRight()
	splitsDeep()
}

//go:nowritebarrierrec
func sighandler() {
	allocates()
	locks()
	if sched.safePointFn != nil {
		sched.safePointFn()
	}
}

//go:nowritebarrierrec
func sysmon() {
	readies()
	indirect()
}

func mallocgc(mp *m) {
	allocatesBefore()
	mp.mallocing = 1
	wakes()
	refill()
	if mp == nil {
		mp.mallocing = 0
		allocatesAfter()
		return
	}
	mp.mallocing = 0
	allocatesAfter()
}

func refill() { appends() }

func inOrder() {
	lock(&sched.low)
	takesHigh()
	unlock(&sched.low)
	takesLowAfter()
}

func outOfOrder(again bool) {
	lock(&sched.high)
	if again {
		unlock(&sched.high)
		takesLowAfter()
		return
	}
	takesLow()
	systemstack(func() { callee() })
	unlock(&sched.high)
}

func callee() { takesLowInCallee() }

func leaf() {
	lock(&sched.leaf)
	takesHighInLeaf()
	unlock(&sched.leaf)
}

func upstreamToo() {
	lock(&sched.high)
	if sched.low.key == 1 {
		lock(&sched.low)
		unlock(&sched.low)
	}
	takesLowAsGo()
	unlock(&sched.high)
}

func onSystemStack() {
	systemstack(func() { parks() })
	parksAnywhere()
}
