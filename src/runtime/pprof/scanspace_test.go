// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check scan_space on the heap of the test itself. The bytes that
// an object of a type has to be scanned follow from the type's layout.

package pprof

import (
	"fmt"
	"internal/profile"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

const scanWord = int64(unsafe.Sizeof(uintptr(0)))

// scanHeader is the size of the header of objects with pointers that have more
// than scanHeaderless bytes.
const (
	scanHeader     = 8
	scanHeaderless = scanWord * scanWord * 8
	scanOblet      = 128 << 10
)

type (
	scanFirst struct { // one word to scan, and much behind it
		p *int
		_ [128 - unsafe.Sizeof(uintptr(0))]byte
	}
	scanLast struct { // all of it to scan
		_ [128 - unsafe.Sizeof(uintptr(0))]byte
		p *int
	}
	scanLarge struct {
		_ [1000]byte
		p *int
		_ [3000]byte
	}
)

// scanHeld holds the objects of these tests.
var scanHeld struct {
	firsts  [100]*scanFirst
	lasts   [100]*scanLast
	larges  [100]*scanLarge
	blobs   [100][]byte
	array   []*int
	records []scanLarge
}

//go:noinline
func scanHold() {
	h := &scanHeld
	for i := range h.firsts {
		h.firsts[i], h.lasts[i], h.larges[i], h.blobs[i] = new(scanFirst), new(scanLast), new(scanLarge), make([]byte, 4096)
	}
	h.array = make([]*int, 1_000_003)
	h.records = make([]scanLarge, 1000)
}

// scanLargeArray returns the bytes to scan of an array of n elements of a size
// with a pointer at an offset. The collector takes all pages of the array for
// elements, and scans each oblet up to the last pointer in it.
func scanLargeArray(n, size, off int64) (sum int64) {
	end := (n*size + 8191) &^ 8191
	for oblet := int64(0); oblet < end; oblet += scanOblet {
		behind := min(oblet+scanOblet, end)
		if last := (behind-scanWord-off)/size*size + off; last >= oblet {
			sum += last + scanWord - oblet
		}
	}
	return sum
}

// scanOne returns the bytes to scan of an object of a size, whose last pointer is
// at an offset.
func scanOne(size, off int64) int64 {
	if size > scanHeaderless {
		off += scanHeader
	}
	return off + scanWord
}

// scanWant returns the bytes to scan of the objects of each variable.
func scanWant() map[string]int64 {
	return map[string]int64{
		"firsts":  100 * scanOne(128, 0),
		"lasts":   100 * scanOne(128, 128-scanWord),
		"larges":  100 * scanOne(4000, 1000),
		"blobs":   0,
		"array":   scanLargeArray(1_000_003, scanWord, 0),
		"records": scanLargeArray(1000, int64(unsafe.Sizeof(scanLarge{})), 1000),
	}
}

// TestScanSpace compares the values of both profiles with those that the types
// have.
func TestScanSpace(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	setMemProfileRate(t, 1)
	defer func() { clear(scanHeld.firsts[:]); scanHeld.array, scanHeld.records = nil, nil }()
	scanHold()
	refs, inuse := make(map[string]int64), make(map[string]int64)
	for _, s := range takeProfile(t, "refs").Sample {
		last := s.Location[0].Line[0].Function.Name
		if _, field, ok := strings.Cut(last, "pprof.scanHeld."); ok {
			field, _, _ = strings.Cut(field, " ")
			refs[field] += s.Value[2]
		}
	}
	for _, s := range takeProfile(t, "inuse").Sample {
		if _, field, ok := strings.Cut(s.Label["retained_by"][0], "pprof.scanHeld."); ok {
			field, _, _ = strings.Cut(field, " ")
			inuse[field] += s.Value[2]
		}
	}
	for field, want := range scanWant() {
		if refs[field] != want || inuse[field] != want {
			t.Errorf("%s: refs has %d bytes to scan, inuse %d, want %d", field, refs[field], inuse[field], want)
		}
	}
}

// scanSum returns the sum of scan_space, and the sum that a comment has.
func scanSum(t *testing.T, p *profile.Profile) (sum, comment int64) {
	for _, s := range p.Sample {
		sum += s.Value[2]
	}
	i := slices.IndexFunc(p.Comments, func(c string) bool { return strings.HasSuffix(c, " bytes scanned") })
	if i < 0 {
		t.Fatalf("comments %q", p.Comments)
	}
	var cycle int
	if _, err := fmt.Sscanf(p.Comments[i], "GC cycle %d: %d", &cycle, &comment); err != nil {
		t.Fatal(err)
	}
	return sum, comment
}

// TestScanSpaceSum compares the sum of all samples with what the collector
// itself counts, while goroutines allocate, drop and move objects of all kinds.
func TestScanSpaceSum(t *testing.T) {
	stop := make(chan struct{})
	var g sync.WaitGroup
	for i := range 4 {
		g.Go(func() { scanChurn(i, stop) })
	}
	for range 5 {
		p := takeProfile(t, "refs")
		if sum, want := scanSum(t, p); sum != want {
			t.Errorf("scan_space is %d bytes, and the collector has scanned %d", sum, want)
		}
		scanWithin(t, p)
	}
	close(stop)
	g.Wait()
}

// scanWithin checks that no path has more bytes to scan than bytes.
func scanWithin(t *testing.T, p *profile.Profile) {
	t.Helper()
	for _, s := range p.Sample {
		if bytes, scan := s.Value[1], s.Value[2]; scan < 0 || scan > bytes {
			t.Errorf("%d of %d bytes in %d objects are scanned at %s", scan, bytes, s.Value[0], s.Location[0].Line[0].Function.Name)
		}
	}
}

// TestScanSpacePools checks the samples while goroutines on several Ps allocate
// small objects and give them to pools, so that Ps scan the same spans.
func TestScanSpacePools(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	stop := make(chan struct{})
	var g sync.WaitGroup
	pools := make([]*sync.Pool, 500)
	for i := range pools {
		pools[i] = new(sync.Pool)
	}
	for i := range 3 {
		g.Go(func() { scanGive(pools[i:], stop) })
	}
	for range 5 {
		scanWithin(t, takeProfile(t, "refs"))
	}
	close(stop)
	g.Wait()
}

// scanGive gives objects to pools, and takes as many, until stop is closed.
func scanGive(pools []*sync.Pool, stop chan struct{}) {
	for i := uint(0); ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		if pool := pools[i/2*7919%uint(len(pools))]; i%2 == 0 {
			pool.Put(new([4]*int))
		} else {
			pool.Get()
		}
	}
}

