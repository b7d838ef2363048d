// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"context"
	"fmt"
	"internal/profile"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"
)

var memLabelsKept [][]byte

//go:noinline
func allocLabelled(n int) (all [][]byte) {
	for range n {
		all = append(all, make([]byte, 1024))
	}
	return all
}

// keepLabelled keeps n objects that a goroutine with labels has allocated.
func keepLabelled(n int, labels ...string) {
	var all [][]byte
	doLabelled(func() { all = allocLabelled(n) }, labels...)
	memLabelsKept = append(memLabelsKept, all...)
}

func doLabelled(f func(), labels ...string) {
	var done sync.WaitGroup
	done.Go(func() {
		Do(context.Background(), Labels(labels...), func(context.Context) { f() })
	})
	done.Wait()
}

// startMemLabels turns labels on, with every allocation sampled.
func startMemLabels(t *testing.T) {
	t.Setenv("GODEBUG", "memprofilelabels=1")
	setMemProfileRate(t, 1)
	gc := debug.SetGCPercent(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(gc)
		memLabelsKept = nil
		runtime.GC()
		runtime.GC()
	})
}

// labelledObjects returns the sums of a value over allocLabelled's objects of 1
// KiB, by their labels. It leaves out the labels that the profile adds itself.
func labelledObjects(p *profile.Profile, value int) map[string]int64 {
	sums := make(map[string]int64)
	for _, s := range p.Sample {
		if siteOf(s, "allocLabelled") == "" || s.NumLabel["bytes"][0] != 1024 {
			continue
		}
		var labels []string
		for _, key := range []string{"handler", "goroutine.type", "goroutine.bytes", "labels"} {
			for _, v := range s.Label[key] {
				labels = append(labels, key+"="+v)
			}
		}
		if v := s.Value[value]; v != 0 {
			sums[strings.Join(labels, " ")] += v
		}
	}
	return sums
}

// TestMemLabels compares the labels in heap, allocs and inuse with the labels
// of the goroutines.
func TestMemLabels(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemLabels(t)
	before := labelledObjects(takeProfile(t, "heap"), 0)
	keepLabelled(10, "handler", "/a")
	keepLabelled(20, "handler", "/b", "type", "mine", "bytes", "many")
	keepLabelled(5, "handler", "/a")
	keepLabelled(3)
	memLabelsKept = append(memLabelsKept, allocLabelled(4)...)
	doLabelled(func() { allocLabelled(100) }, "handler", "/a") // garbage
	doLabelled(func() { allocLabelled(50) }, "handler", "/gone")
	runtime.GC()
	runtime.GC()
	const b = "handler=/b goroutine.type=mine goroutine.bytes=many"
	inuse := map[string]int64{"handler=/a": 15, b: 20, "": 7}
	tests := []struct {
		profile string
		value   int
		want    map[string]int64
	}{
		{"inuse", 0, inuse},
		{"heap", 2, inuse},
		{"allocs", 2, inuse},
		// Allocated objects count without labels if no live object has
		// the same labels.
		{"heap", 0, map[string]int64{"handler=/a": 115, b: 20, "": before[""] + 57}},
		{"allocs", 0, map[string]int64{"handler=/a": 115, b: 20, "": before[""] + 57}},
	}
	for _, test := range tests {
		got := labelledObjects(takeProfile(t, test.profile), test.value)
		if test.profile != "inuse" { // type is a label of the inuse profile itself
			got[b] += got["handler=/b goroutine.bytes=many"]
			delete(got, "handler=/b goroutine.bytes=many")
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s, value %d: %v, want %v", test.profile, test.value, got, test.want)
		}
	}
	var text bytes.Buffer
	for _, name := range []string{"heap", "allocs", "inuse"} {
		text.Reset()
		if err := Lookup(name).WriteTo(&text, 1); err != nil {
			t.Fatal(err)
		}
		if want := "# labels: {\"handler\":\"/a\"}\n"; !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the text of %s", want, name)
		}
	}
}

