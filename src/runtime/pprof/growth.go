// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The growth profile reports the code that made the process grow. Its data
// comes from runtime/growthprofile.go.

package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"internal/profilerecord"
	"io"
	"runtime"
	"slices"
	"strings"
	_ "unsafe" // for linkname
)

var growthProfile = &Profile{
	name:  "growth",
	count: countGrowth,
	write: writeGrowth,
}

// growthPeriod is the average number of bytes between two samples of
// resident_space or of released_space. It equals growthPagesInterval in
// runtime/growth.go. stack_growth has fewer samples.
const growthPeriod = 512 << 10

func countGrowth() int {
	n, _ := pprof_growthProfileInternal(nil)
	return n
}

// writeGrowth writes the growth profile.
func writeGrowth(w io.Writer, debug int) error {
	records := sorted(growthRecords(), func(x, y *profilerecord.GrowthRecord) int {
		return cmp.Or(cmp.Compare(y.Resident, x.Resident), cmp.Compare(y.Mapped, x.Mapped),
			cmp.Compare(x.Kind, y.Kind), slices.Compare(x.Stack, y.Stack))
	})
	if debug > 0 {
		return writeGrowthText(w, records)
	}
	b := newProtoProfile(w, protoHeader{
		period: growthPeriod,
		sampleTypes: []protoType{{"growths", "count"}, {"mapped_space", "bytes"}, {"unmapped_space", "bytes"},
			{"released_space", "bytes"}, {"stack_growth", "bytes"}, {"resident_space", "bytes"}},
		defaultType: "resident_space",
	})
	var locs []uint64
	for _, r := range records {
		locs = b.appendLocsForStack(locs[:0], r.Stack)
		b.pbSample([]int64{r.Growths, r.Mapped, r.Unmapped, r.Released, r.Enlarged, r.Resident}, locs, func() {
			b.pbLabel(tagSample_Label, "kind", r.Kind, 0)
		})
	}
	return b.build()
}

// growthRecords returns the records that have a value other than 0.
func growthRecords() []profilerecord.GrowthRecord {
	n, _ := pprof_growthProfileInternal(nil)
	for {
		// There may be more records by the next call: leave some room
		// for them.
		records := make([]profilerecord.GrowthRecord, n+50)
		var ok bool
		if n, ok = pprof_growthProfileInternal(records); ok {
			room := make([]uintptr, len(pprof_makeProfStack())+1)
			for i := range n {
				records[i].Stack = growthStack(records[i].Stack, room)
			}
			mergeFewBytes(records[:n])
			return slices.DeleteFunc(records[:n], func(r profilerecord.GrowthRecord) bool {
				return r.Growths|r.Mapped|r.Unmapped|r.Released|r.Enlarged|r.Resident == 0
			})
		}
	}
}

// fewBytes is the largest size of a frame that makes pprof print all of a
// profile in bytes.
const fewBytes = 1024 / 100

// mergeFewBytes adds values of a few bytes without a call stack to the largest
// value of the same kind and sample type (see fewBytes).
func mergeFewBytes(records []profilerecord.GrowthRecord) {
	for i := range records {
		r := &records[i]
		if len(r.Stack) != 1 || runtime.FuncForPC(r.Stack[0]-1).Name() != "runtime._GrowthUnattributed" {
			continue
		}
		for what, v := range growthValues(r) {
			largest := v
			for j := range records {
				if w := growthValues(&records[j])[what]; records[j].Kind == r.Kind && *w > *largest {
					largest = w
				}
			}
			if largest != v && *v > 0 && *v <= fewBytes {
				*largest += *v
				*v = 0
			}
		}
	}
}

// growthValues returns the values of r that are bytes.
func growthValues(r *profilerecord.GrowthRecord) [5]*int64 {
	return [...]*int64{&r.Mapped, &r.Unmapped, &r.Released, &r.Enlarged, &r.Resident}
}

// growthStack returns a record's call stack with the frames of inlined
// functions. If the stack has functions outside the runtime, growthStack
// removes the runtime's functions at its leaf. It also removes the functions
// that took the stack and, for mappings, the function Syscall or Syscall6 of
// package syscall, which made the system call. It uses room for the expanded
// stack.
func growthStack(stk, room []uintptr) []uintptr {
	stk = slices.Clone(callersOfRuntime(room[:pprof_fpunwindExpand(room, stk)]))
	for len(stk) > 1 {
		name := runtime.FuncForPC(stk[0] - 1).Name()
		if name != "runtime.systemstack_switch" && !strings.HasPrefix(name, "runtime.recordGrowth") &&
			name != "syscall.Syscall" && name != "syscall.Syscall6" {
			break
		}
		stk = stk[1:]
	}
	return stk
}

// writeGrowthText writes records as text, after the sums of each kind.
func writeGrowthText(w io.Writer, records []*profilerecord.GrowthRecord) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "growth profile: %d samples\n", len(records))
	for _, kind := range []string{"heap", "stack", "runtime", "mmap"} {
		sum := profilerecord.GrowthRecord{Kind: kind}
		for _, r := range records {
			if r.Kind == kind {
				sum.Growths += r.Growths
				sum.Mapped += r.Mapped
				sum.Unmapped += r.Unmapped
				sum.Released += r.Released
				sum.Enlarged += r.Enlarged
				sum.Resident += r.Resident
			}
		}
		printGrowth(b, "# total: ", &sum)
		fmt.Fprintln(b)
	}
	for _, r := range records {
		printGrowth(b, "", r)
		printAddresses(b, r.Stack)
		printStackRecord(b, r.Stack, false)
	}
	return b.Flush()
}

func printGrowth(w io.Writer, prefix string, r *profilerecord.GrowthRecord) {
	fmt.Fprintf(w, "%skind=%s resident_space=%d released_space=%d mapped_space=%d unmapped_space=%d stack_growth=%d growths=%d",
		prefix, r.Kind, r.Resident, r.Released, r.Mapped, r.Unmapped, r.Enlarged, r.Growths)
}

// pprof_growthProfileInternal is defined in runtime/growthprofile.go.
//
//go:linkname pprof_growthProfileInternal
func pprof_growthProfileInternal(p []profilerecord.GrowthRecord) (n int, ok bool)
