// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"internal/race"
	"internal/testenv"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A process has one peak, so each of the cases below runs in a process of its
// own, which prints a peakReport.

type peakReport struct {
	Objects, Space map[string]int64 // by function that allocates
	Bytes          uint64           // the metric
	Time           float64
	Started, Ended float64 // Unix time before and after the peak
	Comments       []string
	Classes        map[string]int64 // peak_space by the frame below Go memory; "" has the sum
	Stacks         int64            // the metric of goroutine stacks after upTo, which may have freed some
}

var peakKept struct {
	small, large, spike [][]byte // all but large have room in advance, because growing their arrays would take memory, too
	mu                  sync.Mutex
}

//go:noinline
func peakSmall(n int) {
	for range n {
		peakKept.small = append(peakKept.small, make([]byte, 1000))
	}
}

//go:noinline
func peakLarge(n int) { peakKept.large = append(peakKept.large, make([]byte, n)) }

//go:noinline
func peakSpike(n int) {
	for range n {
		peakKept.spike = append(peakKept.spike, make([]byte, 4000))
	}
}

//go:noinline
func peakAfter(n int) {
	for range n {
		peakKept.small = append(peakKept.small, make([]byte, 2000))
	}
}

//go:noinline
func peakTogether() {
	b := make([]byte, 32<<20)
	peakKept.mu.Lock()
	peakKept.large = append(peakKept.large, b)
	peakKept.mu.Unlock()
}

// peakCases are the cases. A case has the work of a process up to the peak, the
// work after it, and the number of objects of each function at the peak.
var peakCases = map[string]struct {
	upTo, after func()
	want        map[string]int64
}{
	// A spike ends, and most of its memory is free. Then other objects are
	// allocated.
	"spike": {
		func() { peakSmall(10000); peakSpike(20000) },
		func() { peakKept.spike = nil; debug.FreeOSMemory(); peakAfter(10000) },
		map[string]int64{"peakSmall": 10000, "peakSpike": 20000, "peakAfter": 0},
	},
	// The last growth is for an object that is itself in the peak. No
	// collection shrinks stacks before their sizes are read.
	"large": {
		func() {
			debug.SetGCPercent(-1)
			peakSmall(1000)
			peakLarge(64 << 20)
		},
		func() { peakKept.large = nil; debug.FreeOSMemory(); peakAfter(1000) },
		map[string]int64{"peakSmall": 1000, "peakLarge": 1, "peakAfter": 0},
	},
	// Goroutines make the heap grow at the same time.
	"together": {
		func() {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(peakTogether)
			}
			wg.Wait()
		},
		func() { peakKept.large = nil; debug.FreeOSMemory(); peakAfter(1000) },
		map[string]int64{"peakTogether": 8, "peakAfter": 0},
	},
	// Stacks, not the heap, make the process largest.
	"stacks": {
		func() { peakSmall(1000); growStacks(500, 100) },
		func() { debug.FreeOSMemory(); peakAfter(1000) },
		map[string]int64{"peakSmall": 1000, "peakAfter": 0},
	},
	// Unreachable objects count until they are freed.
	"dead": {
		func() {
			debug.SetGCPercent(-1)
			peakSpike(10000)
			peakKept.spike = nil
			peakLarge(32 << 20)
		},
		func() { debug.FreeOSMemory(); peakAfter(1000) },
		map[string]int64{"peakSpike": 10000, "peakLarge": 1, "peakAfter": 0},
	},
	// A later peak replaces the first.
	"twice": {
		func() {
			peakLarge(32 << 20)
			peakKept.large = nil
			debug.FreeOSMemory()
			peakSpike(20000)
		},
		func() { peakKept.spike = nil; debug.FreeOSMemory() },
		map[string]int64{"peakLarge": 0, "peakSpike": 20000},
	},
}

func TestPeak(t *testing.T) {
	if name := os.Getenv("PEAK_CASE"); name != "" {
		reportPeak(t, name)
		return
	}
	for name, c := range peakCases {
		t.Run(name, func(t *testing.T) {
			cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestPeak$")
			cmd.Env = append(cmd.Environ(), "PEAK_CASE="+name, "PEAK_RATE=1")
			r := runPeak(t, cmd.Output)
			for function, want := range c.want {
				// If a function makes the heap grow span by
				// span, it may put some objects into the last
				// span after the peak.
				if got := r.Objects[function]; got > want || got < want-want/100 {
					t.Errorf("%s: %d objects, want %d", function, got, want)
				}
			}
			if r.Classes[""] != int64(r.Bytes) {
				t.Errorf("the sum is %d, and the peak %d: %v", r.Classes[""], r.Bytes, r.Classes)
			}
			stacks := r.Classes["Goroutine stacks"]
			if name == "large" && stacks != r.Stacks || name == "stacks" && stacks < 500*128<<10 {
				t.Errorf("%d bytes of stacks, and %d after the peak", stacks, r.Stacks)
			}
			if r.Time < r.Started || r.Time > r.Ended {
				t.Errorf("the peak is at %f, not from %f to %f", r.Time, r.Started, r.Ended)
			}
			if len(r.Comments) != 1 || !strings.HasPrefix(r.Comments[0], "peak: ") {
				t.Errorf("comments %q", r.Comments)
			}
		})
	}
}

