// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the profile named memory on heaps whose contents the tests
// know. The sum of each profile that they read must be the resident size, to
// the byte.

package pprof

import (
	"bytes"
	"fmt"
	"internal/abi"
	"internal/profile"
	"internal/profilerecord"
	"internal/race"
	"internal/runtime/pprof/label"
	"io"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

const (
	memUsageLive = "Go memory > Live heap at the last collection"
	memUsageNew  = "Go memory > Allocated since the last collection"
)

// memUsageFrames has the frames of all classes of Go's memory.
var memUsageFrames = []string{
	memUsageLive,
	memUsageNew,
	"Go memory > Fragmented heap",
	"Go memory > Free heap",
	"Go memory > Goroutine stacks",
	"Go memory > Thread stacks",
	"Go memory > Runtime structures > mspan in use",
	"Go memory > Runtime structures > mspan free",
	"Go memory > Runtime structures > mcache in use",
	"Go memory > Runtime structures > mcache free",
	"Go memory > Runtime structures > other metadata",
	"Go memory > Runtime structures > profiling buckets",
	"Go memory > Runtime structures > other",
	"Go memory > Reserve of runtime/evidence",
	"Go memory > Released heap > LazyFree",
	"Go memory > Released heap > Huge pages",
}

// A memUsageResult is a parsed profile.
type memUsageResult struct {
	*profile.Profile
	bytes, taken map[string]int64 // memory_space and taken_space by path of frames; "" has the sum

	// These values come from the comments. cycle, absent and returned may
	// be 0 because there is no such comment.
	cycle, resident, goTaken, absent, released, returned int64
}

var (
	memUsageTaken    = regexp.MustCompile(`^(?:after GC cycle (\d+)|before the first GC cycle): Go has taken (\d+) bytes, of which (?:(\d+) have no pages, and has released (\d+) bytes, of which (\d+) have pages$|this system)`)
	memUsageResident = regexp.MustCompile(`: (\d+) bytes resident by /proc/self/\w+$`)
)

// parseMemUsage reads a profile. It checks that all values have the right type,
// and that the sums are those of the comments, to the byte.
func parseMemUsage(t *testing.T, data []byte) *memUsageResult {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := &memUsageResult{Profile: p, bytes: make(map[string]int64), taken: make(map[string]int64)}
	if len(p.SampleType) != 2 || *p.SampleType[0] != (profile.ValueType{Type: "taken_space", Unit: "bytes"}) || *p.SampleType[1] != (profile.ValueType{Type: "memory_space", Unit: "bytes"}) {
		t.Fatalf("sample types %v", p.SampleType)
	}
	for _, c := range p.Comments {
		if m := memUsageTaken.FindStringSubmatch(c); m != nil {
			r.cycle, r.goTaken, r.absent, r.released, r.returned = number(m[1]), number(m[2]), number(m[3]), number(m[4]), number(m[5])
		}
		if m := memUsageResident.FindStringSubmatch(c); m != nil {
			r.resident = number(m[1])
		}
	}
	if len(p.Comments) < 4 || len(p.Comments) > 5 || r.goTaken == 0 || runtime.GOOS == "linux" && r.resident == 0 {
		t.Fatalf("comments %q", p.Comments)
	}
	var goTaken, goBytes int64
	for _, s := range p.Sample {
		path := strings.Join(framesOf(s), " > ")
		if s.Value[0] < 0 || s.Value[1] < 0 || s.Value[1] > s.Value[0] && !strings.HasPrefix(path, "Go memory > Released heap > ") {
			t.Errorf("%s: %d", path, s.Value)
		}
		for i, m := range []map[string]int64{r.taken, r.bytes} {
			m[path] += s.Value[i]
			m[""] += s.Value[i]
		}
		if strings.HasPrefix(path, "Go memory > ") {
			goTaken += s.Value[0]
			goBytes += s.Value[1]
		} else if path != notGoMemory && !strings.HasPrefix(path, notGoMemory+" > ") {
			t.Errorf("a sample of %s", path)
		}
	}
	if goTaken != r.goTaken || goBytes != r.goTaken-r.absent+r.returned {
		t.Errorf("Go has taken %d bytes, of which %d have pages: %q", goTaken, goBytes, p.Comments)
	}
	if want := max(goBytes, r.resident); r.bytes[""] != want {
		t.Errorf("sum of memory_space is %d, want %d: %q", r.bytes[""], want, p.Comments)
	}
	return r
}

// below returns the bytes of all samples at a path or below it.
func below(bytes map[string]int64, path string) (sum int64) {
	for p, n := range bytes {
		if p == path || strings.HasPrefix(p, path+" > ") {
			sum += n
		}
	}
	return sum
}

// site returns the bytes in a class that a function of this file has allocated.
func (r *memUsageResult) site(class, function string) int64 { return siteIn(r.bytes, class, function) }

func siteIn(bytes map[string]int64, class, function string) (sum int64) {
	for p, n := range bytes {
		if strings.HasPrefix(p, class+" > ") && strings.HasSuffix(p, " > runtime/pprof."+function) {
			sum += n
		}
	}
	return sum
}

func takeMemUsage(t *testing.T) *memUsageResult {
	t.Helper()
	var buf bytes.Buffer
	if err := Lookup("memory").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	return parseMemUsage(t, buf.Bytes())
}

//go:noinline
func allocMemUsage(n, size int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = make([]byte, size)
		for j := 0; j < size; j += 1 << 10 {
			all[i][j] = 1 // so that it has pages
		}
	}
	return all
}

