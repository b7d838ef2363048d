// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the page fault profile. The runtime makes the kernel count page
// faults, and sends records of samples (runtime/pagefault.go). A goroutine
// collects the records, as for the CPU profile. pagefaulterror_linux.go
// explains why the kernel refuses a profile.

package pprof

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"
)

// pageFaultKinds has the values of the label kind, by the numbers that the
// runtime uses.
var pageFaultKinds = [...]string{"minor", "major"}

// pageFaultPeriod is the number of faults per sample. Only tests set it. If it
// is 0, the kernel adjusts the number continually, for at most about 1000
// samples of each kind per second of a thread's time.
var pageFaultPeriod uint64

// pageFaultParts is the number of parts of RLIMIT_NOFILE, one of which may be in
// use, with those of the profile, when it starts. Only tests set it.
var pageFaultParts uint64 = 2

var pageFault struct {
	sync.Mutex
	running   bool
	builder   *profileBuilder
	collected <-chan *pageFaultSamples // gets the samples when the profile stops
}

// A pageFaultTotal has the values that the runtime reports when the profile
// stops.
type pageFaultTotal struct {
	counted    [len(pageFaultKinds)]uint64
	unobserved int  // number of threads that were not observed
	userOnly   bool // no sample has faults of kernel mode
}

var errPageFaultRunning = errors.New("page fault profiling already in use")

// StartPageFaultProfile starts a profile of the page faults of the current
// process. [StopPageFaultProfile] ends it and writes it to w. The profile
// reports which code touches memory that has no page yet, or whose page must be
// read from a file or from swap. The package's documentation explains the
// numbers.
//
// It works on Linux with the architectures 386, amd64, arm64, loong64, ppc64le
// and riscv64. It does not work on Android, or in code built with
// -buildmode=c-archive or -buildmode=c-shared.
//
// StartPageFaultProfile returns an error if a page fault profile is already
// running, if the profile does not work on this system or in this build mode,
// or if the kernel refuses. In the last case, the error names the setting that
// decides, if it is one of these:
//
//   - /proc/sys/kernel/perf_event_paranoid must be 2 or less, or the process
//     must have CAP_PERFMON (CAP_SYS_ADMIN before Linux 5.8). If it is 1 or
//     less, or with CAP_PERFMON, page faults in system calls have samples, too.
//   - A seccomp filter, as container runtimes install, must permit
//     perf_event_open(2).
//   - Two descriptors for each thread, and those that are open, must not exceed
//     half of RLIMIT_NOFILE.
//   - /proc/sys/kernel/perf_event_max_sample_rate must be 1000 or more.
//
// The CPU profile can run at the same time. Both profiles use SIGPROF. Neither
// profile changes how the other samples the program, but each shows the work
// that the other does.
func StartPageFaultProfile(w io.Writer) error {
	pageFault.Lock()
	defer pageFault.Unlock()
	if pageFault.running {
		return errPageFaultRunning
	}
	if err := pageFaultRoom(); err != nil {
		return fmt.Errorf("runtime/pprof: page fault profile: %w", err)
	}
	b := newProfileBuilder(w)
	b.start = realTime()
	if what, errno := runtime_startPageFaults(pageFaultPeriod); what != "" {
		return fmt.Errorf("runtime/pprof: page fault profile: %w", pageFaultError(what, errno))
	}
	pageFault.running = true
	pageFault.builder = b
	outsideBubble(func() { pageFault.collected = collectPageFaults() })
	return nil
}

// StopPageFaultProfile stops the current page fault profile, if any. It returns
// after the profile has been written. As with [StopCPUProfile], an error of the
// writer ends the writing and is not returned.
func StopPageFaultProfile() {
	pageFault.Lock()
	defer pageFault.Unlock()
	if !pageFault.running {
		return
	}
	pageFault.running = false
	var total pageFaultTotal
	total.counted, total.unobserved, total.userOnly = runtime_stopPageFaults()
	s := <-pageFault.collected
	s.addUnsampled(total.counted)
	s.joinRecordings()
	pageFault.builder.pageFaults(s, &total)
	pageFault.builder, pageFault.collected = nil, nil
}

// pprof_unsampledPageFaults is defined in runtime/pagefaultunsampled.go.
//
//go:linkname pprof_unsampledPageFaults runtime.pprof_unsampledPageFaults
func pprof_unsampledPageFaults() uintptr

