// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !race

package evidence

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

func init() {
	limitAddressSpace = func(t *testing.T) {
		data, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Fatal(err)
		}
		var pages uint64
		if _, err := fmt.Sscan(string(data), &pages); err != nil {
			t.Fatal(err)
		}
		limit := pages*uint64(os.Getpagesize()) + 256<<20
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
	}
}
