// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package toy

var (
	sink any
	list []int
	own  mutex
	work struct{ fit, unfit func() }
)

//go:nosplit
func nosplit() { nosplitLeaf() }

//go:nosplit
func nosplitLeaf() { own.key++ }

//go:nosplit
func throws() { throw("is not followed") }

//go:nosplit
func switches() { systemstack(func() { own.key++ }) }

//go:nosplit
func switchesRight() { systemstack(func() { splitsRepaired() }) }

func splitsRepaired() {}

func splits() {}

//go:nosplit
func splitsDeep() { nosplitLeaf(); splits() }

//go:nosplit
func repairs() bool {
	callbackUpdateSystemStack()
	splits()
	return true
}

//go:nosplit
func callsRepaired() { repairs() }

func hasNoPragma() {}

func allocates() { sink = new([100]int) }

func locks() {
	lock(&own)
	unlock(&own)
}

//go:nowritebarrierrec
func readies() { goready() }

//go:nowritebarrierrec
func indirect() {
	work.fit()
	work.unfit()
}

func initWork() {
	work.fit = fitTarget
	work.unfit = unfitTarget
	sched.safePointFn = safePoint
}

//go:nowritebarrierrec
func fitTarget() {}

func unfitTarget() {}

func safePoint() {}

func allocatesBefore() { sink = new(int) }
func allocatesAfter()  { sink = new(int) }
func wakes()           { goready() }
func appends()         { list = append(list, 1) }

func takesLow() {
	lock(&sched.low)
	unlock(&sched.low)
}

func takesHigh() {
	lock(&sched.high)
	unlock(&sched.high)
}

func takesLowAfter()    { takesLow() }
func takesLowInCallee() { takesLow() }
func takesLowAsGo()     { takesLow() }
func takesHighInLeaf()  { takesHigh() }

func parks()         { gopark() }
func parksAnywhere() { gopark() }

func holdsOwn() {
	lock(&own)
	takesHighHeld()
	unlock(&own)
	takesHighHeld()
}

func takesHighHeld() { takesHigh() }
