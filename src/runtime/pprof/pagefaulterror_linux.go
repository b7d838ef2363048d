// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file explains why the kernel refuses a page fault profile, in terms of
// the settings that decide it. pagefault.go calls pageFaultRoom, pageFaultError
// and pageFaultUserOnlyComment. See perf_event_open(2).

package pprof

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

const (
	perfParanoidFile   = "/proc/sys/kernel/perf_event_paranoid"
	perfSampleRateFile = "/proc/sys/kernel/perf_event_max_sample_rate"
)

// perfSettings are the settings that decide whether a process may have the
// performance events that count page faults.
type perfSettings struct {
	paranoid   string // contents of perfParanoidFile
	sampleRate string // contents of perfSampleRateFile
	seccomp    bool   // whether a filter is installed
	nofile     uint64 // soft limit of the number of descriptors
}

// readPerfSettings reads the settings. A setting that it cannot read has the
// zero value.
func readPerfSettings() (s perfSettings) {
	s.paranoid = readSetting(perfParanoidFile)
	s.sampleRate = readSetting(perfSampleRateFile)
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if mode, ok := strings.CutPrefix(line, "Seccomp:"); ok {
			s.seccomp = strings.TrimSpace(mode) != "0"
		}
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		s.nofile = limit.Cur
	}
	return s
}

func readSetting(file string) string {
	b, _ := os.ReadFile(file)
	return strings.TrimSpace(string(b))
}

// pageFaultError returns the error for a failed system call. The parameter what
// is the name of the call. If errno is 0, no call has failed, and the parameter
// is the reason for the error.
func pageFaultError(what string, errno uintptr) error {
	if errno == 0 {
		return errors.New(what)
	}
	s := readPerfSettings()
	err := syscall.Errno(errno)
	if reason := s.explain(err); reason != "" {
		return fmt.Errorf("%s: %w: %s", what, err, reason)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// pageFaultRoom returns an error if the profile would leave the program too few
// descriptors, which would make it refuse connections, for example. If the
// descriptors cannot be counted, the kernel decides.
func pageFaultRoom() error {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return nil
	}
	defer dir.Close()
	open, _ := dir.Readdirnames(-1)
	threads, _ := runtime.ThreadCreateProfile(nil)
	if limit := readPerfSettings().nofile; limit != 0 && uint64(2*threads+len(open))*pageFaultParts > limit {
		return pageFaultError("perf_event_open", uintptr(syscall.EMFILE))
	}
	return nil
}

// explain returns the reason for err, or "" if the reason is not known.
func (s *perfSettings) explain(err syscall.Errno) string {
	switch err {
	case syscall.EACCES, syscall.EPERM, syscall.ENOSYS:
		return s.explainRefusal(err)
	case syscall.ENOENT, syscall.ENODEV, syscall.EOPNOTSUPP:
		return "the kernel has no events for page faults"
	case syscall.EMFILE:
		return fmt.Sprintf("each thread needs two descriptors: raise RLIMIT_NOFILE, which is %d", s.nofile)
	case syscall.ENFILE:
		return "each thread needs two descriptors: raise /proc/sys/fs/file-max"
	case syscall.EINVAL:
		if rate, err := strconv.Atoi(s.sampleRate); err == nil && rate < 1000 {
			return fmt.Sprintf("%s is %d: it must be 1000 or more", perfSampleRateFile, rate)
		}
	}
	return ""
}

// explainRefusal returns why perf_event_open is not permitted.
func (s *perfSettings) explainRefusal(err syscall.Errno) string {
	if err != syscall.EACCES && s.seccomp {
		return "a seccomp filter forbids perf_event_open (Seccomp in /proc/self/status is not 0): " +
			"let the container runtime's seccomp profile allow it; Docker's does with CAP_PERFMON"
	}
	if err == syscall.ENOSYS {
		return "the kernel has no performance events (CONFIG_PERF_EVENTS)"
	}
	if s.paranoid == "" {
		return fmt.Sprintf("%s cannot be read: a sandbox may forbid performance events", perfParanoidFile)
	}
	if paranoid, err := strconv.Atoi(s.paranoid); err == nil && paranoid > 2 {
		return fmt.Sprintf("%s is %d: it must be 2 or less, or the process must have CAP_PERFMON", perfParanoidFile, paranoid)
	}
	return fmt.Sprintf("%s is %s, which would permit it: a security module such as SELinux may forbid it", perfParanoidFile, s.paranoid)
}

// pageFaultUserOnlyComment returns the comment of a profile that has no samples
// of faults of kernel mode.
func pageFaultUserOnlyComment() string {
	comment := fmt.Sprintf("Page faults of user mode. Those of system calls are at runtime._UnsampledPageFaults: to see where they were, set %s to 1 or less, or give the process CAP_PERFMON.",
		perfParanoidFile)
	if paranoid := readSetting(perfParanoidFile); paranoid != "" {
		comment += " It is " + paranoid + "."
	}
	return comment
}
