// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check growth profiles of memory that the tests allocate: totals
// against metrics, to the byte; each kind of memory alone; and sampled values
// against their standard deviation.

package pprof

import (
	"bytes"
	"internal/abi"
	"internal/asan"
	"internal/msan"
	"internal/profile"
	"internal/profilerecord"
	"internal/race"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// growthTypes are the sample types, in the order of the profile.
var growthTypes = []string{"growths", "mapped_space", "unmapped_space", "released_space", "stack_growth", "resident_space"}

// A growthProf is a parsed growth profile.
type growthProf struct{ p *profile.Profile }

func takeGrowth(t *testing.T) growthProf {
	t.Helper()
	return growthProf{takeProfile(t, "growth")}
}

// sum returns the sum of a sample type over the samples that have the given
// kind and whose call stacks have the given function. An empty kind or function
// stands for any.
func (g growthProf) sum(typ, kind, function string) (n int64) {
	i := slices.Index(growthTypes, typ)
	for _, s := range g.p.Sample {
		if kind != "" && s.Label["kind"][0] != kind {
			continue
		}
		if function == "" || calls(s, function) {
			n += s.Value[i]
		}
	}
	return n
}

// calls reports whether the call stack of s has a function of that name.
func calls(s *profile.Sample, function string) bool {
	return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
		return slices.ContainsFunc(l.Line, func(l profile.Line) bool { return strings.HasSuffix(l.Function.Name, "."+function) })
	})
}

// readBytes reads metrics whose unit is the byte.
func readBytes(names ...string) []int64 {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	values := make([]int64, len(names))
	for i, s := range samples {
		values[i] = int64(s.Value.Uint64())
	}
	return values
}

func TestGrowthTypes(t *testing.T) {
	p := takeGrowth(t).p
	var types []string
	for _, st := range p.SampleType {
		types = append(types, st.Type)
		if want := map[bool]string{true: "count", false: "bytes"}[st.Type == "growths"]; st.Unit != want {
			t.Errorf("unit of %s is %s", st.Type, st.Unit)
		}
	}
	if !slices.Equal(types, growthTypes) || p.DefaultSampleType != "resident_space" {
		t.Errorf("sample types %v, default %s", types, p.DefaultSampleType)
	}
	for _, s := range p.Sample {
		if kinds := []string{"heap", "stack", "runtime", "mmap"}; len(s.Label["kind"]) != 1 || !slices.Contains(kinds, s.Label["kind"][0]) {
			t.Errorf("labels %v", s.Label)
		}
	}
	var b bytes.Buffer
	if err := Lookup("growth").WriteTo(&b, 1); err != nil || !strings.HasPrefix(b.String(), "growth profile: ") {
		t.Errorf("text: %v\n%s", err, &b)
	}
	if n := Lookup("growth").Count(); n < len(p.Sample) {
		t.Errorf("count is %d, of %d samples", n, len(p.Sample))
	}
}

// checkGrowthTotals compares sums with metrics, to the byte. The scavenger and
// other goroutines of the runtime may work between the two reads, so that only
// one of them counts their work. In that case it compares again. It allocates
// nothing between the reads.
func checkGrowthTotals(t *testing.T) {
	t.Helper()
	n, _ := pprof_growthProfileInternal(nil)
	records := make([]profilerecord.GrowthRecord, n+100)
	want := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var mapped, resident, total, released int64
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		metrics.Read(want)
		total, released = int64(want[0].Value.Uint64()), int64(want[1].Value.Uint64())
		n, ok := pprof_growthProfileInternal(records)
		if !ok {
			t.Fatalf("%d records, there was room for %d", n, len(records))
		}
		mapped, resident = 0, 0
		for _, r := range records[:n] {
			if r.Kind != "mmap" {
				mapped += r.Mapped - r.Unmapped
				resident += r.Resident - r.Released
			}
		}
		if mapped == total && resident == total-released {
			return
		}
	}
	t.Errorf("mapped less unmapped is %d and resident less released %d, the metrics total and total less released %d and %d",
		mapped, resident, total, total-released)
}

// fewProcs is for tests that bound the growth that has not reached a sampling
// point, because each P may have some.
const fewProcs = "GOMAXPROCS=2"

var growthKept [][]byte

//go:noinline
func growSmall(n int) {
	for range n / 64 {
		growthKept = append(growthKept, make([]byte, 64))
	}
}

//go:noinline
func growSpans(n int) {
	for range n / 8192 {
		growthKept = append(growthKept, make([]byte, 8192))
	}
}