// memUsageKept lives until the end of a test.
var memUsageKept [][]byte

// startMemUsage samples all objects, and turns automatic collections off, so
// that the test decides when collections run.
func startMemUsage(t testing.TB) {
	setMemProfileRate(t, 1)
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		memUsageKept = nil
		runtime.GC()
		runtime.GC()
	})
	runtime.GC()
	runtime.GC()
}

// TestMemUsage keeps and drops a known number of objects, and finds them.
func TestMemUsage(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemUsage(t)
	const kept, dropped, added, size = 100, 200, 50, 8 << 10
	memUsageKept = allocMemUsage(kept, size)
	memUsageKept = append(memUsageKept, allocMemUsage(dropped, size)...)
	check := func(when string, live, recent int64) *memUsageResult {
		t.Helper()
		r := takeMemUsage(t)
		l, n := siteIn(r.taken, memUsageLive, "allocMemUsage"), siteIn(r.taken, memUsageNew, "allocMemUsage")
		lists := int64(32 << 10) // of slices that allocMemUsage returns
		if l < live*size || l > live*size+lists || n < recent*size || n > recent*size+lists {
			t.Errorf("%s: %d bytes live and %d new, want %d and %d", when, l, n, live*size, recent*size)
		}
		return r
	}
	check("at first", 0, kept+dropped)
	runtime.GC()
	check("all alive", kept+dropped, 0)
	clear(memUsageKept[kept:])
	memUsageKept = append(memUsageKept, allocMemUsage(added, size)...)
	check("dropped", kept+dropped, added)
	runtime.GC()
	r := check("collected", kept+added, 0)
	for _, path := range memUsageFrames {
		if _, ok := r.bytes[path]; !ok {
			t.Errorf("no sample of %s", path)
		}
	}
	if n := below(r.bytes, notGoMemory); (n != 0) != (runtime.GOOS == "linux") {
		t.Errorf("memory that is not Go's: %d bytes", n)
	}
}

