// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tests of memusage.go. They compare the state and the records that package
// pprof reads with metrics of the same moment, or with objects that they have
// allocated.

package runtime_test

import (
	"fmt"
	"internal/goexperiment"
	"internal/profilerecord"
	"internal/testenv"
	"os"
	. "runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMemUsageClasses compares each class with its metric at one moment.
func TestMemUsageClasses(t *testing.T) {
	for attempt := 1; ; attempt++ {
		space, classes, ready := MemUsageNow()
		diff := memUsageDiff(&space, classes, ready)
		if diff == "" {
			return
		}
		// A thread without a P, which does not stop, may allocate
		// between the two readings.
		if attempt == 10 {
			t.Fatal(diff)
		}
	}
}

// memUsageDiff returns a text of the differences between space and metrics.
func memUsageDiff(space *profilerecord.MemUsage, classes map[string]uint64, ready uint64) string {
	var diff strings.Builder
	check := func(metric string, got uint64) {
		if want, ok := classes["/memory/classes/"+metric]; !ok || got != want {
			fmt.Fprintf(&diff, "%s: %d, want %d, %t\n", metric, got, want, ok)
		}
		delete(classes, "/memory/classes/"+metric)
	}
	total := classes["/memory/classes/total:bytes"]
	check("heap/objects:bytes", space.Live+space.Dead)
	check("heap/unused:bytes", space.Fragmented)
	check("heap/free:bytes", space.Free)
	check("heap/stacks:bytes", space.Stacks)
	check("heap/released:bytes", space.Released)
	check("os-stacks:bytes", space.OSStacks)
	check("metadata/mspan/inuse:bytes", space.MSpanInUse)
	check("metadata/mspan/free:bytes", space.MSpanFree)
	check("metadata/mcache/inuse:bytes", space.MCacheInUse)
	check("metadata/mcache/free:bytes", space.MCacheFree)
	check("metadata/other:bytes", space.MetadataOther)
	check("profiling/buckets:bytes", space.Buckets)
	check("other:bytes", space.Other)
	check("total:bytes", space.Total()+space.Released)
	for metric := range classes {
		fmt.Fprintf(&diff, "%s is in no class\n", metric)
	}
	if ready != total-space.Released {
		fmt.Fprintf(&diff, "%d bytes are ready, want %d\n", ready, total-space.Released)
	}
	return diff.String()
}

// TestMemUsageLive compares the bytes of live objects with the metric for the
// bytes of all objects. The two are equal after a collection if nothing is
// allocated between the collection and the reading.
func TestMemUsageLive(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	kept := make([]*[100]byte, 1000)
	for i := range kept {
		kept[i] = new([100]byte)
		if i%2 == 0 {
			// The collector's count of live bytes has these objects
			// twice.
			SetFinalizer(kept[i], func(*[100]byte) {})
		}
	}
	defer KeepAlive(kept)
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	equal := false
	for range 100 {
		var space profilerecord.MemUsage
		arenas := MemUsageArenasFreed()
		GC()
		metrics.Read(sample)
		MemProfileUsage(nil, &space)
		var stats MemStats
		ReadMemStats(&stats)
		if space.Cycle != stats.NumGC || arenas != MemUsageArenasFreed() {
			continue // a collection that an earlier test started still runs, or garbage of that test frees arenas
		}
		objects := sample[0].Value.Uint64()
		if objects < space.Live {
			t.Errorf("%d bytes of objects, of which %d live", objects, space.Live)
		}
		equal = equal || objects == space.Live
	}
	if !equal {
		t.Error("live objects were never all objects")
	}
}

// TestMemUsageArena frees a user arena after a collection. In the state of that
// collection's mark termination, the arena remains part of the live heap. It
// never becomes part of the dead heap.
func TestMemUsageArena(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	arena := NewUserArena()
	for range 8 { // more than one chunk, because an arena may begin with the rest of another arena's chunk
		var p any = (*[UserArenaChunkBytes / 5]byte)(nil)
		arena.New(&p)
	}
	GC()
	GC()
	with, freed := readMemUsage(t), MemUsageArenasFreed()
	arena.Free()
	after := readMemUsage(t)
	freed = MemUsageArenasFreed() - freed
	if freed == 0 || after.Cycle == with.Cycle && after.MemUsage != with.MemUsage {
		t.Errorf("%d bytes of arenas are freed, and what was at the mark termination is %+v, then %+v", freed, with.MemUsage, after.MemUsage)
	}
	GC()
	without := readMemUsage(t)
	if without.Live+freed/2 > with.Live || without.Dead > freed/2 {
		t.Errorf("%d live, then an arena of %d is freed: %d live, %d dead", with.Live, freed, without.Live, without.Dead)
	}
}

const memUsageSize = 3 << 13 // a size class that no other object here has

//go:noinline
func allocMemUsage(n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, memUsageSize)
	}
	return all
}

