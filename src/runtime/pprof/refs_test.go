// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the refs profile on made-up recordings: its contents, its
// errors, and the sharing of recordings.

package pprof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"internal/abi"
	"internal/profile"
	. "internal/profilerecord"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// recordRefs makes requests for the profile get the result of record.
func recordRefs(t *testing.T, record func(bool) (*RefsProfile, string)) {
	old := refsRequests.record
	t.Cleanup(func() { refsRequests.record = old })
	refsRequests.record = record
}

// refsLabels returns pprof labels in the form in which a goroutine has them.
func refsLabels(keysAndValues ...string) unsafe.Pointer {
	labels := labelValue(WithLabels(context.Background(), Labels(keysAndValues...)))
	return unsafe.Pointer(&labels)
}

// typeFor returns the descriptor of T in the form in which a recording has it.
func typeFor[T any]() unsafe.Pointer { return unsafe.Pointer(abi.TypeFor[T]()) }

// refsTestFunction is the function of the frames in made-up recordings.
//
//go:noinline
func refsTestFunction() { io.Discard.Write(nil) }

// refsTestProfile is a recording with goroutines, frames, and nodes to merge.
func refsTestProfile() *RefsProfile {
	pc := abi.FuncPCABIInternal(refsTestFunction) + 1
	return &RefsProfile{
		Cycle: 17, Live: 500, Scan: 130, Duration: 2e6, Paused: 3e3, Memory: 4096, LostObjects: 1, LostBytes: 16,
		Nodes: []RefsNode{
			0: {},
			1: {Kind: RefsGlobal, Role: RefsMap, Name: "app.sessions", Type: typeFor[map[string]*int](), Objects: 1, Bytes: 48},
			2: {Parent: 1, Kind: RefsMapTable, Role: RefsTable, Type: typeFor[map[string]*int](), Objects: 2, Bytes: 100, Scan: 90},
			3: {Parent: 1, Kind: RefsMapValue, Type: typeFor[int](), Objects: 10, Bytes: 80, Unused: 7},
			4: {Kind: RefsGoroutine},
			5: {Parent: 4, Kind: RefsFrame, PC: pc},
			6: {Parent: 5, Kind: RefsSlot, Offset: 8, Type: typeFor[int](), Objects: 1, Bytes: 8},
			7: {Kind: RefsGoroutine, Labels: refsLabels("user", "gopher", "root", "mine", "type", "batch")},
			8: {Parent: 7, Kind: RefsFrame, PC: pc},
			9: {Parent: 8, Kind: RefsSlot, Offset: 8, Type: typeFor[int](), Objects: 2, Bytes: 16, Scan: 8},
			// This goroutine has the same labels, in another map,
			// and the same place.
			10: {Kind: RefsGoroutine, Labels: refsLabels("user", "gopher", "root", "mine", "type", "batch")},
			11: {Parent: 10, Kind: RefsFrame, PC: pc},
			12: {Parent: 11, Kind: RefsSlot, Offset: 8, Type: typeFor[int](), Objects: 4, Bytes: 32, Scan: 32},
			// This node has the same place and another type.
			13: {Parent: 11, Kind: RefsSlot, Offset: 8, Type: typeFor[string](), Objects: 1, Bytes: 16},
			14: {Kind: RefsRuntimeGlobal, Name: "runtime.allgs", Type: typeFor[uintptr](), Objects: 1, Bytes: 200},
		},
	}
}

// refsSamples returns a profile's samples as text: labels, path and values.
func refsSamples(p *profile.Profile) []string {
	var samples []string
	for _, s := range p.Sample {
		var line []string
		for k, v := range s.Label {
			line = append(line, k+"="+strings.Join(v, ","))
		}
		slices.Sort(line)
		for _, l := range slices.Backward(s.Location) {
			line = append(line, l.Line[0].Function.Name)
		}
		samples = append(samples, fmt.Sprintf("%s: %d", strings.Join(line, " "), s.Value))
	}
	slices.Sort(samples)
	return samples
}