// TestMemUsageText checks that the text has the same numbers, and the sites.
func TestMemUsageText(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemUsage(t)
	memUsageKept = allocMemUsage(3, 8<<10)
	runtime.GC()
	s, err := readMemory()
	if err != nil {
		t.Fatal(err)
	}
	var text, data bytes.Buffer
	if err := writeMemoryText(&text, s); err != nil {
		t.Fatal(err)
	}
	if err := writeMemoryProto(&data, s); err != nil {
		t.Fatal(err)
	}
	r := parseMemUsage(t, data.Bytes())
	want := []string{fmt.Sprintf("memory profile: %d bytes\n", r.bytes[""])}
	for _, path := range memUsageFrames {
		want = append(want, fmt.Sprintf("# %s = %d (taken %d)\n", path, below(r.bytes, path), below(r.taken, path)))
	}
	for _, c := range r.Comments {
		want = append(want, "# "+c+"\n")
	}
	for _, line := range want {
		if !strings.Contains(text.String(), line) {
			t.Errorf("no %q in %s", line, &text)
		}
	}
	site := regexp.MustCompile(`\nLive heap at the last collection: memory_space=24576 taken_space=24576 object_size=8192 @( 0x[0-9a-f]+)+\n#.*\truntime/pprof.allocMemUsage\+`)
	if !site.MatchString(text.String()) {
		t.Errorf("no %v in %s", site, &text)
	}
}

// TestMemUsageRates checks the sum at several sampling rates, while goroutines
// allocate and collections start by themselves.
func TestMemUsageRates(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	stop := make(chan bool)
	var done sync.WaitGroup
	defer done.Wait()
	defer close(stop)
	for range 2 {
		done.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					runtime.KeepAlive(allocMemUsage(10+rand.IntN(50), 1<<rand.IntN(16)))
				}
			}
		})
	}
	for _, rate := range []int{1, 1000, 512 << 10, 0} {
		setMemProfileRate(t, rate)
		for range 5 {
			takeMemUsage(t)
		}
	}
}

// TestMemUsageFragments keeps one object in each span. What was between them is
// free memory from the first profile after the collection on. The test samples
// nothing, because samples would take more memory than the objects.
func TestMemUsageFragments(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemUsage(t)
	setMemProfileRate(t, 0)
	const size, n = 64, 1 << 19
	memUsageKept = allocMemUsage(n, size)
	spans := make(map[uintptr]bool)
	for i, b := range memUsageKept {
		span := addressOf(b) &^ (8<<10 - 1)
		if spans[span] {
			memUsageKept[i] = nil
		}
		spans[span] = true
	}
	kept, dropped := int64(len(spans)*size), int64((n-len(spans))*size)
	list := int64(unsafe.Sizeof(memUsageKept[0])) * n
	const others = 4 << 20
	for collections := range 3 {
		live, fragmented := int64(0), int64(0)
		if collections > 0 {
			live, fragmented = kept+list, dropped
			runtime.GC()
		}
		r := takeMemUsage(t)
		for class, want := range map[string]int64{memUsageLive: live, "Go memory > Fragmented heap": fragmented} {
			if got := below(r.taken, class); got < want || got > want+others {
				t.Errorf("after %d collections: %s: %d bytes, want %d and up to %d others", collections, class, got, want, others)
			}
		}
	}
}

// TestMemUsageFirst takes profiles around the first collection. A heap profile
// before it counts all objects, and must not make this profile count new
// objects as live.
func TestMemUsageFirst(t *testing.T) {
	if !ownProcess(t, "GOGC=off") {
		return
	}
	setMemProfileRate(t, 1)
	memUsageKept = allocMemUsage(100, 8<<10)
	r := takeMemUsage(t)
	if r.cycle != 0 {
		t.Skipf("there have been %d collections", r.cycle)
	}
	if n := r.site("Go memory > Allocated since the start", "allocMemUsage"); n < 100*8<<10 {
		t.Errorf("%d bytes: %v", n, r.bytes)
	}
	if n := r.taken[memUsageLive]; n != 0 {
		t.Errorf("%d live objects", n)
	}
	runtime.GC()
	writeProfile(t, "heap")
	more := allocMemUsage(50, 8<<10)
	writeProfile(t, "heap")
	r = takeMemUsage(t)
	live, recent := r.site(memUsageLive, "allocMemUsage"), r.site(memUsageNew, "allocMemUsage")
	if r.cycle != 1 || live>>13 != 100 || recent>>13 != 50 {
		t.Errorf("cycle %d: %d bytes live, %d new: %v", r.cycle, live, recent, r.bytes)
	}
	runtime.KeepAlive(more)
}

