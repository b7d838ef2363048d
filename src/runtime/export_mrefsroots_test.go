// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsoldest_test.go.

package runtime

const RefsChoosePerJob = refsChoosePerJob

// RefsOldest returns the indices in goids of the oldest goroutines, in the
// order in which their stacks are followed, if the jobs run on ps Ps in turn.
func RefsOldest(goids []uint64, ps int) (places []int) {
	found, o := make([]refsAges, ps), refsAges{}
	for _, job := range RefsChooseJobs(len(goids)) {
		for i := job[0]; i < job[1]; i++ {
			found[i/refsChoosePerJob%ps].insert(refsAge{goids[i], uint32(i)})
		}
	}
	for i := range found {
		o.merge(&found[i])
	}
	for _, a := range o.of[:o.n] {
		places = append(places, int(a.root))
	}
	return places
}

// RefsChooseJobs returns the parts of n goroutines that the jobs go over.
func RefsChooseJobs(n int) (parts [][2]int) {
	for job := range refsChooseJobs(n) {
		from, to := refsChooseRange(job, n)
		parts = append(parts, [2]int{from, to})
	}
	return parts
}

// RefsFirstGoroutine returns the goid of the goroutine that the recorder takes
// for the main goroutine.
func RefsFirstGoroutine() uint64 { return allgs[refsMain].goid }