func TestRefsProto(t *testing.T) {
	recordRefs(t, func(bool) (*RefsProfile, string) { return refsTestProfile(), "" })
	p := takeProfile(t, "refs")
	if len(p.SampleType) != 4 || *p.SampleType[0] != (profile.ValueType{Type: "live_objects", Unit: "count"}) ||
		*p.SampleType[1] != (profile.ValueType{Type: "live_space", Unit: "bytes"}) ||
		*p.SampleType[2] != (profile.ValueType{Type: "scan_space", Unit: "bytes"}) ||
		*p.SampleType[3] != (profile.ValueType{Type: "unused_space", Unit: "bytes"}) || p.DefaultSampleType != "live_space" {
		t.Errorf("sample types %v, default %q", p.SampleType, p.DefaultSampleType)
	}
	want := []string{
		"goroutine.root=mine goroutine.type=batch root=stack type=int user=gopher (stack) runtime/pprof.refsTestFunction runtime/pprof.refsTestFunction.(slot-0x8): [6 48 40 0]",
		"goroutine.root=mine goroutine.type=batch root=stack type=string user=gopher (stack) runtime/pprof.refsTestFunction runtime/pprof.refsTestFunction.(slot-0x8): [1 16 0 0]",
		"root=global type=int app.sessions map[string]*int[value]: [10 80 0 7]",
		"root=global type=map[string]*int app.sessions map[string]*int[table]: [2 100 90 0]",
		"root=global type=map[string]*int app.sessions: [1 48 0 0]",
		"root=runtime type=uintptr runtime.allgs: [1 200 0 0]",
		"root=stack type=int (stack) runtime/pprof.refsTestFunction runtime/pprof.refsTestFunction.(slot-0x8): [1 8 0 0]",
	}
	if got := refsSamples(p); !slices.Equal(got, want) {
		t.Errorf("samples\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	if want := []string{
		"GC cycle 17: 500 bytes live",
		"GC cycle 17: 130 bytes scanned",
		"GC cycle 17: 7 bytes unused",
		"GC cycle 17: recorded in 2ms, added stop-the-world time 3µs",
		"GC cycle 17: memory used for recording: 4096 bytes",
		"GC cycle 17: lost for want of memory: 16 bytes in 1 objects",
	}; !slices.Equal(p.Comments, want) {
		t.Errorf("comments %q, want %q", p.Comments, want)
	}
	checkRefsLocations(t, p)
}

// checkRefsLocations checks that frames are as in other profiles, and that
// other elements have a name and nothing else.
func checkRefsLocations(t *testing.T, p *profile.Profile) {
	function := runtime.FuncForPC(abi.FuncPCABIInternal(refsTestFunction))
	file, startLine := function.FileLine(function.Entry())
	frames := 0
	names := make(map[string]bool)
	for _, l := range p.Location {
		f := l.Line[0].Function
		if names[f.Name] {
			t.Errorf("two locations of %s", f.Name)
		}
		names[f.Name] = true
		if f.Name == "runtime/pprof.refsTestFunction" {
			frames++
			if f.SystemName != f.Name || f.Filename != file || l.Address != uint64(function.Entry()) || l.Line[0].Line != int64(startLine) {
				t.Errorf("frame of %+v at %#x line %d, want %s:%d at %#x", f, l.Address, l.Line[0].Line, file, startLine, function.Entry())
			}
			if l.Mapping == nil && runtime.GOOS == "linux" {
				t.Error("frame without mapping")
			}
			continue
		}
		if f.SystemName != "" || f.Filename != "" || l.Address != 0 || l.Mapping != nil || len(l.Line) != 1 || l.Line[0].Line != 0 {
			t.Errorf("element %s: %+v %+v", f.Name, l, f)
		}
	}
	if frames != 1 {
		t.Errorf("%d locations of frames, want 1", frames)
	}
}

// TestRefsMerge compares profiles of random recordings with sums over their
// nodes.
func TestRefsMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		nodes := make([]RefsNode, 1+random.IntN(200))
		paths := make([]string, len(nodes))
		sums := make(map[string][4]int64)
		for i := range nodes[1:] {
			i++
			n := RefsNode{
				Parent: int32(random.IntN(i)), Kind: RefsGlobal, Name: string(rune('a' + random.IntN(3))),
				Objects: int64(random.IntN(3)),
			}
			n.Bytes = 16 * n.Objects
			n.Scan, n.Unused = 8*n.Objects, 4*n.Objects
			nodes[i] = n
			paths[i] = paths[n.Parent] + " " + n.Name
			if n.Objects != 0 {
				sum := sums[paths[i]]
				sums[paths[i]] = [4]int64{sum[0] + n.Objects, sum[1] + n.Bytes, sum[2] + n.Scan, sum[3] + n.Unused}
			}
		}
		var want []string
		for path, sum := range sums {
			want = append(want, fmt.Sprintf("root=global type=(unknown)%s: %d", path, sum))
		}
		slices.Sort(want)
		recordRefs(t, func(bool) (*RefsProfile, string) { return &RefsProfile{Nodes: nodes}, "" })
		p := takeProfile(t, "refs")
		if got := refsSamples(p); !slices.Equal(got, want) {
			t.Fatalf("samples\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
		if got := Lookup("refs").Count(); got != len(want) {
			t.Fatalf("Count is %d after a profile of %d samples", got, len(want))
		}
	}
}

// TestRefsNoRoom checks objects that are counted at nodes that are not elements
// of paths: none may be lost. The runtime counts objects there when it has no
// memory for nodes of their own.
func TestRefsNoRoom(t *testing.T) {
	recordRefs(t, func(bool) (*RefsProfile, string) {
		return &RefsProfile{Nodes: []RefsNode{
			{Objects: 1, Bytes: 10, Scan: 3},
			{Kind: RefsGoroutine, Labels: refsLabels("user", "gopher"), Objects: 2, Bytes: 20},
			{Kind: RefsNoMemory, Objects: 3, Bytes: 30},
			{Kind: RefsGlobal, Role: RefsVariable, Name: "app.server", Type: typeFor[struct{ p *int }](), Objects: 4, Bytes: 40},
		}}, ""
	})
	want := []string{
		"root=global app.server: [4 40 0 0]",
		"root=lost type=(unknown) (not recorded): [4 40 3 0]",
		"root=stack type=(unknown) user=gopher (stack) (not recorded): [2 20 0 0]",
	}
	if got := refsSamples(takeProfile(t, "refs")); !slices.Equal(got, want) {
		t.Errorf("samples\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestRefsText(t *testing.T) {
	recordRefs(t, func(bool) (*RefsProfile, string) { return refsTestProfile(), "" })
	function := runtime.FuncForPC(abi.FuncPCABIInternal(refsTestFunction))
	_, line := function.FileLine(function.Entry())
	want := strings.ReplaceAll(`refs profile: 500 bytes in 22 objects
# GC cycle 17: 500 bytes live
# GC cycle 17: 130 bytes scanned
# GC cycle 17: 7 bytes unused
# GC cycle 17: recorded in 2ms, added stop-the-world time 3µs
# GC cycle 17: memory used for recording: 4096 bytes
# GC cycle 17: lost for want of memory: 16 bytes in 1 objects

         bytes  share     flat bytes     objects   flat objs       mean       unused  path
           228  45.6%              0          13           0          0            7  global
           228  45.6%             48          13           1         48            7    app.sessions
           100  20.0%            100           2           2         50            0      map[string]*int[table]
            80  16.0%             80          10          10          8            7      map[string]*int[value]
           200  40.0%              0           1           0          0            0  runtime
           200  40.0%            200           1           1        200            0    runtime.allgs
            64  12.8%              0           7           0          0            0  stack {"goroutine.root":"mine", "goroutine.type":"batch", "user":"gopher"}
            64  12.8%              0           7           0          0            0    runtime/pprof.refsTestFunction refs_test.go:LINE
            64  12.8%             64           7           7          9            0      runtime/pprof.refsTestFunction.(slot-0x8)
             8   1.6%              0           1           0          0            0  stack
             8   1.6%              0           1           0          0            0    runtime/pprof.refsTestFunction refs_test.go:LINE
             8   1.6%              8           1           1          8            0      runtime/pprof.refsTestFunction.(slot-0x8)
`, "LINE", fmt.Sprint(line))
	for debug := 1; debug <= 2; debug++ {
		var buf strings.Builder
		if err := Lookup("refs").WriteTo(&buf, debug); err != nil {
			t.Fatal(err)
		}
		if buf.String() != want {
			t.Errorf("debug=%d:\n%s\nwant\n%s", debug, buf.String(), want)
		}
	}
}

// TestRefsCount checks that the profile is in the list, and that counting its
// samples does not record.
func TestRefsCount(t *testing.T) {
	recordRefs(t, func(bool) (*RefsProfile, string) { return refsTestProfile(), "" })
	takeProfile(t, "refs")
	recordRefs(t, func(bool) (*RefsProfile, string) {
		t.Error("Count records")
		return nil, "Count must not record"
	})
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name())
		if n := p.Count(); p.Name() == "refs" && n != 7 {
			t.Errorf("Count is %d, want 7", n)
		}
	}
	if !slices.Contains(names, "refs") || !slices.IsSorted(names) {
		t.Errorf("profiles %q: no refs, or not sorted", names)
	}
}

func TestRefsRecordingFails(t *testing.T) {
	recordRefs(t, func(bool) (*RefsProfile, string) { return nil, "out of memory" })
	for debug := range 3 {
		var buf bytes.Buffer
		err := Lookup("refs").WriteTo(&buf, debug)
		if err == nil || !strings.Contains(err.Error(), "refs: out of memory") {
			t.Errorf("debug=%d: error %v, want one that says out of memory", debug, err)
		}
		if buf.Len() != 0 {
			t.Errorf("debug=%d: %d bytes written", debug, buf.Len())
		}
	}
}

// A limitedWriter fails after a number of bytes.
type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		n := w.left
		w.left = 0
		return n, w.err
	}
	w.left -= len(p)
	return len(p), nil
}