// TestMemUsageScaled writes made-up records. If their estimates exceed the
// total, the part of them that is not certain is scaled down. A rest of a few
// bytes goes to the largest part.
func TestMemUsageScaled(t *testing.T) {
	for _, test := range []struct {
		total     uint64
		estimates []siteEstimate
		parts     []uint64
		rest      uint64
	}{
		{10000, []siteEstimate{{3000, 0}, {6000, 0}}, []uint64{3000, 6000}, 1000},
		{9004, []siteEstimate{{3000, 0}, {6000, 0}}, []uint64{3000, 6004}, 0},
		{8999, []siteEstimate{{3000, 0}, {6000, 0}}, []uint64{2999, 6000}, 0},
		{1<<30 + 600, []siteEstimate{{1 << 30, 0}, {100, 5000}, {100, 5000}}, []uint64{1 << 30, 300, 300}, 0},
		{1 << 62, []siteEstimate{{100, 200}}, []uint64{300}, 1<<62 - 300},
		{1, []siteEstimate{{0, 10}, {10, 10}}, []uint64{0, 1}, 0},
		{0, []siteEstimate{{0, 10}, {10, 10}}, []uint64{0, 0}, 0},
		{7, []siteEstimate{{0, 0}}, []uint64{0}, 7},
		{7, nil, []uint64{}, 7},
	} {
		if parts, rest := divide(test.total, test.estimates); !slices.Equal(parts, test.parts) || rest != test.rest {
			t.Errorf("%d among %v: %d and %d, want %d and %d", test.total, test.estimates, parts, rest, test.parts, test.rest)
		}
	}
	pc := abi.FuncPCABIInternal(refsTestFunction) + 1
	other := abi.FuncPCABIInternal(inuseSamples) + 1
	site := func(alloc, recent, absent int64, pc uintptr) (r profilerecord.MemUsageRecord) {
		r.ObjectSize, r.AllocObjects, r.Stack = 1000, alloc, []uintptr{pc}
		r.NewObjects, r.LiveAbsent = recent, absent
		return r
	}
	s := &memUsage{rate: 1, resident: residentMemory{bytes: 20000, source: "/proc/self/statm"}}
	s.MemUsage = profilerecord.MemUsage{Cycle: 3, Pages: true, Lazy: true, Released: 900, Returned: 800}
	s.Live, s.New, s.Other, s.Absent.Live, s.resident.lazy = 10000, 7100, 1, 2600, 500
	s.divide([]profilerecord.MemUsageRecord{site(10, 7, 500, pc), site(6, 0, 2000, other)})
	var buf bytes.Buffer
	if err := writeMemoryProto(&buf, s); err != nil {
		t.Fatal(err)
	}
	r := parseMemUsage(t, buf.Bytes())
	for _, want := range []struct {
		path           string
		taken, present int64
	}{
		{memUsageLive + " > runtime/pprof.refsTestFunction", 3000, 2500},
		{memUsageLive + " > runtime/pprof.inuseSamples", 6000, 4000},
		{memUsageLive, 1000, 900},
		{memUsageNew + " > runtime/pprof.refsTestFunction", 7000, 7000},
		{memUsageNew, 100, 100},
		{"Go memory > Runtime structures > other", 1, 1},
		{"Go memory > Released heap > LazyFree", 0, 500},
		{"Go memory > Released heap > Huge pages", 0, 300},
		{"Not Go's memory", 20000 - 15301, 20000 - 15301},
	} {
		if r.taken[want.path] != want.taken || r.bytes[want.path] != want.present {
			t.Errorf("%s: %d taken, %d present, want %d and %d", want.path, r.taken[want.path], r.bytes[want.path], want.taken, want.present)
		}
	}
}

