// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/profilerecord"
	"internal/testenv"
	. "runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestGrowthUserArena compares the sums of the growth profile with metrics,
// first when user arenas have taken memory, and then when they have given it
// back. Other tests of growth are in runtime/pprof. This one is here because,
// without GOEXPERIMENT=arenas, only tests of package runtime can make user
// arenas.
func TestGrowthUserArena(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := newGrowthDifference(t)
	arenas := make([]*UserArena, 3)
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"taken", func() {
			for i := range arenas {
				arenas[i] = NewUserArena()
				for range 8 {
					var p any = (*[UserArenaChunkBytes / 5]byte)(nil)
					arenas[i].New(&p)
				}
			}
		}},
		{"freed", func() {
			for _, a := range arenas {
				a.Free()
			}
		}},
		{"collected", func() { clear(arenas); GC(); GC() }},
		{"returned", debug.FreeOSMemory},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			before.check(t)
		})
	}
}

// TestGrowthTrimmed checks that buckets have no frames that profiles do not
// show.
func TestGrowthTrimmed(t *testing.T) {
	for range 100 {
		growthSink = make([]byte, 1<<20)
	}
	growthSink = nil
	done := make(chan bool)
	go func() { // its stack grows to 32 MiB
		growthDeep(1 << 15)
		close(done)
	}()
	<-done
	GrowthTotals(make([]profilerecord.GrowthRecord, 10000)) // counts pending events in buckets
	leading, last, stacks := GrowthHiddenFrames()
	if leading != 0 || last != 0 {
		t.Errorf("%d call stacks have %d leading frames of the runtime and %d of goexit", stacks, leading, last)
	}
	if stacks == 0 && (GOARCH == "amd64" || GOARCH == "arm64") {
		t.Error("no call stack was taken by frame pointers")
	}
}

var growthSink []byte

//go:noinline
func growthDeep(n int) (sum byte) {
	var frame [512]byte
	frame[n%len(frame)] = byte(n)
	if n > 0 {
		sum = growthDeep(n - 1)
	}
	return sum + frame[n/2%len(frame)]
}

// TestGrowthDepth runs TestGrowthTrimmed with room for one, two and three
// frames.
func TestGrowthDepth(t *testing.T) {
	testenv.MustHaveExec(t)
	for _, depth := range []string{"1", "2", "3"} {
		cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestGrowthTrimmed$")
		cmd.Env = append(cmd.Environ(), "GODEBUG=profstackdepth="+depth)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("with %s: %v\n%s", depth, err, out)
		}
	}
}

// A growthDifference is the number of bytes by which the growth profile exceeds
// the metrics: for mapped minus unmapped, and for resident minus released. It
// would be 0 if tests of the page allocator did not change metrics.
type growthDifference struct {
	records          []profilerecord.GrowthRecord
	metrics          []metrics.Sample
	mapped, resident int64
}

func newGrowthDifference(t *testing.T) *growthDifference {
	d := &growthDifference{
		records: make([]profilerecord.GrowthRecord, 10000),
		metrics: []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}},
	}
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) { // until nothing changes
		mapped, resident := d.mapped, d.resident
		if d.mapped, d.resident = d.now(t); mapped == d.mapped && resident == d.resident {
			break
		}
	}
	return d
}

func (d *growthDifference) now(t *testing.T) (mapped, resident int64) {
	t.Helper()
	metrics.Read(d.metrics)
	mapped, resident, ok := GrowthTotals(d.records)
	if !ok {
		t.Fatalf("more than %d records", len(d.records))
	}
	total, released := int64(d.metrics[0].Value.Uint64()), int64(d.metrics[1].Value.Uint64())
	return mapped - total, resident - (total - released)
}

// check checks that the difference has not changed. It looks again for a while,
// because growth in goroutines of the runtime does not reach the profile and
// the metrics at the same moment.
func (d *growthDifference) check(t *testing.T) {
	t.Helper()
	var mapped, resident int64
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		if mapped, resident = d.now(t); mapped == d.mapped && resident == d.resident {
			return
		}
	}
	t.Errorf("mapped less unmapped is off by %d and resident less released by %d, before by %d and %d", mapped, resident, d.mapped, d.resident)
}
