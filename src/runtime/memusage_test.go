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
	"strings"
	"sync"
	"sync/atomic"
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
	check("heap/objects:bytes", space.Live+space.New)
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

// TestMemUsageArena frees a user arena after a collection, which found it
// alive.
func TestMemUsageArena(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	arena := NewUserArena()
	for range 8 { // more than one chunk, because an arena may begin with the rest of another arena's chunk
		var p any = (*[UserArenaChunkBytes / 5]byte)(nil)
		arena.New(&p)
	}
	GC()
	GC()
	with := takeMemUsage(t)
	arena.Free()
	without := takeMemUsage(t)
	if freed := with.Live - without.Live; with.Cycle == without.Cycle && (freed < uint64(UserArenaChunkBytes)*7/8) {
		t.Errorf("%d bytes live, then an arena is freed: %d live", with.Live, without.Live)
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

// A memUsageProfile has a profile's MemUsage and, of the sampled objects that
// allocMemUsage allocated, the number that the latest collection found alive,
// and the number of new ones.
type memUsageProfile struct {
	profilerecord.MemUsage
	live, new int64
}

// takeMemUsage takes the profile. It checks that the bytes of the sampled live
// objects do not exceed those of all live objects. New objects may be sampled
// after the moment, before the records are read.
func takeMemUsage(t *testing.T) (p memUsageProfile) {
	var records []profilerecord.MemUsageRecord
	p.MemUsage, records = MemProfileUsage()
	var live uint64
	for _, r := range records {
		if r.ObjectSize > int64(UserArenaChunkBytes)/2 {
			continue // the sample of a user arena outlives it
		}
		live += uint64((r.AllocObjects - r.NewObjects) * r.ObjectSize)
		if r.ObjectSize == memUsageSize && stackHas(r.Stack, "runtime_test.allocMemUsage") {
			p.live += r.AllocObjects - r.NewObjects
			p.new += r.NewObjects
		}
	}
	if live > p.Live {
		t.Errorf("cycle %d: %d bytes live, of which %d are sampled", p.Cycle, p.Live, live)
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

// TestMemUsageSites checks that objects are new until a collection finds them
// alive, and that objects that it finds dead are in no class afterwards, by
// collections of both kinds.
func TestMemUsageSites(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	sampleAll(t)
	for name, collect := range map[string]func(){"GC": GC, "automatic": awaitAutomaticGC} {
		check := func(when string, live, recent int64) memUsageProfile {
			t.Helper()
			p := takeMemUsage(t)
			if p.live != live || p.new != recent {
				t.Errorf("%s, %s: %d objects live and %d new, want %d and %d", name, when, p.live, p.new, live, recent)
			}
			return p
		}
		const kept, dropped, added = 100, 70, 30
		all := allocMemUsage(kept + dropped)
		check("at first", 0, kept+dropped)
		collect()
		before := check("all alive", kept+dropped, 0)
		clear(all[kept:])
		more := allocMemUsage(added)
		with := check("dropped", kept+dropped, added)
		if grown := int64(with.New - before.New); with.Live != before.Live || grown < added*memUsageSize || grown > added*memUsageSize+1<<20 {
			t.Errorf("%s: %d live and %d new, then %d and %d", name, before.Live, before.New, with.Live, with.New)
		}
		collect()
		after := check("collected", kept+added, 0)
		if after.Cycle <= before.Cycle || after.Time <= before.Time || after.Time > time.Now().UnixNano() {
			t.Errorf("%s: cycle %d at %d, then cycle %d at %d", name, before.Cycle, before.Time, after.Cycle, after.Time)
		}
		if after.Freed < dropped*memUsageSize {
			t.Errorf("%s: %d bytes were found dead", name, after.Freed)
		}
		KeepAlive(all)
		KeepAlive(more)
		all, more = nil, nil
		collect()
		check("none left", 0, 0)
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

// TestMemUsageRacing takes profiles while collections run and goroutines
// allocate. Profiles of one cycle must have the same live heap, and the bytes
// of the sampled live objects must not exceed those of all, which takeMemUsage
// checks.
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
	least, enough := memUsageRounds(300, 100), memUsageRounds(20, 8)
	for reads := 0; reads < least || len(cycles) < enough && reads < 100000; reads++ {
		p := takeMemUsage(t)
		if q, ok := cycles[p.Cycle]; ok && p.Cycle != 0 && (q.Live != p.Live || q.Freed != p.Freed) {
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

// TestMemUsageFreedSpan checks that the sampled objects of a span are not read
// if the span has been freed, or has another use, since the profile found it.
func TestMemUsageFreedSpan(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	sampleAll(t)
	const size = 1 << 20
	b := make([]byte, size)
	for change, want := range map[string]uint64{"": size, "dead": 0, "stack": 0, "being freed": 0, "another base": 0, "another size": 0} {
		if got := MemPagesSampled(b, change); got != want {
			t.Errorf("%q: %d bytes absent, want %d", change, got, want)
		}
	}
}

// TestMemUsageUntouched takes profiles while goroutines drop large objects
// without pages.
func TestMemUsageUntouched(t *testing.T) {
	sampleAll(t)
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for n := 64 << 10; !stop.Load(); n = 64<<10 + n%(1<<20) {
				KeepAlive(make([]byte, n))
			}
		})
	}
	for range memUsageRounds(200, 50) {
		takeMemUsage(t)
	}
	stop.Store(true)
	wg.Wait()
}

// memUsageRounds returns how many of all rounds a test takes.
func memUsageRounds(all, few int) int {
	if testing.Short() {
		return few
	}
	return all
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
	MemUsageMark(b.N)
	GC()
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