// TestRefsWriterFails writes profiles that do not fit in any buffer to writers
// that fail anywhere. The size of a profile varies by some bytes, because the
// profile contains the time.
func TestRefsWriterFails(t *testing.T) {
	nodes := make([]RefsNode, 1)
	random := rand.New(rand.NewPCG(3, 4))
	for len(nodes) < 5000 {
		n := RefsNode{Kind: RefsGlobal, Name: fmt.Sprintf("app.v%x", random.Uint64()), Objects: 1, Bytes: 8}
		if len(nodes) < 500 {
			n.Bytes = 1 << 40 // enough bytes that the line is not among the smaller ones
		}
		nodes = append(nodes, n)
	}
	recordRefs(t, func(bool) (*RefsProfile, string) { return &RefsProfile{Nodes: nodes}, "" })
	full := errors.New("disk full")
	for debug := range 2 {
		var buf bytes.Buffer
		if err := Lookup("refs").WriteTo(&buf, debug); err != nil {
			t.Fatal(err)
		}
		if buf.Len() < 4096 {
			t.Fatalf("debug=%d: %d bytes, too short for this test", debug, buf.Len())
		}
		for _, left := range []int{0, 1, 100, buf.Len() / 2, buf.Len() - 100} {
			if err := Lookup("refs").WriteTo(&limitedWriter{left, full}, debug); err != full {
				t.Errorf("debug=%d: after %d of %d bytes: error %v, want %v", debug, left, buf.Len(), err, full)
			}
		}
		if err := Lookup("refs").WriteTo(&limitedWriter{buf.Len() + 100, full}, debug); err != nil {
			t.Errorf("debug=%d: %v", debug, err)
		}
	}
}

