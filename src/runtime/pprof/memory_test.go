// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the profile named memory on heaps whose contents the tests
// know. Each profile that they read must have the sum that the definition
// gives, to the byte.

package pprof

import (
	"bytes"
	"fmt"
	"internal/abi"
	"internal/profile"
	"internal/profilerecord"
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

// memUsageFrames has the frames of all classes of Go's memory except live
// objects.
var memUsageFrames = []string{
	"Go memory > Dead heap",
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
}

// A memUsageResult is a parsed profile.
type memUsageResult struct {
	*profile.Profile
	bytes map[string]int64 // by path of frames; "" has the sum

	// These values come from the comments. resident and ready are 0 if
	// there is no resident size.
	cycle, goMemory, released, resident, ready int64
}

var (
	memUsageGo       = regexp.MustCompile(`^(?:GC cycle (\d+)|no GC cycle published yet): Go's memory (\d+) bytes, without (\d+) bytes released to the system$`)
	memUsageResident = regexp.MustCompile(`: (\d+) bytes resident by /proc/self/\w+ when the profile was written, and Go's memory (\d+) bytes then$`)
)

// parseMemUsage reads a profile. It checks that all values have the right type,
// and that the sum is the one that the definition gives, to the byte.
func parseMemUsage(t *testing.T, data []byte) *memUsageResult {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := &memUsageResult{Profile: p, bytes: make(map[string]int64)}
	if len(p.SampleType) != 1 || *p.SampleType[0] != (profile.ValueType{Type: "memory_space", Unit: "bytes"}) {
		t.Fatalf("sample types %v", p.SampleType)
	}
	for _, c := range p.Comments {
		if m := memUsageGo.FindStringSubmatch(c); m != nil {
			r.cycle, r.goMemory, r.released = number(m[1]), number(m[2]), number(m[3])
		}
		if m := memUsageResident.FindStringSubmatch(c); m != nil {
			r.resident, r.ready = number(m[1]), number(m[2])
		}
	}
	if len(p.Comments) != 3 || r.goMemory == 0 || runtime.GOOS == "linux" && r.resident == 0 {
		t.Fatalf("comments %q", p.Comments)
	}
	for _, s := range p.Sample {
		path := strings.Join(framesOf(s), " > ")
		if s.Value[0] < 0 || !strings.HasPrefix(path, "Go memory > ") && path != "Not Go's memory" {
			t.Errorf("%s: %d", path, s.Value)
		}
		r.bytes[path] += s.Value[0]
		r.bytes[""] += s.Value[0]
	}
	// then is the resident size without the growth of Go's memory since the
	// moment that the profile shows.
	then := r.resident - (r.ready - r.goMemory)
	if want := max(r.goMemory, then); r.bytes[""] != want {
		t.Errorf("sum of memory_space is %d, want %d: %q", r.bytes[""], want, p.Comments)
	}
	return r
}

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// framesOf returns the names of a sample's frames, root first.
func framesOf(s *profile.Sample) (names []string) {
	for _, l := range slices.Backward(s.Location) {
		names = locationToStrings(l, names)
	}
	return names
}

// below returns the bytes of all samples at a path or below it.
func (r *memUsageResult) below(path string) (sum int64) {
	for p, n := range r.bytes {
		if p == path || strings.HasPrefix(p, path+" > ") {
			sum += n
		}
	}
	return sum
}

// site returns the bytes in a class that a function of this file has allocated.
func (r *memUsageResult) site(class, function string) (sum int64) {
	for p, n := range r.bytes {
		if strings.HasPrefix(p, "Go memory > "+class+" > ") && strings.HasSuffix(p, " > runtime/pprof."+function) {
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
	startMemUsage(t)
	const kept, dropped, size = 100, 200, 8 << 10
	memUsageKept = allocMemUsage(kept, size)
	memUsageKept = append(memUsageKept, allocMemUsage(dropped, size)...)
	runtime.GC()
	clear(memUsageKept[kept:])
	runtime.GC()
	r := takeMemUsage(t)
	if live := r.site("Live heap", "allocMemUsage"); live != kept*size {
		t.Errorf("%d bytes live, want %d", live, kept*size)
	}
	if dead := r.site("Dead heap", "allocMemUsage"); dead != dropped*size {
		t.Errorf("%d bytes dead, want %d", dead, dropped*size)
	}
	for _, path := range append(memUsageFrames, "Go memory > Live heap") {
		if _, ok := r.bytes[path]; !ok {
			t.Errorf("no sample of %s", path)
		}
	}
	if _, ok := r.bytes["Not Go's memory"]; ok != (runtime.GOOS == "linux") {
		t.Errorf("memory that is not Go's: %t", ok)
	}
	runtime.GC()
	r = takeMemUsage(t)
	if dead := r.site("Dead heap", "allocMemUsage"); dead != 0 {
		t.Errorf("%d bytes dead one collection later", dead)
	}
	if r.site("Live heap", "allocMemUsage") < kept*size {
		t.Errorf("objects gone: %v", r.bytes)
	}
}

// TestMemUsageText checks that the text has the same numbers, and the sites.
func TestMemUsageText(t *testing.T) {
	startMemUsage(t)
	memUsageKept = allocMemUsage(3, 8<<10)
	runtime.GC()
	r := takeMemUsage(t)
	var buf bytes.Buffer
	if err := Lookup("memory").WriteTo(&buf, 1); err != nil {
		t.Fatal(err)
	}
	text := buf.String()
	if !strings.HasPrefix(text, "memory profile: ") {
		t.Errorf("text is %s", text)
	}
	for _, path := range append(memUsageFrames, "Go memory > Live heap") {
		if line := fmt.Sprintf("# %s = %d\n", path, r.below(path)); !strings.Contains(text, line) {
			t.Errorf("no %q in %s", line, text)
		}
	}
	for _, c := range r.Comments[:2] {
		if !strings.Contains(text, "# "+c+"\n") {
			t.Errorf("no %q in %s", c, text)
		}
	}
	site := regexp.MustCompile(`\nLive heap: memory_space=24576 object_size=8192 @( 0x[0-9a-f]+)+\n#.*\truntime/pprof.allocMemUsage\+`)
	if !site.MatchString(text) {
		t.Errorf("no %v in %s", site, text)
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

// TestMemUsageFree returns free memory to the system.
func TestMemUsageFree(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemUsage(t)
	memUsageKept = allocMemUsage(64, 1<<20)
	memUsageKept = nil
	runtime.GC()
	r := takeMemUsage(t)
	if dead := r.site("Dead heap", "allocMemUsage"); dead < 64<<20 {
		t.Errorf("%d bytes dead", dead)
	}
	debug.FreeOSMemory()
	runtime.GC()
	freed := takeMemUsage(t)
	if n := r.goMemory - freed.goMemory; n < 48<<20 {
		t.Errorf("Go's memory has shrunk by %d bytes only", n)
	}
	if n := freed.released - r.released; n < 48<<20 {
		t.Errorf("%d bytes released", n)
	}
}

// TestMemUsageFragments keeps one object in each span. It samples nothing,
// because samples would take more memory than the objects.
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
	var r *memUsageResult
	check := func(class string, want int64) {
		t.Helper()
		const others = 4 << 20
		if got := r.below("Go memory > " + class); got < want || got > want+others {
			t.Errorf("%s: %d bytes, want %d and up to %d others", class, got, want, others)
		}
	}
	runtime.GC()
	r = takeMemUsage(t)
	check("Dead heap", dropped)
	check("Live heap", kept+list)
	runtime.GC()
	runtime.GC() // frees the garbage of the profile
	r = takeMemUsage(t)
	check("Dead heap", 0)
	check("Live heap", kept+list)
	if got, want := r.below("Go memory > Fragmented heap"), int64(len(spans))*(8<<10-1<<10); got < want {
		t.Errorf("%d bytes fragmented, want at least %d", got, want)
	}
	fragmented := r.below("Go memory > Fragmented heap") + r.below("Go memory > Free heap")
	for _, class := range []string{"Live heap", "Dead heap", "Goroutine stacks", "Thread stacks", "Runtime structures"} {
		if n := r.below("Go memory > " + class); n > fragmented {
			t.Errorf("%s has %d bytes, and only %d are fragmented or free", class, n, fragmented)
		}
	}
}

// TestMemUsageUncollected checks a profile before the first collection.
func TestMemUsageUncollected(t *testing.T) {
	if !ownProcess(t, "GOGC=off") {
		return
	}
	setMemProfileRate(t, 1)
	memUsageKept = allocMemUsage(100, 8<<10)
	r := takeMemUsage(t)
	if r.cycle != 0 {
		t.Skipf("there have been %d collections", r.cycle)
	}
	if n := r.site("Uncollected heap", "allocMemUsage"); n < 100*8<<10 {
		t.Errorf("%d bytes: %v", n, r.bytes)
	}
	if r.below("Go memory > Live heap") != 0 || r.below("Go memory > Dead heap") != 0 {
		t.Errorf("live or dead objects: %v", r.bytes)
	}
	runtime.GC()
	r = takeMemUsage(t)
	if n := r.site("Live heap", "allocMemUsage"); r.cycle != 1 || n < 100*8<<10 {
		t.Errorf("cycle %d: %d bytes: %v", r.cycle, n, r.bytes)
	}
}

// TestMemUsageScaled writes made-up records. If their estimates exceed the
// total, each site gets its share of the total, and the sum of the shares does
// not exceed the total.
func TestMemUsageScaled(t *testing.T) {
	pc := abi.FuncPCABIInternal(refsTestFunction) + 1
	other := abi.FuncPCABIInternal(inuseSamples) + 1
	site := func(alloc, free, dead int64, pc uintptr) (r profilerecord.MemUsageRecord) {
		r.MemProfileRecord = profilerecord.MemProfileRecord{ObjectSize: 1000, AllocObjects: alloc, FreeObjects: free, Stack: []uintptr{pc}}
		r.DeadObjects = dead
		return r
	}
	sites := []profilerecord.MemUsageRecord{site(33, 30, 7, pc), site(36, 30, 0, other)}
	const root = "Go memory > Live heap > runtime/pprof."
	for _, test := range []struct {
		live, first, second, rest int64
	}{
		{10000, 3000, 6000, 1000},
		{9000, 3000, 6000, 0},
		{8999, 2999, 5999, 1},
		{1 << 62, 3000, 6000, 1<<62 - 9000},
		{1, 0, 0, 1},
		{0, 0, 0, 0},
	} {
		s := &memUsage{MemUsage: profilerecord.MemUsage{Cycle: 3, Live: uint64(test.live), Dead: 7100, Other: 1}, resident: 500, ready: 400, source: "/proc/self/statm", rate: 1, sites: sites}
		s.divide()
		var buf bytes.Buffer
		if err := writeMemoryProto(&buf, s); err != nil {
			t.Fatal(err)
		}
		r := parseMemUsage(t, buf.Bytes())
		got := []int64{r.bytes[root+"refsTestFunction"], r.bytes[root+"inuseSamples"], r.bytes["Go memory > Live heap"]}
		if want := []int64{test.first, test.second, test.rest}; !slices.Equal(got, want) {
			t.Errorf("%d bytes live: %d, want %d", test.live, got, want)
		}
		if dead := r.bytes["Go memory > Dead heap > runtime/pprof.refsTestFunction"]; dead != 7000 || r.bytes["Go memory > Dead heap"] != 100 {
			t.Errorf("%d bytes dead, and %d", dead, r.bytes["Go memory > Dead heap"])
		}
		if r.bytes["Not Go's memory"] != 100 {
			t.Errorf("%d bytes not Go's", r.bytes["Not Go's memory"])
		}
	}
}

// TestMemUsageTextOrder checks that the text does not depend on the order of the
// records, even if they differ only in their labels.
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
		s := &memUsage{MemUsage: profilerecord.MemUsage{Cycle: 3, Live: 20_000}, rate: 1, sites: slices.Clone(sites)}
		s.divide()
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
// alive. The other half were found dead.
func BenchmarkMemoryProfile(b *testing.B) {
	startMemUsage(b)
	const depth = 10
	for path := range 1 << depth {
		if object := allocByPath(path, depth); path%2 == 0 {
			memUsageKept = append(memUsageKept, object)
		}
	}
	runtime.GC()
	space := readMemory()
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