//go:noinline
func growLarge(n int) { growthKept = append(growthKept, make([]byte, n)) }

func freeGrown() {
	growthKept = nil
	debug.FreeOSMemory()
}

// TestGrowthTotals checks sums after everything that makes memory grow and
// shrink.
func TestGrowthTotals(t *testing.T) {
	defer freeGrown()
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"start", func() {}},
		{"small", func() { growSmall(32 << 20) }},
		{"spans", func() { growSpans(32 << 20) }},
		{"large", func() { growLarge(64 << 20) }},
		{"stacks", func() { growStacks(1000, 20) }},
		{"freed", freeGrown},
		{"again", func() { growSmall(64 << 20) }},
		{"off", func() {
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			growSpans(64 << 20)
		}},
		{"limit", func() {
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(128 << 20))
			for range 20 {
				growthKept = nil
				growSpans(32 << 20)
			}
		}},
		{"procs", func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
			for n := range 2000 {
				runtime.GOMAXPROCS(1 + n%8)
				if n%20 == 0 {
					growthKept = nil
				}
				growSmall(64 << 10)
			}
		}},
		{"profiles", func() { Lookup("heap").WriteTo(io.Discard, 0) }},
		{"freed again", freeGrown},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.do()
			checkGrowthTotals(t)
		})
	}
}

// TestGrowthConcurrent checks sums after goroutines have made memory grow while
// others scavenged it and took profiles. With eight Ps, small machines have
// more Ps than processors.
func TestGrowthConcurrent(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	done := make(chan bool)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			var kept [][]byte
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				kept = append(kept, make([]byte, 1<<(6+i%12)))
				if i%1000 == 0 {
					kept = nil
					deepFrames(20)
				}
			}
		})
	}
	for range 20 {
		debug.FreeOSMemory()
		takeGrowth(t)
	}
	close(done)
	wg.Wait()
	checkGrowthTotals(t)
}

// TestGrowthHeap checks that the heap's growth is attributed to the function
// that allocates: within 1% for large objects, and within the sampling error
// for small ones.
func TestGrowthHeap(t *testing.T) {
	if race.Enabled {
		t.Skip("memory of the heap's size")
	}
	defer freeGrown()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	tests := []struct {
		name   string
		grow   func(int)
		bytes  int
		points float64 // by how many sampling points the counted value may be off
	}{
		{"growLarge", growLarge, 64 << 20, 0},
		{"growLarge", growLarge, 1 << 20, 0},
		{"growSpans", growSpans, 64 << 20, 6},
		{"growSmall", growSmall, 64 << 20, 6},
	}
	for _, test := range tests {
		growthKept = make([][]byte, 0, 64<<20/64+1)
		freeGrown()
		growthKept = make([][]byte, 0, 64<<20/64+1)
		before := takeGrowth(t)
		test.grow(test.bytes)
		after := takeGrowth(t)
		grown := after.sum("resident_space", "heap", test.name) - before.sum("resident_space", "heap", test.name)
		if off := float64(grown) - float64(test.bytes); math.Abs(off) > test.points*growthPeriod+0.01*float64(test.bytes) {
			t.Errorf("%s: %d bytes, want %d: %+.0f", test.name, grown, test.bytes, off)
		}
	}
}