// A memUsageProfile has a profile's MemUsage, the numbers of live and dead
// objects of allocMemUsage in the profile, and the bytes of all its sampled
// objects.
type memUsageProfile struct {
	profilerecord.MemUsage
	live, dead           int64
	liveBytes, deadBytes uint64
}

// readMemUsage reads the profile. It checks that the bytes of the sampled
// objects do not exceed those of all objects.
func readMemUsage(t *testing.T) (p memUsageProfile) {
	n, ok := MemProfileUsage(nil, &p.MemUsage)
	var records []profilerecord.MemUsageRecord
	for !ok {
		records = make([]profilerecord.MemUsageRecord, n+50)
		n, ok = MemProfileUsage(records, &p.MemUsage)
	}
	for _, r := range records[:n] {
		p.liveBytes += uint64(r.InUseBytes())
		p.deadBytes += uint64(r.DeadObjects * r.ObjectSize)
		if r.ObjectSize == memUsageSize && stackHas(r.Stack, "runtime_test.allocMemUsage") {
			p.live += r.InUseObjects()
			p.dead += r.DeadObjects
		}
	}
	if p.Cycle != 0 && (p.liveBytes > p.Live || p.deadBytes > p.Dead) {
		t.Errorf("cycle %d: %d bytes live and %d dead, of which %d and %d are sampled", p.Cycle, p.Live, p.Dead, p.liveBytes, p.deadBytes)
	}
	return p
}

func stackHas(stack []uintptr, function string) bool {
	frames := CallersFrames(stack)
	for {
		f, more := frames.Next()
		if f.Function == function {
			return true
		}
		if !more {
			return false
		}
	}
}

// sampleAll samples all objects for the rest of the test.
func sampleAll(t *testing.T) {
	rate := MemProfileRate
	t.Cleanup(func() { MemProfileRate = rate })
	MemProfileRate = 1
}

// TestMemUsageSites checks that the profile shows as dead the objects that a
// collection has found dead, from that collection until the next one.
func TestMemUsageSites(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	sampleAll(t)
	const kept, dropped = 100, 70
	all := allocMemUsage(kept + dropped)
	GC()
	check := func(when string, live, dead int64) {
		t.Helper()
		for range 2 { // reading must not change the profile
			p := readMemUsage(t)
			if p.live != live || p.dead != dead {
				t.Errorf("%s: %d objects live and %d dead, want %d and %d", when, p.live, p.dead, live, dead)
			}
		}
	}
	check("all alive", kept+dropped, 0)
	before := readMemUsage(t)
	all = all[:kept:kept]
	clear(all[len(all):cap(all)])
	all = append([][]byte(nil), all...)
	check("dropped", kept+dropped, 0)
	GC()
	check("collected", kept, dropped)
	after := readMemUsage(t)
	if after.Cycle <= before.Cycle || after.Time <= before.Time || after.Time > time.Now().UnixNano() {
		t.Errorf("cycle %d at %d, then cycle %d at %d", before.Cycle, before.Time, after.Cycle, after.Time)
	}
	GC()
	check("and again", kept, 0)
	KeepAlive(all)
	all = nil
	GC()
	check("none left", 0, kept)
	GC()
	check("and again", 0, 0)
}