// TestPeakSampled takes the profile at the default rate, which samples about
// 150 of the objects of peakSpike.
func TestPeakSampled(t *testing.T) {
	cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestPeak$")
	cmd.Env = append(cmd.Environ(), "PEAK_CASE=spike")
	r := runPeak(t, cmd.Output)
	const want, sampled = 20000 * 4096, 20000 * 4096 / (512 << 10)
	if off := math.Abs(float64(r.Space["peakSpike"]) - want); off > 5*want/math.Sqrt(sampled) {
		t.Errorf("%d bytes of peakSpike, want %d", r.Space["peakSpike"], want)
	}
	if r.Space["peakAfter"] != 0 {
		t.Errorf("%d bytes of peakAfter, which came after", r.Space["peakAfter"])
	}
}

func runPeak(t *testing.T, output func() ([]byte, error)) (r peakReport) {
	t.Helper()
	if race.Enabled {
		t.Skip("the race detector's memory is other memory")
	}
	out, err := output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	line, _, _ := bytes.Cut(out, []byte("\n"))
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}

// reportPeak runs a case and prints the report.
func reportPeak(t *testing.T, name string) {
	if os.Getenv("PEAK_RATE") != "" {
		runtime.MemProfileRate = 1
	}
	now := func() float64 { return float64(time.Now().UnixNano()) / 1e9 }
	r := peakReport{Objects: make(map[string]int64), Space: make(map[string]int64), Started: now()}
	runtime.GC() // the first collection takes memory of its own
	peakKept.small, peakKept.spike = make([][]byte, 0, 20000), make([][]byte, 0, 20000)
	peakCases[name].upTo()
	r.Stacks = int64(readBytes("/memory/classes/heap/stacks:bytes")[0])
	peakCases[name].after() // this collects, which may take a little more memory
	r.Ended = now() + 0.001
	p := takeProfile(t, "peak")
	r.Classes = make(map[string]int64)
	for _, s := range p.Sample {
		r.Classes[framesOf(s)[1]] += s.Value[1]
		r.Classes[""] += s.Value[1]
		if len(s.NumLabel) == 0 {
			continue
		}
		function := s.Location[0].Line[0].Function.Name
		function = function[strings.LastIndex(function, ".")+1:]
		size := s.NumLabel["bytes"][0]
		if !slices.Contains([]int64{1024, 4096, 2048, 32 << 20, 64 << 20}, size) {
			continue
		}
		r.Objects[function] += s.Value[0]
		r.Space[function] += s.Value[1]
	}
	r.Comments = p.Comments
	m := []metrics.Sample{{Name: "/memory/peak:bytes"}, {Name: "/memory/peak/time:seconds"}}
	metrics.Read(m)
	r.Bytes, r.Time = m[0].Value.Uint64(), m[1].Value.Float64()
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		t.Fatal(err)
	}
}

// TestPeakMetric checks, in a process that has recorded nothing, that the peak
// is at least the memory in use and grows with it.
func TestPeakMetric(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	defer freeGrown()
	const peak, total, released, free = "/memory/peak:bytes", "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"
	freeGrown()
	before := readBytes(peak, total, released, free)
	growLarge(int(before[0]) + 64<<20)
	after := readBytes(peak, total, released, free)
	if used := after[1] - after[2] - after[3]; after[0] < before[0]+32<<20 || after[0] < used-1<<20 {
		t.Errorf("peak %d, then %d, of %d", before[0], after[0], used)
	}
	freeGrown()
	if now := readBytes(peak)[0]; now < after[0] {
		t.Errorf("peak fell to %d from %d", now, after[0])
	}
}

// TestPeakHoles fills free pages between objects after a larger object has taken
// new pages. Filling them takes no memory from the system.
func TestPeakHoles(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no memory is returned
	const n, size = 1024, 64 << 10
	for range n {
		peakLarge(size)
	}
	for i := 0; i < n; i += 2 {
		peakKept.large[i] = nil
	}
	runtime.GC()
	peakLarge(n * size * 3 / 4)
	before := readBytes("/memory/peak:bytes")[0]
	for i := 0; i < n; i += 2 {
		peakKept.large[i] = make([]byte, size)
	}
	m := readBytes("/memory/peak:bytes", "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes")
	if used := m[1] - m[2] - m[3]; m[0] < used-1<<20 || used < before+n*size/4 {
		t.Errorf("peak %d, then %d, of %d", before, m[0], used)
	}
	peakKept.large = nil
}

// TestPeakText checks that the text has the classes, whose sum is the peak.
func TestPeakText(t *testing.T) {
	var b bytes.Buffer
	if err := Lookup("peak").WriteTo(&b, 1); err != nil || !strings.HasPrefix(b.String(), "heap profile: ") || !strings.Contains(b.String(), "\n# peak: ") {
		t.Errorf("text: %v\n%s", err, &b)
	}
	var sum int64
	for _, m := range regexp.MustCompile(`\n# Go memory > [\w >]+ = (\d+)`).FindAllStringSubmatch(b.String(), -1) {
		sum += number(m[1])
	}
	if !strings.Contains(b.String(), fmt.Sprintf("\n# peak: %d bytes in use", sum)) {
		t.Errorf("the sum of the classes is %d:\n%s", sum, &b)
	}
	if p := takeProfile(t, "peak"); p.DefaultSampleType != "peak_space" || len(p.SampleType) != 2 || p.SampleType[0].Type != "peak_objects" {
		t.Errorf("sample types %v, default %s", p.SampleType, p.DefaultSampleType)
	}
}
