// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check stack_space. Goroutines park in functions whose frames have
// known sizes. The tests compare the bytes of these frames with the sizes, and
// the sum of the profile with the runtime's total.

package pprof

import (
	"bytes"
	"internal/goarch"
	"internal/profile"
	"internal/profilerecord"
	"internal/testenv"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// A spaceSample is a sample of stack_space.
type spaceSample struct {
	stack []string // names of functions, root first
	bytes int64
	size  int64 // label stack_size, or 0
	lines int   // number of lines of the leaf location
}

// under reports whether the sample's stack begins with names.
func (s *spaceSample) under(names ...string) bool {
	return len(s.stack) >= len(names) && slices.Equal(s.stack[:len(names)], names)
}

func (s *spaceSample) leaf() string { return s.stack[len(s.stack)-1] }

type spaceProfile []spaceSample

// sum returns the bytes of the samples for which match is true.
func (p spaceProfile) sum(match func(*spaceSample) bool) (bytes int64) {
	for i := range p {
		if match(&p[i]) {
			bytes += p[i].bytes
		}
	}
	return bytes
}

func (p spaceProfile) total() int64 {
	return p.sum(func(*spaceSample) bool { return true })
}

// frames returns the bytes of the frames of a function.
func (p spaceProfile) frames(name string) int64 {
	return p.sum(func(s *spaceSample) bool {
		return s.leaf() == name && !s.under("runtime._SystemStack")
	})
}

// takeProfile takes a profile as a protocol buffer and checks that it is valid.
func takeProfile(t testing.TB, name string) *profile.Profile {
	t.Helper()
	var buf bytes.Buffer
	if err := Lookup(name).WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// stackSpaceProfile takes a goroutine profile and checks its form. It returns
// the samples of stack_space, and the number of parked goroutines by function.
func stackSpaceProfile(t testing.TB) (space spaceProfile, parked map[string]int64) {
	t.Helper()
	p := takeProfile(t, "goroutine")
	if len(p.SampleType) != 2 || *p.SampleType[0] != (profile.ValueType{Type: "goroutine", Unit: "count"}) ||
		*p.SampleType[1] != (profile.ValueType{Type: "stack_space", Unit: "bytes"}) {
		t.Fatalf("sample types %v", p.SampleType)
	}
	if p.DefaultSampleType != "goroutine" {
		t.Fatalf("default sample type %q, want goroutine", p.DefaultSampleType)
	}
	parked = make(map[string]int64)
	for _, s := range p.Sample {
		var stack []string
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				stack = append(stack, line.Function.Name)
			}
		}
		count, bytes := s.Value[0], s.Value[1]
		if (count == 0) == (bytes == 0) || count < 0 || bytes < 0 {
			t.Fatalf("sample with %d goroutines and %d bytes: %v", count, bytes, stack)
		}
		if count != 0 {
			if len(stack) > 0 && stack[len(stack)-1] == "runtime.gopark" {
				slices.Sort(stack) // so that a recursive function counts once
				for _, name := range slices.Compact(stack) {
					parked[name] += count
				}
			}
			continue
		}
		if len(s.Label) != 0 || len(stack) == 0 {
			t.Fatalf("stack_space sample with stack %v and labels %v", stack, s.Label)
		}
		var size int64
		for k, v := range s.NumLabel {
			if k != "stack_size" || len(v) != 1 || v[0]&(v[0]-1) != 0 || !slices.Equal(s.NumUnit[k], []string{"bytes"}) {
				t.Fatalf("label %s: %v %v", k, v, s.NumUnit[k])
			}
			size = v[0]
		}
		if (size != 0) != (stack[len(stack)-1] == "runtime._FreeStack") {
			t.Fatalf("stack_size %d in sample %v", size, stack)
		}
		space = append(space, spaceSample{stack, bytes, size, len(s.Location[0].Line)})
	}
	return space, parked
}

// stacksMetric returns the metric to which the profile must add up.
func stacksMetric() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// pprofName returns the name that profiles show for the function of this
// package that has the given name.
func pprofName(name string) string { return "runtime/pprof." + name }

// parkingLot holds goroutines that wait until it closes.
type parkingLot struct {
	exit   chan struct{}
	parked sync.WaitGroup
}

func newParkingLot() *parkingLot { return &parkingLot{exit: make(chan struct{})} }

// park is called by the goroutines. It is never inlined, so that it has a
// frame.
//
//go:noinline
func (l *parkingLot) park() {
	<-l.exit
	l.parked.Done()
}

