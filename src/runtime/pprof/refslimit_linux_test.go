// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This test records a heap of millions of objects in a process whose memory can
// hardly grow.

package pprof

import (
	"bytes"
	"fmt"
	"internal/profile"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

var (
	refsUntyped []unsafe.Pointer
	refsSpare   []byte // when it is freed, the heap need not grow for the profile
)

// addressSpace returns the size of the process's address space in bytes.
func addressSpace(t *testing.T) uint64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(statm), &pages); err != nil {
		t.Fatal(err)
	}
	return pages * uint64(os.Getpagesize())
}

// TestRefsAddressSpace takes profiles when so little address space is left that
// the recording gets none, some or all of the memory for which it asks. Either
// the profile is right, or the request fails.
func TestRefsAddressSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of 200 MB")
	}
	for _, left := range []uint64{4, 16, 18, 20, 22, 24, 28, 36, 60, 100} {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			if !ownProcess(t) {
				return
			}
			refsUntyped = make([]unsafe.Pointer, 4<<20)
			for i := range refsUntyped {
				refsUntyped[i] = unsafe.Pointer(new(*int))
			}
			refsSpare = make([]byte, 32<<20)
			refsSpare = nil
			runtime.GC()
			runtime.GC()
			debug.FreeOSMemory()
			limit := addressSpace(t) + left<<20
			if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
				t.Fatal(err)
			}
			var buf bytes.Buffer
			if err := Lookup("refs").WriteTo(&buf, 0); err != nil {
				if !strings.Contains(err.Error(), "no memory") {
					t.Error(err)
				}
				return
			}
			p, err := profile.Parse(&buf)
			if err != nil {
				t.Fatal(err)
			}
			if live, sum := refsLiveSum(p); live == 0 || sum != live {
				t.Errorf("samples have %d bytes, the live heap %d", sum, live)
			}
			t.Log(p.Comments)
		})
	}
}
