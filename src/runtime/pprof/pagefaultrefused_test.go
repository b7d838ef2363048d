// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

// Except for TestPageFaultErrors, these tests use child processes: children
// that are not profiled, and children to which the kernel may refuse a page
// fault profile or a part of one.

package pprof

import (
	"bytes"
	"errors"
	"fmt"
	"internal/profile"
	"internal/testenv"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// pageFaultChild runs the test again in a child, with mode in the environment,
// and returns its output.
func pageFaultChild(t *testing.T, mode string) string {
	t.Helper()
	cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(cmd.Environ(), "PAGE_FAULT_CHILD="+mode)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", mode, err, out)
	}
	return string(out)
}

func childMode() string { return os.Getenv("PAGE_FAULT_CHILD") }

// TestPageFaultsExec checks that a child process inherits neither the perf
// events of its parent's profile nor their descriptors.
func TestPageFaultsExec(t *testing.T) {
	const n = 30000
	if childMode() != "" {
		if fds := perfDescriptors(t); len(fds) != 0 {
			t.Errorf("the child has descriptors %v of events", fds)
		}
		_, pages := mapPages(t, -1, n)
		touchAnonymous(pages)
		return
	}
	testenv.MustHaveExec(t)
	stop := startPageFaults(t, 1)
	out := pageFaultChild(t, "touch")
	p := stop()
	if total := p.sum(func(*profile.Sample) bool { return true }); total >= n {
		t.Errorf("%d faults, which must be those of the child\n%s", total, out)
	}
}

// TestPageFaultsRefused checks the errors when the kernel refuses a profile.
func TestPageFaultsRefused(t *testing.T) {
	if mode := childMode(); mode != "" {
		refusedChild(t, mode)
		return
	}
	testenv.MustHaveExec(t)
	startPageFaults(t, 1)()
	for _, test := range []struct{ mode, want string }{
		{"seccomp EPERM", "perf_event_open: operation not permitted: a seccomp filter forbids perf_event_open"},
		{"seccomp ENOSYS", "perf_event_open: function not implemented: a seccomp filter forbids perf_event_open"},
		{"half of nofile", "perf_event_open: too many open files: each thread needs two descriptors: raise RLIMIT_NOFILE, which is 60"},
		{"nofile", "perf_event_open: too many open files: each thread needs two descriptors: raise RLIMIT_NOFILE, which is "},
	} {
		out := pageFaultChild(t, test.mode)
		if want := "refused: runtime/pprof: page fault profile: " + test.want; !strings.Contains(out, want) {
			t.Errorf("%s: want %s\ngot %s", test.mode, want, out)
		}
	}
}

func refusedChild(t *testing.T, mode string) {
	switch mode {
	case "seccomp EPERM":
		forbidPerfEvents(t, syscall.EPERM)
	case "seccomp ENOSYS":
		forbidPerfEvents(t, syscall.ENOSYS)
	case "half of nofile":
		// The first 28 descriptors are open, and there is more than one thread.
		for fd := 0; fd < 28; {
			var err error
			if fd, err = syscall.Dup(0); err != nil {
				t.Fatal(err)
			}
		}
		setNofile(t, 60)
	case "nofile":
		pageFaultParts = 0
		limitDescriptors(t, 1)
	}
	err := StartPageFaultProfile(new(bytes.Buffer))
	if err == nil {
		StopPageFaultProfile()
		t.Fatal("the profile has started")
	}
	fmt.Println("refused:", err)
	allowDescriptors(t)
	if left := perfDescriptors(t); len(left) != 0 {
		t.Errorf("descriptors %v of events are still open", left)
	}
	StopPageFaultProfile()
}

// limitDescriptors permits n descriptors more than are open.
func limitDescriptors(t *testing.T, n int) {
	t.Helper()
	readSetting(perfParanoidFile) // opens the descriptors of the poller first
	fd, err := syscall.Dup(0)     // the lowest free descriptor
	if err != nil {
		t.Fatal(err)
	}
	syscall.Close(fd)
	setNofile(t, fd+n)
}

func allowDescriptors(t *testing.T) { setNofile(t, 1000) }

func setNofile(t *testing.T, n int) {
	t.Helper()
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		t.Fatal(err)
	}
	l.Cur = uint64(n)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		t.Fatal(err)
	}
}