// TestMemLabelsOff checks that there are no labels before they are turned on, and
// after they are turned off.
func TestMemLabelsOff(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	setMemProfileRate(t, 1)
	keepLabelled(10, "handler", "/off")
	startMemLabels(t)
	keepLabelled(10, "handler", "/on")
	t.Setenv("GODEBUG", "")
	keepLabelled(10, "handler", "/off")
	defer func() { memLabelsKept = nil }()
	for _, name := range []string{"heap", "allocs", "inuse"} {
		if got := labelledObjects(takeProfile(t, name), 0); got["handler=/off"] != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestMemLabelsTotals takes the profiles heap and allocs before a collection
// has published any object that was allocated with labels, and after some of
// the objects are published.
func TestMemLabelsTotals(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemLabels(t)
	for range 4 {
		keepLabelled(10, "handler", "/a")
		for _, name := range []string{"heap", "allocs"} {
			var all, labelled int64
			for labels, n := range labelledObjects(takeProfile(t, name), 2) {
				all += n
				if labels != "" {
					labelled += n
				}
			}
			if n := publicInUse(t); all != n || labelled > all {
				t.Errorf("%s: %d objects in use, %d with labels, MemProfile has %d", name, all, labelled, n)
			}
		}
		runtime.GC()
	}
}

// publicInUse returns how many of allocLabelled's objects of 1 KiB are in use
// according to runtime.MemProfile, which has no labels.
func publicInUse(t *testing.T) (n int64) {
	records := make([]runtime.MemProfileRecord, 100_000)
	size, ok := runtime.MemProfile(records, true)
	if !ok {
		t.Fatalf("%d records", size)
	}
	for _, r := range records[:size] {
		frames := runtime.CallersFrames(r.Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if f.Function == "runtime/pprof.allocLabelled" && r.AllocObjects > 0 && r.AllocBytes/r.AllocObjects == 1024 {
				n += r.InUseObjects()
				break
			}
		}
	}
	return n
}

// TestMemLabelsMany keeps objects with more sets of labels than there is room
// for. No object may be lost, and the profile must mark those whose labels had
// no room. After they are freed, there is room again.
func TestMemLabelsMany(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemLabels(t)
	sets := 5000
	if testing.Short() {
		sets = 4300
	}
	for i := range sets {
		keepLabelled(1, "handler", fmt.Sprint("/", i))
	}
	runtime.GC()
	runtime.GC()
	for name, value := range map[string]int{"heap": 2, "allocs": 2, "inuse": 0} {
		got := labelledObjects(takeProfile(t, name), value)
		tooMany := got["labels=(too many sets)"]
		if want := int64(sets - 4095); tooMany != want || len(got) != 4096 {
			t.Errorf("%s: %d objects of too many sets, want %d; %d sets in all, want 4096", name, tooMany, want, len(got))
		}
	}
	memLabelsKept = nil
	runtime.GC()
	runtime.GC()
	keepLabelled(1, "handler", "/new")
	runtime.GC()
	runtime.GC()
	if got := labelledObjects(takeProfile(t, "heap"), 2); fmt.Sprint(got) != "map[handler=/new:1]" {
		t.Errorf("labels afterwards: %v", got)
	}
}

// TestMemLabelsForgotten checks that a label value becomes garbage when no
// sampled object is alive that was allocated with it.
func TestMemLabelsForgotten(t *testing.T) {
	startMemLabels(t)
	value := strings.Repeat("/forgotten", 10)
	p := weak.Make(unsafe.StringData(value))
	keepLabelled(1, "handler", value)
	runtime.GC()
	runtime.GC()
	if p.Value() == nil {
		t.Error("labels are gone before the object is")
	}
	value = ""
	memLabelsKept = nil
	for range 4 {
		runtime.GC()
	}
	if p.Value() != nil {
		t.Error("labels are kept though the object is gone")
	}
}

// TestMemLabelsChurn gives each of many short requests labels of its own. The
// memory that profiling uses must not grow.
func TestMemLabelsChurn(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	startMemLabels(t)
	request := func(i int) {
		Do(context.Background(), Labels("request", fmt.Sprint(i)), func(context.Context) { memLabelsKept = allocLabelled(1) })
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	for i := range 10_000 {
		request(i)
	}
	before := profilingBytes()
	for i := range n {
		request(10_000 + i)
	}
	if grown := profilingBytes() - before; grown > 64<<10 {
		t.Errorf("profiling takes %d bytes more after %d requests", grown, n)
	}
}

func profilingBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/profiling/buckets:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// TestMemLabelsRace takes profiles with labels that another goroutine has set.
// No synchronization shows the race detector that the other goroutine set them
// earlier.
func TestMemLabelsRace(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemLabels(t)
	end := make(chan bool)
	var done sync.WaitGroup
	done.Go(func() {
		Do(context.Background(), Labels("handler", "/raced"), func(context.Context) {
			kept := allocLabelled(10)
			<-end
			runtime.KeepAlive(kept)
		})
	})
	time.Sleep(10 * time.Millisecond)
	runtime.GC()
	runtime.GC()
	for _, name := range []string{"heap", "allocs", "inuse", "refs"} {
		for debug := range 2 {
			if err := Lookup(name).WriteTo(io.Discard, debug); err != nil {
				t.Error(err)
			}
		}
	}
	close(end)
	done.Wait()
}