// TestGrowthHuge allocates 5 GiB at once, to which nothing writes, in a process
// of its own.
func TestGrowthHuge(t *testing.T) {
	const bytes = 5 << 30
	if aloneInProcess() {
		before := takeGrowth(t)
		growLarge(bytes & math.MaxInt)
		after := takeGrowth(t)
		if n := after.sum("resident_space", "heap", "growLarge") - before.sum("resident_space", "heap", "growLarge"); n < bytes || n > bytes+1<<20 {
			t.Errorf("%d bytes, want %d", n, int64(bytes))
		}
		checkGrowthTotals(t)
		return
	}
	if race.Enabled || asan.Enabled || msan.Enabled || runtime.GOOS != "linux" || math.MaxInt < bytes {
		t.Skip("more memory than there is")
	}
	out, err := runAlone(t)
	if strings.Contains(string(out), "out of memory") {
		t.Skip("the system has not enough memory for 5 GiB that are not touched")
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestGrowthUnbiased lets two functions take spans in turns, one of them three
// times as many as the other, and checks the count of each. If a function has a
// share p of N sampling points, N*p points are expected, with a standard
// deviation of at most sqrt(N*p*(1-p)). The test allows five standard
// deviations.
func TestGrowthUnbiased(t *testing.T) {
	if race.Enabled {
		t.Skip("memory of the heap's size")
	}
	defer freeGrown()
	const total = 512 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	freeGrown()
	growthKept = make([][]byte, 0, total/8192)
	before := takeGrowth(t)
	for range total / 8192 / 4 {
		growThree()
		growOne()
	}
	after := takeGrowth(t)
	const points = float64(total) / growthPeriod
	for name, share := range map[string]float64{"growOne": 0.25, "growThree": 0.75} {
		got := float64(after.sum("resident_space", "heap", name)-before.sum("resident_space", "heap", name)) / growthPeriod
		if allowed := 5*math.Sqrt(points*share*(1-share)) + 2; math.Abs(got-points*share) > allowed {
			t.Errorf("%s: %.1f points, want %.1f ±%.1f", name, got, points*share, allowed)
		}
		events := float64(after.sum("growths", "heap", name) - before.sum("growths", "heap", name))
		if want := share * total / 8192; math.Abs(events-want) > want*5*math.Sqrt(points*share*(1-share))/(points*share)+100 {
			t.Errorf("%s: %.0f events, want %.0f", name, events, want)
		}
	}
}

//go:noinline
func growOne() { growthKept = append(growthKept, make([]byte, 8192)) }

//go:noinline
func growThree() {
	for range 3 {
		growthKept = append(growthKept, make([]byte, 8192))
	}
}

// TestGrowthShares checks the shares of two functions in the other sampled
// values. With N sampling points, a share p has a standard deviation of at most
// sqrt(p*(1-p)/N). The test allows five standard deviations.
func TestGrowthShares(t *testing.T) {
	if !ownProcess(t, fewProcs) {
		return
	}
	defer freeGrown()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	tests := []struct {
		typ, kind string
		period    float64
		grow      func(t *testing.T) (one, three int64) // the functions' amounts, up to a common factor
		functions [2]string
	}{
		{"stack_growth", "stack", 8 << 20, enlargeStacks, [2]string{"enlargeOne", "enlargeThree"}},
		{"resident_space", "stack", growthPeriod, keepStacks, [2]string{"enlargeOne", "enlargeThree"}},
		{"released_space", "heap", growthPeriod, releaseSpans, [2]string{"releaseOne", "releaseThree"}},
	}
	for _, test := range tests {
		if race.Enabled && test.kind == "heap" {
			continue // span sizes differ there
		}
		freeGrown()
		before := takeGrowth(t)
		one, three := test.grow(t)
		after := takeGrowth(t)
		var got [2]float64
		for i, function := range test.functions {
			got[i] = float64(after.sum(test.typ, test.kind, function) - before.sum(test.typ, test.kind, function))
		}
		points, want := (got[0]+got[1])/test.period, float64(one)/float64(one+three)
		share, allowed := got[0]/(got[0]+got[1]), 5*math.Sqrt(want*(1-want)/points)
		if points < 100 || math.Abs(share-want) > allowed {
			t.Errorf("%s of %s: a share of %.3f, want %.3f ±%.3f, %.0f points", test.typ, test.kind, share, want, allowed, points)
		}
	}
}

//go:noinline
func enlargeOne() { deepFrames(100) }

//go:noinline
func enlargeThree() { deepFrames(100) }

// enlargeStacks starts goroutines that enlarge their stacks, one goroutine
// after another.
func enlargeStacks(*testing.T) (one, three int64) {
	for range 2000 {
		for i, f := range []func(){enlargeOne, enlargeThree, enlargeThree, enlargeThree} {
			var wg sync.WaitGroup
			wg.Go(f)
			wg.Wait()
			if i == 0 {
				one++
			} else {
				three++
			}
		}
	}
	return one, three
}

// keepStacks is like enlargeStacks, but no goroutine ends before all have
// grown, so that each stack needs memory of its own.
func keepStacks(*testing.T) (one, three int64) {
	var end, ended sync.WaitGroup
	end.Add(1)
	for range 400 {
		for i, f := range []func(){enlargeOne, enlargeThree, enlargeThree, enlargeThree} {
			deep := make(chan bool)
			ended.Go(func() {
				f()
				deep <- true
				end.Wait()
			})
			<-deep
			if i == 0 {
				one++
			} else {
				three++
			}
		}
	}
	end.Done()
	ended.Wait()
	return one, three
}

// releaseSpans lets functions return spans that are not adjacent. It returns
// the bytes that each function returned, according to a metric.
func releaseSpans(t *testing.T) (one, three int64) {
	released := func(release func()) int64 {
		const metric = "/memory/classes/heap/released:bytes"
		growSpans(8 << 20)
		for i := range growthKept {
			if i%2 == 0 {
				growthKept[i] = nil
			}
		}
		runtime.GC()
		before := readBytes(metric)[0]
		release()
		return readBytes(metric)[0] - before
	}
	for range 20 {
		one += released(releaseOne)
		for range 3 {
			three += released(releaseThree)
		}
	}
	return one, three
}

//go:noinline
func releaseOne() { debug.FreeOSMemory() }

//go:noinline
func releaseThree() { debug.FreeOSMemory() }

//go:noinline
func deepFrames(n int) byte {
	var frame [1024]byte
	if n == 0 {
		return frame[0]
	}
	return deepFrames(n-1) + frame[n%len(frame)]
}

// growStacks starts goroutines that call deepFrames, and ends them when all of
// them have called it.
func growStacks(goroutines, depth int) {
	var deep, end sync.WaitGroup
	deep.Add(goroutines)
	end.Add(1)
	for range goroutines {
		go func() {
			deepFrames(depth)
			deep.Done()
			end.Wait()
		}()
	}
	deep.Wait()
	end.Done()
}

// TestGrowthStacks checks that the enlargement of goroutine stacks, and the
// memory for it, are attributed to the function whose frames need them.
func TestGrowthStacks(t *testing.T) {
	if !ownProcess(t, fewProcs) {
		return
	}
	const goroutines, depth = 4000, 100 // each stack grows to 128 KiB or more
	freeGrown()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // because a collection makes stacks smaller again, which takes memory
	before := takeGrowth(t)
	growStacks(goroutines, depth)
	after := takeGrowth(t)
	for _, typ := range []string{"stack_growth", "resident_space"} {
		in := after.sum(typ, "stack", "deepFrames") - before.sum(typ, "stack", "deepFrames")
		all := after.sum(typ, "stack", "") - before.sum(typ, "stack", "")
		if in < all*9/10 || in < goroutines*depth*1024*3/4 {
			t.Errorf("%s: %d in deepFrames, %d in all", typ, in, all)
		}
	}
	// One deep stack grows in a few events, of which the last ones are
	// counted one by one.
	before = takeGrowth(t)
	growStacks(1, 100<<10)
	after = takeGrowth(t)
	if in := after.sum("stack_growth", "stack", "deepFrames") - before.sum("stack_growth", "stack", "deepFrames"); in < 112<<20 || in > 145<<20 {
		t.Errorf("stack_growth is %d of a stack of 128 MiB", in)
	}
}

// TestGrowthReleased checks the memory that is returned to the operating
// system, and the function that returned it. It checks that returned memory is
// counted again when it is taken again.
func TestGrowthReleased(t *testing.T) {
	if !ownProcess(t, fewProcs) {
		return
	}
	const released = "/memory/classes/heap/released:bytes"
	defer freeGrown()
	freeGrown()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // because a collection could free the memory of earlier profiles, and the runtime would take that memory again
	for range 3 {
		first := takeGrowth(t)
		growLarge(64 << 20)
		taken := takeGrowth(t)
		if n := taken.sum("resident_space", "heap", "growLarge") - first.sum("resident_space", "heap", "growLarge"); n < 63<<20 {
			t.Errorf("%d bytes taken, of 64 MiB", n)
		}
		before := readBytes(released)[0]
		freeGrown()
		dropped, after := takeGrowth(t), readBytes(released)[0]
		n := dropped.sum("released_space", "heap", "FreeOSMemory") - taken.sum("released_space", "heap", "FreeOSMemory")
		if n < 59<<20 || n > after-before+8<<20 {
			t.Errorf("%d bytes released by FreeOSMemory, the metric has %d more", n, after-before)
		}
	}
}

// TestGrowthLimit checks that a function that allocates at the memory limit is
// shown for the free memory that it returns. The background scavenger may
// return this memory instead.
func TestGrowthLimit(t *testing.T) {
	if race.Enabled {
		t.Skip("memory of the heap's size")
	}
	if !ownProcess(t, fewProcs) {
		return
	}
	defer freeGrown()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const n = 64 << 20
	for attempt := 1; ; attempt++ {
		allocating, background := growAtLimit(t, n)
		if all := allocating + background; all >= n*9/10 && all <= 2*n && allocating != 0 {
			return
		}
		if attempt == 50 {
			t.Fatalf("%d bytes released by the allocation and %d in the background, want about %d together", allocating, background, n)
		}
		// If collections have used half of the processors' time, the
		// runtime does not keep the limit until the program has had its
		// share.
		for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
		}
	}
}

// growAtLimit allocates n bytes at the memory limit, while about as many bytes
// are free but scattered. It returns the bytes that the allocation and the
// background scavenger released during the allocation.
func growAtLimit(t *testing.T, n int) (allocating, background int64) {
	freeGrown()
	growSpans(2 * n)
	for i := range growthKept {
		if i%2 == 0 {
			growthKept[i] = nil
		}
	}
	runtime.GC()
	before := takeGrowth(t)
	m := readBytes("/memory/classes/total:bytes", "/memory/classes/heap/released:bytes")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(m[0] - m[1]))
	growLarge(n)
	after := takeGrowth(t)
	released := func(function string) int64 {
		return after.sum("released_space", "heap", function) - before.sum("released_space", "heap", function)
	}
	return released("growLarge"), released("bgscavenge")
}

