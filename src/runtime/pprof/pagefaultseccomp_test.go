// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

// This file installs a seccomp filter like the filters of container runtimes.

package pprof

import (
	"internal/goarch"
	"runtime"
	"syscall"
	"testing"
	"unsafe"
)

// forbidPerfEvents makes perf_event_open fail with errno from now on, on all
// threads.
func forbidPerfEvents(t *testing.T, errno syscall.Errno) {
	t.Helper()
	const (
		loadWord  = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
		jumpEqual = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
		result    = syscall.BPF_RET | syscall.BPF_K

		resultErrno = 0x00050000
		resultAllow = 0x7fff0000

		prSetNoNewPrivs  = 38
		setModeFilter    = 1
		filterFlagTsync  = 1
		offsetSyscallNum = 0
	)
	filter := []syscall.SockFilter{
		{Code: loadWord, K: offsetSyscallNum},
		{Code: jumpEqual, K: syscall.SYS_PERF_EVENT_OPEN, Jt: 0, Jf: 1},
		{Code: result, K: resultErrno | uint32(errno)},
		{Code: result, K: resultAllow},
	}
	prog := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread() // both calls must run on one thread
	defer runtime.UnlockOSThread()
	if _, _, err := syscall.Syscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); err != 0 {
		t.Fatal("PR_SET_NO_NEW_PRIVS:", err)
	}
	sysSeccomp := uintptr(goarch.Is386*354 + goarch.IsAmd64*317 + goarch.IsPpc64le*358 +
		(goarch.IsArm64+goarch.IsLoong64+goarch.IsRiscv64)*277)
	if r, _, err := syscall.Syscall(sysSeccomp, setModeFilter, filterFlagTsync, uintptr(unsafe.Pointer(&prog))); r != 0 || err != 0 {
		t.Skip("no seccomp filter: ", r, err)
	}
}