// scanChurn allocates until stop is closed.
func scanChurn(seed int, stop chan struct{}) {
	kept := make(map[int]any)
	moving := make(chan *scanLarge, 10)
	pool := sync.Pool{New: func() any { return new(scanLast) }}
	for i := seed; ; i++ {
		select {
		case <-stop:
			return
		case moving <- new(scanLarge):
		default:
			kept[i%7] = <-moving
		}
		pool.Put(pool.Get())
		kept[i%1000] = []any{new(scanFirst), func() int { return i }, make([]*scanLast, i%300), map[int]*int{i: new(int)}}
		if i%400 == 0 {
			f := new([1 << 16]*int)
			f[i%len(f)] = new(int)
			runtime.SetFinalizer(f, func(*[1 << 16]*int) {})
			kept[i%11] = f
		}
	}
}

// TestScanSpaceMetric compares the sum with the metric of the scannable heap.
// The collector also counts what it has scanned for finalizers, and what has
// been allocated since.
func TestScanSpaceMetric(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func() { scanHeld.array = nil }()
	done := make(chan bool)
	runtime.SetFinalizer(new(scanLast), func(*scanLast) { close(done) })
	runtime.GC()
	<-done // no object of another test waits for its finalizer
	runtime.GC()
	scanHeld.array = make([]*int, 4<<20)
	sum, _ := scanSum(t, takeProfile(t, "refs"))
	m := []metrics.Sample{{Name: "/gc/scan/heap:bytes"}}
	metrics.Read(m)
	if got := int64(m[0].Value.Uint64()); got < sum || got > sum+4<<20 {
		t.Errorf("scan_space is %d bytes, and the metric %d", sum, got)
	}
}