// TestGrowthRuntime makes the runtime allocate memory for one of its own
// structures, finalizers. It runs in a process of its own, because this memory
// is reused and never returned.
func TestGrowthRuntime(t *testing.T) {
	if !ownProcess(t, fewProcs) {
		return
	}
	const metric = "/memory/classes/other:bytes"
	before, other := takeGrowth(t), readBytes(metric)[0]
	growRuntime(500_000)
	after := takeGrowth(t)
	other = readBytes(metric)[0] - other
	for _, typ := range []string{"mapped_space", "resident_space"} {
		n := after.sum(typ, "runtime", "growRuntime") - before.sum(typ, "runtime", "growRuntime")
		if off := n - other; other < 10<<20 || max(off, -off) > 2<<20 {
			t.Errorf("%s: %d bytes in growRuntime, the metric %s has %d more", typ, n, metric, other)
		}
	}
}

var growthFinal []*[16]byte

//go:noinline
func growRuntime(n int) {
	for range n {
		p := new([16]byte)
		runtime.SetFinalizer(p, func(*[16]byte) {})
		growthFinal = append(growthFinal, p)
	}
}

// TestGrowthMany takes more than 4 GiB in all, which is more than a word can
// count on 32-bit systems.
func TestGrowthMany(t *testing.T) {
	if race.Enabled {
		t.Skip("takes 5 GiB in turns")
	}
	defer freeGrown()
	before := takeGrowth(t)
	const rounds = 40
	for range rounds {
		growLarge(128 << 20)
		freeGrown()
	}
	after := takeGrowth(t)
	if n := after.sum("resident_space", "heap", "growLarge") - before.sum("resident_space", "heap", "growLarge"); n < rounds*127<<20 || n > rounds*128<<20 {
		t.Errorf("%d bytes in %d rounds of 128 MiB", n, rounds)
	}
	checkGrowthTotals(t)
}