// TestPageFaultsUnobserved starts threads when no more descriptors can be
// opened.
func TestPageFaultsUnobserved(t *testing.T) {
	if childMode() == "" {
		testenv.MustHaveExec(t)
		startPageFaults(t, 1)()
		pageFaultChild(t, "nofile")
		return
	}
	_, pages := mapPages(t, -1, 100)
	stop := startPageFaults(t, 1)
	limitDescriptors(t, 0)
	var wg, locked sync.WaitGroup
	locked.Add(30)
	for range 30 {
		wg.Go(func() {
			runtime.LockOSThread() // so that the thread exits with the goroutine
			locked.Done()
			locked.Wait() // waits until there are that many threads
			touchNew(pages)
		})
	}
	wg.Wait()
	allowDescriptors(t)
	p := stop()
	want := "Threads that started during the profile and have no samples"
	if !slices.ContainsFunc(p.Comments, func(c string) bool { return strings.Contains(c, want) }) {
		t.Errorf("comments %q, want one with %q", p.Comments, want)
	}
}

// TestPageFaultsUnprivileged takes a profile in a process without capabilities.
func TestPageFaultsUnprivileged(t *testing.T) {
	const n = 64
	if childMode() == "" {
		testenv.MustHaveExec(t)
		if os.Geteuid() != 0 {
			t.Skip("not root: the other tests are without privilege")
		}
		startPageFaults(t, 1)()
		pageFaultChild(t, "setuid")
		return
	}
	mapping, _ := mapPages(t, -1, n)
	_, pages := mapPages(t, -1, n)
	f, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setuid(65534); err != nil {
		t.Fatal(err)
	}
	paranoid := readSetting(perfParanoidFile)
	if paranoid > "2" {
		err := StartPageFaultProfile(new(bytes.Buffer))
		if err != nil && !strings.Contains(err.Error(), perfParanoidFile+" is "+paranoid) {
			t.Errorf("error %q does not say that %s is %s", err, perfParanoidFile, paranoid)
		}
		return
	}
	stop := startPageFaults(t, 1)
	readInto(t, f, mapping)
	touchAnonymous(pages)
	p := stop()
	p.want("touchAnonymous", n)
	if paranoid < "2" {
		p.want("readInto", n)
		return
	}
	p.want("readInto", 0)
	if c := pageFaultUserOnlyComment(); !slices.Contains(p.Comments, c) || !strings.Contains(c, "set "+perfParanoidFile+" to 1 or less") {
		t.Errorf("comments %q, want %q", p.Comments, c)
	}
}

func TestPageFaultErrors(t *testing.T) {
	open := perfSettings{paranoid: "2", sampleRate: "100000", nofile: 1024}
	strict, filtered, slow := open, open, open
	strict.paranoid = "4"
	filtered.seccomp = true
	slow.sampleRate = "500"
	for _, test := range []struct {
		settings perfSettings
		err      syscall.Errno
		want     string
	}{
		{strict, syscall.EACCES, "/proc/sys/kernel/perf_event_paranoid is 4: it must be 2 or less, or the process must have CAP_PERFMON"},
		{perfSettings{nofile: 1024}, syscall.EACCES, "/proc/sys/kernel/perf_event_paranoid cannot be read: a sandbox may"},
		{strict, syscall.EPERM, "/proc/sys/kernel/perf_event_paranoid is 4: it must be 2 or less"},
		{open, syscall.EACCES, "/proc/sys/kernel/perf_event_paranoid is 2, which would permit it: a security module"},
		{filtered, syscall.EPERM, "a seccomp filter forbids perf_event_open"},
		{filtered, syscall.ENOSYS, "a seccomp filter forbids perf_event_open"},
		{filtered, syscall.EACCES, "/proc/sys/kernel/perf_event_paranoid is 2"},
		{open, syscall.ENOSYS, "CONFIG_PERF_EVENTS"},
		{open, syscall.ENOENT, "the kernel has no events for page faults"},
		{open, syscall.ENODEV, "the kernel has no events for page faults"},
		{open, syscall.EMFILE, "raise RLIMIT_NOFILE, which is 1024"},
		{open, syscall.ENFILE, "raise /proc/sys/fs/file-max"},
		{slow, syscall.EINVAL, "/proc/sys/kernel/perf_event_max_sample_rate is 500: it must be 1000 or more"},
		{open, syscall.EINVAL, ""},
	} {
		got := test.settings.explain(test.err)
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%v with %+v: %q, want %q", test.err, test.settings, got, test.want)
		}
	}
	if err := pageFaultError("perf_event_open", uintptr(syscall.EMFILE)); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%v is not EMFILE", err)
	}
}
