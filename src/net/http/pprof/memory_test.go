// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"maps"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"
)

var memUsageKept [][]byte

//go:noinline
func keepMemUsage(n int) {
	for range n {
		memUsageKept = append(memUsageKept, make([]byte, 1<<20))
	}
}

// TestDeltaMemUsage checks the difference of two profiles named memory: the
// bytes of objects that are allocated between the two, the frames that are
// names, and the sum of all samples, which must be the difference of the sums
// of the two profiles.
func TestDeltaMemUsage(t *testing.T) {
	const n = 32
	for seconds := 1; ; seconds *= 4 {
		memUsageKept = nil
		runtime.GC()
		runtime.GC()
		done := make(chan bool)
		time.AfterFunc(time.Duration(seconds)*time.Second/4, func() {
			keepMemUsage(n)
			runtime.GC()
			close(done)
		})
		w := httptest.NewRecorder()
		Handler("memory").ServeHTTP(w, httptest.NewRequest("GET", "/debug/pprof/memory?seconds="+strconv.Itoa(seconds), nil))
		<-done
		p, err := profile.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		if p.DefaultSampleType != "memory_space" || len(p.SampleType) != 2 {
			t.Fatalf("default sample type %q of %v", p.DefaultSampleType, p.SampleType)
		}
		var live, sum int64
		names := make(map[string]int)
		for _, s := range p.Sample {
			sum += s.Value[1]
			if hasFunction(s, "net/http/pprof.keepMemUsage") {
				live += s.Value[0] // nothing touches their pages
			}
		}
		for _, l := range p.Location {
			if l.Address == 0 {
				names[l.Line[0].Function.Name]++
			}
		}
		// live is an estimate from few objects. Each of them, of 1 MiB,
		// is sampled with a probability of 86%.
		if live < n<<20*3/4 && seconds < 30 {
			continue // the objects were not allocated between the two profiles
		}
		if live < n<<20*3/4 || live > n<<20*3/2 {
			t.Errorf("%d bytes live in keepMemUsage, want about %d", live, n<<20)
		}
		if names["Go memory"] != 1 || names["Live heap at the last collection"] != 1 {
			t.Errorf("locations %v", names)
		}
		for name, count := range names {
			if count != 1 {
				t.Errorf("%d locations %s", count, name)
			}
		}
		if sums := memUsageSums(t, p.Comments); len(sums) == 2 && sum != sums[1]-sums[0] {
			t.Errorf("sum %d, want %d: %q", sum, sums[1]-sums[0], p.Comments)
		}
		memUsageKept = nil
		return
	}
}

// memUsageSums returns the resident sizes in the two profiles of a difference,
// in the order of collections. It reads them from the comments.
func memUsageSums(t *testing.T, comments []string) (sums []int64) {
	resident := regexp.MustCompile(`^after GC cycle (\d+): (\d+) bytes resident`)
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	cycles := make(map[int64]int64)
	for _, c := range comments {
		if m := resident.FindStringSubmatch(c); m != nil {
			cycles[number(m[1])] = number(m[2])
		}
	}
	for _, cycle := range slices.Sorted(maps.Keys(cycles)) {
		sums = append(sums, cycles[cycle])
	}
	return sums
}