// TestGrowthNoFrames checks that no call stack has a function that records
// growth as its leaf.
func TestGrowthNoFrames(t *testing.T) {
	for _, s := range takeGrowth(t).p.Sample {
		if leaf := s.Location[0].Line[0].Function.Name; strings.HasPrefix(leaf, "runtime.recordGrowth") || strings.HasPrefix(leaf, "runtime.systemstack") ||
			strings.HasPrefix(leaf, "runtime.growth") || strings.HasPrefix(leaf, "runtime.(*growthOfP)") {
			t.Errorf("%s is shown", leaf)
		}
	}
}

// TestGrowthFewBytes checks that a few bytes without a call stack have no frame
// of their own.
func TestGrowthFewBytes(t *testing.T) {
	records := growthRecords()
	i := slices.IndexFunc(records, func(r profilerecord.GrowthRecord) bool {
		return runtime.FuncForPC(r.Stack[0]-1).Name() == "runtime._GrowthUnattributed"
	})
	if i < 0 {
		t.Fatal("no record without a call stack")
	}
	none, other := records[i].Stack, []uintptr{abi.FuncPCABIInternal(refsTestFunction) + 1}
	made := []profilerecord.GrowthRecord{
		{Kind: "heap", Stack: none, Resident: 4, Mapped: 11, Released: 3},
		{Kind: "heap", Stack: other, Resident: 1 << 20, Mapped: 1 << 20},
		{Kind: "heap", Stack: other, Resident: 2 << 20, Mapped: 1 << 20},
		{Kind: "stack", Stack: other, Resident: 4 << 20},
	}
	mergeFewBytes(made)
	if made[0].Resident != 0 || made[2].Resident != 2<<20+4 || made[0].Mapped != 11 || made[0].Released != 3 || made[3].Resident != 4<<20 {
		t.Errorf("%+v", made)
	}
}
