// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"math/rand/v2"
	. "runtime"
	"slices"
	"testing"
)

// TestProgramMemory maps, unmaps and moves memory, and compares with a map that
// has each address.
func TestProgramMemory(t *testing.T) {
	const size = 300
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var m MemoryRanges
		var want [size]bool
		set := func(at, n int, to bool) {
			for i := range n {
				want[at+i] = to
			}
		}
		for range 200 {
			n := 1 + r.IntN(20)
			at := 1 + r.IntN(size-n-1)
			switch r.IntN(3) {
			case 0:
				m.Replace(0, 0, uintptr(at), uintptr(n))
				set(at, n, true)
			case 1:
				m.Replace(uintptr(at), uintptr(n), 0, 0)
				set(at, n, false)
			case 2:
				to := 1 + r.IntN(size-n-1)
				m.Replace(uintptr(at), uintptr(n), uintptr(to), uintptr(n))
				moved := slices.Contains(want[at:at+n], true)
				set(at, n, false)
				if moved {
					set(to, n, true)
				}
			}
			var all [][2]uintptr
			for i, in := range want {
				switch {
				case !in:
				case !want[i-1]:
					all = append(all, [2]uintptr{uintptr(i), uintptr(i + 1)})
				default:
					all[len(all)-1][1]++
				}
			}
			if got := m.All(); !slices.Equal(got, all) {
				t.Fatalf("seed %d: %v, want %v", seed, got, all)
			}
		}
	}
}

// TestProgramMemoryFull maps more than there is room for, and unmaps all.
func TestProgramMemoryFull(t *testing.T) {
	var m MemoryRanges
	for i := range uintptr(2 * MaxMemoryRanges) {
		m.Replace(0, 0, 10*i+1, 5)
	}
	if n := len(m.All()); n != MaxMemoryRanges {
		t.Errorf("%d ranges", n)
	}
	m.Replace(3, 1, 0, 0) // cuts a range in two
	if all := m.All(); len(all) != MaxMemoryRanges || all[0] != [2]uintptr{1, 3} || all[1] != [2]uintptr{11, 16} {
		t.Errorf("%v", all[:3])
	}
	m.Replace(1, 1<<20, 0, 0)
	if all := m.All(); len(all) != 0 {
		t.Errorf("%v", all)
	}
}