// TestRefsShared lets many requests wait while a recording is made. All of them
// must share the next recording. None may get a recording that began before the
// request.
func TestRefsShared(t *testing.T) {
	const waiting = 50
	began := make(chan int)
	proceed := make(chan bool)
	var recordings atomic.Int64
	q := refsQueue{record: func(sites bool) (*RefsProfile, string) {
		n := int(recordings.Add(1))
		if want := n == 2; sites != want {
			t.Errorf("recording %d: allocation sites %v, want %v", n, sites, want)
		}
		began <- n
		<-proceed
		return &RefsProfile{Nodes: make([]RefsNode, 1), Cycle: uint32(n)}, ""
	}}
	var requests sync.WaitGroup
	request := func(f *refsFlight, want uint32) {
		if r, err := q.fly(f); err != nil || r.header.Cycle != want {
			t.Errorf("got recording %v, %v, want %d", r, err, want)
		}
	}
	first := q.join(false)
	requests.Go(func() { request(first, 1) })
	<-began
	for i := range waiting {
		f := q.join(i == waiting/2)
		requests.Go(func() { request(f, 2) })
		runtime.Gosched() // it makes no difference whether the request already waits
	}
	proceed <- true
	if n := <-began; n != 2 {
		t.Errorf("recording %d began, want 2", n)
	}
	proceed <- true
	requests.Wait()
	last := q.join(false)
	requests.Go(func() { request(last, 3) })
	<-began
	proceed <- true
	requests.Wait()
	if n := recordings.Load(); n != 3 {
		t.Errorf("%d recordings, want 3", n)
	}
}

