// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check that the memory that recordings of references take does not
// count as the program's in any other profile.

package pprof

import (
	"bytes"
	"fmt"
	"internal/profile"
	"io"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"
)

type uncountedNode struct{ next *uncountedNode }

var uncountedList *uncountedNode

// growUncounted makes a list of n bytes. A recording of it takes more than a
// quarter of that.
func growUncounted(n int) {
	for range n / 8 {
		uncountedList = &uncountedNode{uncountedList}
	}
}

// uncountedTypes returns values of n types, so that a profile has many names.
func uncountedTypes(n int) (values []any) {
	for i := range n {
		values = append(values, reflect.New(reflect.StructOf([]reflect.StructField{
			{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[*int]()},
		})).Interface())
	}
	return values
}

// TestRecordingHeap takes profiles that need much heap memory for themselves,
// at a time when the program's memory is larger than ever before. All memory of
// the profiles must be at the frame of recordings. It must neither make a peak
// nor be part of the next peak.
func TestRecordingHeap(t *testing.T) {
	for _, name := range []string{"refs", "inuse"} {
		t.Run(name, func(t *testing.T) {
			if ownProcess(t) {
				checkRecordingHeap(t, name)
			}
		})
	}
}

func checkRecordingHeap(t *testing.T, name string) {
	const large = 64 << 20
	values := uncountedTypes(8000)
	debug.SetGCPercent(-1)
	for range 4 {
		writeProfile(t, name) // starts the threads for the collector's workers
	}
	before := takeGrowth(t).sum("resident_space", "heap", "_ReferenceRecording")
	debug.FreeOSMemory() // frees dead memory now, because a recording would free it
	peakLarge(large)
	peak := readBytes("/memory/peak:bytes")[0]
	for range 4 {
		if err := Lookup(name).WriteTo(io.Discard, 0); err != nil {
			t.Fatal(err)
		}
	}
	if got := readBytes("/memory/peak:bytes")[0]; got != peak {
		t.Errorf("the peak was %d and became %d", peak, got)
	}
	peakLarge(large)
	grown := readBytes("/memory/peak:bytes")[0] - peak
	growth := takeGrowth(t)
	taken := growth.sum("resident_space", "heap", "_ReferenceRecording") - before
	if taken < 4<<20 {
		t.Errorf("profiles took %d bytes of the heap, want 4 MiB or more for a test", taken)
	}
	// The difference is not exact, because a thread may have needed a
	// stack, or the test a span, and some objects died.
	if diff := grown - large; diff < -taken/8 || diff > taken/8 {
		t.Errorf("the peak grew by %d bytes, want %d, give or take %d", grown, large, taken/8)
	}
	for _, typ := range growthTypes {
		for _, function := range []string{"writeRefs", "writeInuse"} {
			if n := growth.sum(typ, "", function); n != 0 {
				t.Errorf("%d of growth's %s are of %s", n, typ, function)
			}
		}
	}
	checkGrowthTotals(t)
	checkNoRecording(t, "peak")
	checkNoRecording(t, "memory")
	runtime.KeepAlive(values)
}

// TestRecordingPeakAgain takes refs profiles of a program that returns its
// memory after each profile. Each recording therefore takes the collector's
// queues from the system again. None of this memory may later be subtracted
// from the memory in use.
func TestRecordingPeakAgain(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	var objects []*[128]*byte
	for range 40000 {
		objects = append(objects, new([128]*byte))
	}
	for range 16 {
		if err := Lookup("refs").WriteTo(io.Discard, 0); err != nil {
			t.Fatal(err)
		}
		debug.FreeOSMemory()
	}
	peakLarge(256 << 20)
	m := readBytes("/memory/classes/total:bytes", "/memory/classes/heap/free:bytes", "/memory/classes/heap/released:bytes", "/memory/peak:bytes")
	if inUse, peak := m[0]-m[1]-m[2], m[3]; peak < inUse-1<<20 {
		t.Errorf("the peak was %d with %d bytes in use", peak, inUse)
	}
	runtime.KeepAlive(objects)
}

// checkNoRecording fails the test if a profile has a sample of functions that
// write recordings.
func checkNoRecording(t *testing.T, name string) {
	t.Helper()
	for _, s := range takeProfile(t, name).Sample {
		if calls(s, "writeRefs") || calls(s, "writeInuse") {
			t.Errorf("%s has a sample of %v of a recording", name, s.Value)
		}
	}
}

// TestRecordingUncounted takes refs and inuse profiles of a program whose
// memory was once a little larger. It compares other profiles that are taken
// before and after them.
func TestRecordingUncounted(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	spare := int64(8 << 20) // bytes of heap that the writing of profiles may use
	if testing.Short() {
		spare /= 2
	}
	growUncounted(int(8 * spare))
	peakLarge(int(spare))
	peakKept.large = nil
	for _, name := range []string{"refs", "inuse"} {
		writeProfile(t, name) // takes the memory that the heap needs for profiles
		runtime.GC()
		peak := readBytes("/memory/peak:bytes")
		growth, memory := takeGrowth(t), takeMemory(t)
		taken := recorded(t, writeProfile(t, name))
		if taken < 2*spare {
			t.Errorf("%s: the recording took %d bytes, want more than %d", name, taken, 2*spare)
		}
		if got := readBytes("/memory/peak:bytes"); got[0] != peak[0] {
			t.Errorf("%s: the peak was %d and became %d", name, peak, got)
		}
		after := takeGrowth(t)
		for _, typ := range []string{"mapped_space", "unmapped_space", "resident_space", "released_space"} {
			if n := after.sum(typ, "runtime", "") - growth.sum(typ, "runtime", ""); n > taken/16 {
				t.Errorf("%s: %d bytes more of growth's %s", name, n, typ)
			}
		}
		if n := after.sum("mapped_space", "runtime", "_ReferenceRecording"); n > taken/16 {
			t.Errorf("%s: %d bytes of a recording are left", name, n)
		}
		const metadata = "Go memory > Runtime structures > other metadata"
		again := takeMemory(t)
		if was, is := memory.taken[metadata], again.taken[metadata]; is-was > taken/16 {
			t.Errorf("%s: other metadata were %d bytes and are %d", name, was, is)
		}
	}
	runtime.KeepAlive(uncountedList)
}

// TestGrowthWhileRecording checks the sums of growth while recordings run.
// Growth has a frame of its own for recordings.
func TestGrowthWhileRecording(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	growUncounted(32 << 20)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				Lookup("refs").WriteTo(io.Discard, 0)
			}
		}
	}()
	seen := false
	for range 1000 {
		checkGrowthTotals(t)
		if takeGrowth(t).sum("mapped_space", "runtime", "_ReferenceRecording") > 0 {
			seen = true
			break
		}
	}
	close(stop)
	<-stopped
	if !seen {
		t.Error("no growth profile has a recording's memory")
	}
	checkGrowthTotals(t)
	runtime.KeepAlive(uncountedList)
}

func writeProfile(t *testing.T, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Lookup(name).WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func takeMemory(t *testing.T) *memUsageResult {
	t.Helper()
	return parseMemUsage(t, writeProfile(t, "memory"))
}

var recordingComment = regexp.MustCompile(`GC cycle \d+: memory used for recording: (\d+) bytes`)

// recorded returns the bytes of memory that the recording of a profile took.
func recorded(t *testing.T, data []byte) (bytesTaken int64) {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Comments {
		if m := recordingComment.FindStringSubmatch(c); m != nil {
			return number(m[1])
		}
	}
	t.Fatalf("no comment of %q reports the recording's memory", p.Comments)
	return 0
}