// start starts n goroutines that run f, and waits until they are parked in the
// function name.
func (l *parkingLot) start(t testing.TB, n int, name string, f func(*parkingLot)) {
	t.Helper()
	l.parked.Add(n)
	for range n {
		go f(l)
	}
	for range 1000 {
		if _, parked := stackSpaceProfile(t); parked[pprofName(name)] == int64(n) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d goroutines do not park in %s", n, name)
}

// close lets the goroutines go, and waits until they have exited.
func (l *parkingLot) close() {
	close(l.exit)
	l.parked.Wait()
}

// touch keeps b on the stack.
//
//go:noinline
func touch(b []byte) { b[len(b)/2]++ }

//go:noinline
func frame1000(l *parkingLot) {
	var a [1000]byte
	touch(a[:])
	l.park()
	touch(a[:])
}

//go:noinline
func frame2000(l *parkingLot) {
	var a [2000]byte
	touch(a[:])
	frame1000(l)
	touch(a[:])
}

//go:noinline
func frame3000(l *parkingLot) {
	var a [3000]byte
	touch(a[:])
	frame2000(l)
	touch(a[:])
}

// frameBytes returns the size of f's frame, return address included, from the
// machine code of its prologue.
func frameBytes(t *testing.T, f any) int64 {
	t.Helper()
	pc := reflect.ValueOf(f).Pointer()
	code := unsafe.Slice((*byte)(unsafe.Pointer(pc)), 80)
	saved := int64(goarch.PtrSize) // return address
	rex := ""
	switch runtime.GOARCH {
	case "amd64":
		saved += goarch.PtrSize // frame pointer
		rex = "\x48"
	case "386":
	default:
		t.Skipf("cannot read prologues of %s", runtime.GOARCH)
	}
	if _, imm, ok := strings.Cut(string(code), rex+"\x81\xec"); ok { // SUB $imm32, SP
		return saved + int64(imm[0]) + int64(imm[1])<<8 + int64(imm[2])<<16 + int64(imm[3])<<24
	}
	if _, imm, ok := strings.Cut(string(code), rex+"\x83\xec"); ok { // SUB $imm8, SP
		return saved + int64(imm[0])
	}
	t.Fatalf("no stack pointer adjustment in % x", code)
	return 0
}

func TestStackSpaceFrames(t *testing.T) {
	const n = 10
	l := newParkingLot()
	defer l.close()
	l.start(t, n, "frame3000", frame3000)
	space, _ := stackSpaceProfile(t)
	for _, f := range []struct {
		name  string
		f     func(*parkingLot)
		least int64
	}{
		{"frame1000", frame1000, 1000},
		{"frame2000", frame2000, 2000},
		{"frame3000", frame3000, 3000},
	} {
		want := n * frameBytes(t, f.f)
		if want < n*f.least {
			t.Errorf("%s: prologue makes room for %d bytes, want at least %d", f.name, want/n, f.least)
		}
		if got := space.frames(pprofName(f.name)); got != want {
			t.Errorf("%s: %d bytes, want %d", f.name, got, want)
		}
	}
	prefix := []string{pprofName("frame3000"), pprofName("frame2000"), pprofName("frame1000")}
	for i := range prefix {
		if n := space.sum(func(s *spaceSample) bool { return slices.Equal(s.stack, prefix[:i+1]) }); n == 0 {
			t.Errorf("no sample for the prefix %v", prefix[:i+1])
		}
	}
}

//go:noinline
func inlineOuter(l *parkingLot) {
	var a [4000]byte
	touch(a[:])
	inlineMiddle(l)
	touch(a[:])
}

func inlineMiddle(l *parkingLot) { inlineInner(l) }

func inlineInner(l *parkingLot) { l.park() }

// TestStackSpaceInlined checks that a frame belongs to the function into which
// others are inlined, although the inlined functions are nearer to the leaf.
func TestStackSpaceInlined(t *testing.T) {
	testenv.SkipIfOptimizationOff(t)
	const n = 7
	l := newParkingLot()
	defer l.close()
	l.start(t, n, "inlineOuter", inlineOuter)
	space, _ := stackSpaceProfile(t)
	if got, want := space.frames(pprofName("inlineOuter")), n*frameBytes(t, inlineOuter); got != want {
		t.Errorf("inlineOuter: %d bytes, want %d", got, want)
	}
	for _, name := range []string{"inlineMiddle", "inlineInner"} {
		if got := space.frames(pprofName(name)); got != 0 {
			t.Errorf("%s is inlined and has %d bytes", name, got)
		}
	}
	caller := []string{pprofName("inlineOuter"), pprofName("inlineMiddle"), pprofName("inlineInner"), pprofName("(*parkingLot).park")}
	got := space.sum(func(s *spaceSample) bool { return slices.Equal(s.stack, caller) })
	if want := n * frameBytes(t, (*parkingLot).park); got != want {
		t.Errorf("%v: %d bytes, want %d", caller, got, want)
	}
}

//go:noinline
func recurse(l *parkingLot, depth int) {
	var a [50]byte
	touch(a[:])
	if depth > 0 {
		recurse(l, depth-1)
	} else {
		l.park()
	}
	touch(a[:])
}

// TestStackSpaceDeep checks stacks of which traces show only the inner part. It
// compares the profiles of two depths, which must differ by the additional
// frames.
func TestStackSpaceDeep(t *testing.T) {
	const n, depth, more = 5, 300, 700
	used := func(depth int) int64 {
		l := newParkingLot()
		defer l.close()
		l.start(t, n, "recurse", func(l *parkingLot) { recurse(l, depth) })
		space, _ := stackSpaceProfile(t)
		return space.sum(func(s *spaceSample) bool { return s.under("runtime._DeepStack") })
	}
	frame := frameBytes(t, recurse)
	shallow, deep := used(depth), used(depth+more)
	if shallow < n*depth*frame {
		t.Errorf("%d bytes in deep stacks, want at least %d", shallow, n*depth*frame)
	}
	if got, want := deep-shallow, n*more*frame; got != want {
		t.Errorf("%d more frames have %d bytes, want %d", n*more, got, want)
	}

	l := newParkingLot()
	defer l.close()
	l.start(t, n, "recurse", func(l *parkingLot) { recurse(l, 20) })
	space, _ := stackSpaceProfile(t)
	if got, want := space.frames(pprofName("recurse")), n*21*frame; got != want {
		t.Errorf("%d frames have %d bytes, want %d", n*21, got, want)
	}
}

//go:noinline
func useStack(bytes int) {
	var a [512]byte
	touch(a[:])
	if bytes > 512 {
		useStack(bytes - 512)
	}
}

//go:noinline
func grown(l *parkingLot) {
	useStack(40 << 10)
	l.park()
}

// TestStackSpaceFree checks that stacks that grew and are empty again appear as
// free, with their size, that used and free memory add up to the allocated
// memory, and that all of it is below the first function, which has only its
// own frame.
func TestStackSpaceFree(t *testing.T) {
	const n = 8
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector shrinks stacks
	l := newParkingLot()
	defer l.close()
	l.start(t, n, "grown", grown)
	space, _ := stackSpaceProfile(t)

	var free, size int64
	for _, s := range space {
		if slices.Equal(s.stack, []string{pprofName("grown"), "runtime._FreeStack"}) {
			if size != 0 {
				t.Errorf("stacks of sizes %d and %d, want one", size, s.size)
			}
			free, size = s.bytes, s.size
		}
	}
	if size < 64<<10 {
		t.Errorf("stack size %d, want at least %d", size, 64<<10)
	}
	below := space.sum(func(s *spaceSample) bool { return s.under(pprofName("grown")) })
	const mostEntryWords = 16 * goarch.PtrSize
	if entry := n*size - below; entry < 0 || entry > n*mostEntryWords {
		t.Errorf("%d stacks of %d bytes: %d below the first function, %d of them free, %d left", n, size, below, free, entry)
	}
	if got, want := space.frames(pprofName("grown")), n*frameBytes(t, grown); got != want {
		t.Errorf("grown: %d bytes, want %d", got, want)
	}
}

// TestStackSpaceFreeOfInlined checks that free memory is below the first
// function only, also if the first function has inlined the one that parks.
func TestStackSpaceFreeOfInlined(t *testing.T) {
	const n = 7
	l := newParkingLot()
	defer l.close()
	l.start(t, n, "inlineOuter", inlineOuter)
	space, _ := stackSpaceProfile(t)
	want := []string{pprofName("inlineOuter"), "runtime._FreeStack"}
	free := space.sum(func(s *spaceSample) bool { return slices.Equal(s.stack, want) })
	all := space.sum(func(s *spaceSample) bool { return s.under(want[0]) && s.leaf() == "runtime._FreeStack" })
	if free == 0 || free != all {
		t.Errorf("%d free bytes at %v, and %d below its first function", free, want, all)
	}
}

// TestStackSpaceThreads checks the stacks of system goroutines and threads.
func TestStackSpaceThreads(t *testing.T) {
	runtime.GC() // starts the mark workers
	space, _ := stackSpaceProfile(t)
	of := func(stack ...string) int64 {
		return space.sum(func(s *spaceSample) bool { return s.under(stack...) })
	}
	for _, stack := range [][]string{
		{"runtime._SystemStack", "runtime.gcenable.gowrap1"},
		{"runtime._SystemStack", "runtime.gcBgMarkStartWorkers.gowrap1"},
		{"runtime._SystemStack", "runtime._gcrash"},
	} {
		if n := of(stack...); n <= 0 || n%1024 != 0 {
			t.Errorf("%v: %d bytes", stack, n)
		}
	}
	if runtime.GOOS == "linux" {
		threads, _ := runtime.ThreadCreateProfile(nil)
		if n := of("runtime._SystemStack", "runtime._gsignal"); n%(32<<10) != 0 || n < 32<<10 || n > int64(threads)*32<<10 {
			t.Errorf("signal stacks of %d threads: %d bytes", threads, n)
		}
	}
}

// TestStackSpaceSum checks that the profile adds up to the metric exactly when
// goroutines are parked.
func TestStackSpaceSum(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	l := newParkingLot()
	defer l.close()
	l.start(t, n, "frame2000", func(l *parkingLot) { frame2000(l) })
	runtime.GC() // frees the smaller stacks that these goroutines had before
	for range 100 {
		before := stacksMetric()
		space, _ := stackSpaceProfile(t)
		if after := stacksMetric(); before != after {
			continue // the runtime changed something between the two readings
		}
		if got := space.total(); got != before {
			t.Errorf("the profile adds up to %d bytes, the metric is %d", got, before)
		}
		if len(space) > 1000 {
			t.Errorf("%d samples for goroutines of one kind", len(space))
		}
		return
	}
	t.Error("the metric changed with every profile")
}

// TestStackSpaceBusy checks that the profile adds up while goroutines start,
// exit, grow and shrink, and threads start and exit.
func TestStackSpaceBusy(t *testing.T) {
	profiles := 100
	if testing.Short() {
		profiles = 25
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for i := range 8 {
		wg.Go(func() {
			for j := 0; ; j++ {
				select {
				case <-stop:
					return
				default:
				}
				var short sync.WaitGroup
				short.Go(func() {
					useStack((i + j) % 20 << 10)
					if i == 1 {
						runtime.LockOSThread() // the thread exits with the goroutine
					}
				})
				short.Wait()
				if i == 0 && j%100 == 0 {
					runtime.GC()
				}
			}
		})
	}
	defer wg.Wait()
	defer close(stop)
	for range profiles {
		var totals profilerecord.StackTotals
		s := newStackSpace()
		for _, g := range groupStacks(goroutineStacks(&totals)) {
			if g.used > g.allocated*uintptr(g.count) {
				t.Fatalf("%d bytes used of %d stacks of %d bytes", g.used, g.count, g.allocated)
			}
			s.addGoroutines(g)
		}
		s.addOthers(&totals)
		got, want := s.total(), int64(totals.Total)
		if got != want {
			t.Fatalf("the profile adds up to %d bytes, want %d", got, want)
		}
		if s.entry < 0 {
			t.Fatalf("%d bytes outside of frames", s.entry)
		}
		for _, n := range s.nodes {
			if n.bytes < 0 {
				t.Fatalf("a node of %d bytes: %+v", n.bytes, n)
			}
		}
	}
}

// TestStackSpaceTextUnchanged checks that the text forms have no stack space.
func TestStackSpaceTextUnchanged(t *testing.T) {
	for _, debug := range []int{1, 2} {
		var buf bytes.Buffer
		if err := Lookup("goroutine").WriteTo(&buf, debug); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"stack_space", "_FreeStack", "_SystemStack", "_StackCache"} {
			if strings.Contains(buf.String(), name) {
				t.Errorf("debug=%d: the text has %s", debug, name)
			}
		}
	}
}

// A shortWriter fails when it has taken left bytes.
type shortWriter struct{ left int }

func (w *shortWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestStackSpaceWriteError checks that a writer's error is returned, wherever
// it fails, and that the next profile is complete.
func TestStackSpaceWriteError(t *testing.T) {
	var buf bytes.Buffer
	if err := Lookup("goroutine").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{0, 1, buf.Len() / 2} {
		if err := Lookup("goroutine").WriteTo(&shortWriter{left}, 0); err != io.ErrShortWrite {
			t.Errorf("writer that fails after %d bytes: error %v", left, err)
		}
	}
	stackSpaceProfile(t)
}

// TestStackSpaceNotRecorded groups two records that were not filled in.
func TestStackSpaceNotRecorded(t *testing.T) {
	groups := groupStacks(make([]profilerecord.StackRecord, 2), make([]unsafe.Pointer, 2))
	if len(groups) != 1 || groups[0].count != 2 || groups[0].used != 0 || groups[0].allocated != 0 {
		t.Errorf("%d groups, the first %+v", len(groups), *groups[0])
	}
}