// TestMemUsageTextOrder checks that the text does not depend on the order of
// the records, even if they differ only in their labels.
func TestMemUsageTextOrder(t *testing.T) {
	stack := []uintptr{abi.FuncPCABIInternal(refsTestFunction) + 1}
	var sites []profilerecord.MemUsageRecord
	for i := range 20 {
		var r profilerecord.MemUsageRecord
		r.MemProfileRecord = profilerecord.MemProfileRecord{ObjectSize: 1000, AllocObjects: 1, Stack: stack}
		if i > 0 {
			r.Labels = unsafe.Pointer(&labelMap{label.NewSet(Labels("n", strconv.Itoa(i)).list)})
		}
		sites = append(sites, r)
	}
	var want string
	for range 20 {
		rand.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
		s := &memUsage{MemUsage: profilerecord.MemUsage{Cycle: 3}, rate: 1}
		s.Live = 20_000
		s.divide(sites)
		var b strings.Builder
		if err := writeMemoryText(&b, s); err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = b.String()
		}
		if b.String() != want {
			t.Fatalf("the text depends on the order:\n%s\n%s", want, &b)
		}
	}
	if n := strings.Count(want, "# labels:"); n != 19 {
		t.Errorf("%d sites with labels:\n%s", n, want)
	}
}

// TestMemUsageNames writes a profile that has both names and frames with
// addresses.
func TestMemUsageNames(t *testing.T) {
	var buf bytes.Buffer
	b := newProfileBuilder(&buf)
	b.pbValueType(tagProfile_SampleType, "n", "count")
	stack := []uintptr{abi.FuncPCABIInternal(refsTestFunction) + 1}
	other := []uintptr{abi.FuncPCABIInternal(inuseSamples) + 1}
	for range 2 {
		locs := append(b.nameLocations([]string{"one", "two"}), b.appendLocsForStack(nil, stack)...)
		b.pbSample([]int64{1}, append(locs, b.nameLocation("three")), nil)
		b.pbSample([]int64{1}, append(b.appendLocsForStack(nil, other), b.nameLocation("one")), nil)
	}
	if err := b.build(); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Error(err)
	}
	want := []string{"three;runtime/pprof.refsTestFunction;one;two [1]", "one;runtime/pprof.inuseSamples [1]"}
	if got := profileToStrings(p); !slices.Equal(got, append(want, want...)) || len(p.Location) != 5 {
		t.Errorf("%d locations, samples %q", len(p.Location), got)
	}
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// BenchmarkMemoryProfile writes the profile named memory and, for comparison,
// the heap profile of objects of 1,024 call stacks. Half of the objects are
// dead.
func BenchmarkMemoryProfile(b *testing.B) {
	startMemUsage(b)
	const depth = 10
	for path := range 1 << depth {
		if object := allocByPath(path, depth); path%2 == 0 {
			memUsageKept = append(memUsageKept, object)
		}
	}
	runtime.GC()
	space, err := readMemory()
	if err != nil {
		b.Fatal(err)
	}
	heap := make([]profilerecord.LabelledMemRecord, len(space.sites))
	for i := range heap {
		heap[i] = space.sites[i].LabelledMemRecord
	}
	for _, bench := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"heap", func(w io.Writer) error { return writeLabelledHeapProto(w, heap, 1, "") }},
		{"memory", func(w io.Writer) error { return writeMemoryProto(w, space) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var buf bytes.Buffer
			for b.Loop() {
				buf.Reset()
				if err := bench.write(&buf); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(buf.Len()), "profile-bytes")
		})
	}
}

// allocByPath allocates with a different call stack for each value of the
// lowest depth bits of path.
//
//go:noinline
func allocByPath(path, depth int) []byte {
	switch {
	case depth == 0:
		return make([]byte, 64)
	case path&1 == 0:
		return allocByPath(path>>1, depth-1)
	}
	return allocByPath(path>>1, depth-1)
}

// TestMemUsageRace looks for the comment that tells cmd/memreport of the race
// detector.
func TestMemUsageRace(t *testing.T) {
	if c := takeProfile(t, "memory").Comments; strings.Contains(c[0], "memory_space (built with -race) is as of ") != race.Enabled {
		t.Errorf("race.Enabled is %v: %q", race.Enabled, c)
	}
}