// TestRefsAlone checks that a request of a goroutine whose recordings have a
// limit does not join another one, which would make a recording without it.
func TestRefsAlone(t *testing.T) {
	alone := false
	var recordings uint32
	q := refsQueue{alone: func() bool { return alone }, record: func(bool) (*RefsProfile, string) {
		recordings++
		return &RefsProfile{Nodes: make([]RefsNode, 1), Cycle: recordings}, ""
	}}
	other := q.join(false)
	for i, limited := range []bool{true, true, false} {
		alone = limited
		if r, err := q.take(false); err != nil || r.header.Cycle != uint32(i+1) {
			t.Errorf("request %d got %v, %v, want recording %d", i, r, err, i+1)
		}
	}
	if r, err := q.fly(other); err != nil || r.header.Cycle != 3 {
		t.Errorf("the other request got %v, %v, want recording 3", r, err)
	}
}

// TestRefsConcurrent takes profiles from many goroutines at once.
func TestRefsConcurrent(t *testing.T) {
	var clock atomic.Uint32
	recordRefs(t, func(bool) (*RefsProfile, string) {
		p := refsTestProfile()
		p.Cycle = clock.Add(1)
		if p.Cycle%5 == 0 {
			return nil, "every fifth"
		}
		return p, ""
	})
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for range 20 {
				before := clock.Load()
				r, err := refsRequests.take(false)
				if err != nil {
					continue
				}
				if r.header.Cycle <= before {
					t.Errorf("recording %d, asked for after %d", r.header.Cycle, before)
				}
				var buf bytes.Buffer
				if err := Lookup("refs").WriteTo(&buf, i%2); err == nil && buf.Len() == 0 {
					t.Error("no error and no profile")
				}
			}
		})
	}
	wg.Wait()
}

// TestRefsPanic checks that no request waits forever after a recording panics.
func TestRefsPanic(t *testing.T) {
	panics := true
	q := refsQueue{alone: func() bool { return false }, record: func(bool) (*RefsProfile, string) {
		if panics {
			panic("test")
		}
		return refsTestProfile(), ""
	}}
	func() {
		defer func() {
			if e := recover(); e != "test" {
				t.Errorf("recovered %v", e)
			}
		}()
		q.take(false)
	}()
	panics = false
	if _, err := q.take(false); err != nil {
		t.Error(err)
	}
}