// TestMemUsageAutomatic checks dead objects while collections start by
// themselves. Profiles are then of the collection before the latest one.
func TestMemUsageAutomatic(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	sampleAll(t)
	const n = 64
	for attempt := 1; ; attempt++ {
		all := allocMemUsage(n)
		GC()
		KeepAlive(all)
		all = nil
		first, last, dead := readMemUsage(t), readMemUsage(t), int64(0)
		seen := true
		for last.Cycle < first.Cycle+3 {
			awaitAutomaticGC()
			p := readMemUsage(t)
			if p.Cycle == last.Cycle {
				continue
			}
			seen = seen && p.Cycle == last.Cycle+1
			if p.Cycle == first.Cycle+1 && (p.dead != n || p.live != 0) {
				t.Errorf("%d objects live and %d dead, want %d dead", p.live, p.dead, n)
			}
			dead += p.dead
			last = p
		}
		if seen && dead != n {
			t.Errorf("%d objects dead in all cycles, want %d", dead, n)
		}
		if seen {
			return
		}
		if attempt == 20 {
			t.Skip("collections always came two at a time")
		}
	}
}

var memUsageSink []byte

// awaitAutomaticGC allocates until a collection that started by itself is
// complete.
func awaitAutomaticGC() {
	var before, now MemStats
	ReadMemStats(&before)
	now = before
	debug.SetGCPercent(20)
	defer debug.SetGCPercent(-1)
	for now.NumGC == before.NumGC {
		for range 10 {
			memUsageSink = make([]byte, 100<<10)
		}
		ReadMemStats(&now)
	}
}

// TestMemUsageRacing reads profiles while collections run and goroutines
// allocate. Profiles of one cycle must be equal, and the bytes of the sampled
// objects must not exceed those of all objects, which readMemUsage checks.
func TestMemUsageRacing(t *testing.T) {
	sampleAll(t)
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	const workers, each = 4, 50
	stop := make(chan bool)
	var wg sync.WaitGroup
	untilStopped := func(f func()) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					f()
					Gosched() // or the goroutines that wait for collections may keep the only P to themselves
				}
			}
		})
	}
	for range workers {
		untilStopped(func() { KeepAlive(allocMemUsage(each)) })
	}
	untilStopped(GC)
	cycles := make(map[uint32]profilerecord.MemUsage)
	for reads := 0; reads < 300 || len(cycles) < 20 && reads < 100000; reads++ {
		p := readMemUsage(t)
		if q, ok := cycles[p.Cycle]; ok && p.Cycle != 0 && q != p.MemUsage {
			t.Errorf("two states of cycle %d: %+v, %+v", p.Cycle, q, p.MemUsage)
		}
		cycles[p.Cycle] = p.MemUsage
		if sum := p.Total(); sum < p.Live || sum > 1<<31 || p.Fragmented > 1<<31 || p.Free > 1<<31 {
			t.Errorf("cycle %d: %+v", p.Cycle, p.MemUsage)
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("%d cycles seen", len(cycles))
}

// TestMemUsageModes runs the tests of this file in other modes of the
// collector.
func TestMemUsageModes(t *testing.T) {
	if testing.Short() || os.Getenv("TEST_MEMUSAGE_MODE") != "" {
		t.Skip("not now")
	}
	testenv.MustHaveExec(t)
	for _, godebug := range []string{"gcstoptheworld=1", "gcstoptheworld=2", "gccheckmark=1", "madvdontneed=0"} {
		if goexperiment.StaticLockRanking && strings.HasPrefix(godebug, "gcstoptheworld") {
			continue // schedule calls schedEnabled, which then asserts that sched.lock is held
		}
		for _, procs := range []string{"1", "8"} {
			cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestMemUsage")
			cmd.Env = append(os.Environ(), "TEST_MEMUSAGE_MODE=1", "GODEBUG="+godebug, "GOMAXPROCS="+procs)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("GODEBUG=%s GOMAXPROCS=%s: %v\n%s", godebug, procs, err, out)
			}
		}
	}
}

// BenchmarkMemUsageMark measures the work of each mark termination.
func BenchmarkMemUsageMark(b *testing.B) {
	MemUsageRead(b.N)
	state, bucket := MemUsageSize()
	b.ReportMetric(float64(state), "B-state")
	b.ReportMetric(float64(bucket), "B/bucket")
}

// BenchmarkMemUsageUncounted measures the work for each P after a mark
// termination.
func BenchmarkMemUsageUncounted(b *testing.B) {
	MemUsageUncounted(b.N)
	GC()
}