// The runtime provides these functions: see runtime/pagefault.go.
func runtime_startPageFaults(period uint64) (what string, errno uintptr)
func runtime_stopPageFaults() (counted [len(pageFaultKinds)]uint64, unobserved int, userOnly bool)
func runtime_readPageFaults() (data []uint64, tags []unsafe.Pointer, eof bool)

// collectPageFaults starts a goroutine that collects records until the profile
// stops, and returns the channel that gets them.
func collectPageFaults() <-chan *pageFaultSamples {
	collected := make(chan *pageFaultSamples, 1)
	go func() {
		s := new(pageFaultSamples)
		for eof := false; !eof; {
			var data []uint64
			var tags []unsafe.Pointer
			data, tags, eof = runtime_readPageFaults()
			s.add(data, tags)
		}
		collected <- s
	}()
	return collected
}

// pageFaultSamples has the faults of each kind, by stack and goroutine labels.
type pageFaultSamples [len(pageFaultKinds)]profMap

// add adds the runtime's records. Each record has the form
//
//	data[0] = 4+n
//	data[1] = 0
//	data[2] = kind
//	data[3] = faults
//	data[4:4+n] = stack
//
// An overflow record has 0 faults. The faults of lost records are in none of
// these samples: addUnsampled adds them.
func (s *pageFaultSamples) add(data []uint64, tags []unsafe.Pointer) {
	for len(data) > 0 {
		n, kind, faults, stk := data[0], data[2], data[3], data[4:data[0]]
		if faults != 0 {
			s[kind].lookup(stk, tags[0]).count += int64(faults)
		}
		data, tags = data[n:], tags[1:]
	}
}

// comments returns the comments that a reader of the counts needs.
func (t *pageFaultTotal) comments() []string {
	c := []string{"Page faults of user mode and of kernel mode, as in system calls."}
	if t.userOnly {
		c[0] = pageFaultUserOnlyComment()
	}
	if t.unobserved != 0 {
		c = append(c, fmt.Sprintf("Threads that started during the profile and have no samples, because perf_event_open failed for them: %d. Their faults are at runtime._UnsampledPageFaults.", t.unobserved))
	}
	return c
}

// addUnsampled adds the faults of the process that are in no sample.
func (s *pageFaultSamples) addUnsampled(counted [len(pageFaultKinds)]uint64) {
	stk := []uint64{uint64(pprof_unsampledPageFaults())}
	for kind := range s {
		missing := int64(counted[kind])
		for e := s[kind].all; e != nil; e = e.nextAll {
			missing -= e.count
		}
		if missing > 0 {
			s[kind].lookup(stk, nil).count = missing
		}
	}
}

// joinRecordings moves the faults of all recordings of references to one stack.
func (s *pageFaultSamples) joinRecordings() {
	stk := []uint64{uint64(recordingStack()[0])}
	for kind := range s {
		faults := int64(0)
		for e := s[kind].all; e != nil; e = e.nextAll {
			if isRecordingStack(e.stk) {
				faults += e.count
				e.count = 0
			}
		}
		if faults > 0 {
			s[kind].lookup(stk, nil).count = faults
		}
	}
}

// pageFaults writes the profile.
func (b *profileBuilder) pageFaults(s *pageFaultSamples, total *pageFaultTotal) error {
	b.pbHeader(protoHeader{
		periodType:  protoType{"faults", "count"}, // the period is 1, whatever the kernel's is, because a sample's value is a number of faults
		sampleTypes: []protoType{{"faults", "count"}},
		defaultType: "faults",
		doc:         "StartPageFaultProfile",
		duration:    realTime().Sub(b.start).Nanoseconds(),
		comments:    total.comments(),
	})
	var locs []uint64
	for kind := range s {
		for e := s[kind].all; e != nil; e = e.nextAll {
			if e.count == 0 {
				continue
			}
			locs = b.appendLocsForStack(locs[:0], e.stk)
			b.pbSample([]int64{e.count}, locs, func() { b.pageFaultLabels(pageFaultKinds[kind], e.tag) })
		}
	}
	return b.build()
}

// pageFaultLabels writes a sample's kind and the goroutine's labels.
func (b *profileBuilder) pageFaultLabels(kind string, labels unsafe.Pointer) {
	b.pbLabel(tagSample_Label, "kind", kind, 0)
	b.pbMemLabels(labels, "kind")
}
