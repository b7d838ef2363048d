// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"internal/goarch"
	"internal/profile"
	"internal/testenv"
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

// A spaceProfile is a goroutine profile. Keys are stacks, root first, such as
// "runtime._SystemStack;runtime._g0"; names of this package have no package.
type spaceProfile struct {
	goroutines, bytes map[string]int64
	sizes             map[string][]int64 // labels stack_size
}

// sum returns the bytes of the stacks for which match is true.
func (p *spaceProfile) sum(match func(stack string) bool) (sum int64) {
	for stack, n := range p.bytes {
		if match(stack) {
			sum += n
		}
	}
	return sum
}

func (p *spaceProfile) under(root string) int64 {
	return p.sum(func(stack string) bool { return stack == root || strings.HasPrefix(stack, root+";") })
}

// takeSpace takes a goroutine profile and checks its form.
func takeSpace(t testing.TB) *spaceProfile {
	t.Helper()
	var buf bytes.Buffer
	if err := Lookup("goroutine").WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	types := []profile.ValueType{{Type: "goroutine", Unit: "count"}, {Type: "stack_space", Unit: "bytes"}}
	if len(p.SampleType) != 2 || *p.SampleType[0] != types[0] || *p.SampleType[1] != types[1] || p.DefaultSampleType != "goroutine" || p.CheckValid() != nil {
		t.Fatalf("sample types %v, default %q, error %v", p.SampleType, p.DefaultSampleType, p.CheckValid())
	}
	space := &spaceProfile{make(map[string]int64), make(map[string]int64), make(map[string][]int64)}
	for _, s := range p.Sample {
		var names []string
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				names = append(names, strings.TrimPrefix(line.Function.Name, "runtime/pprof."))
			}
		}
		stack, count, n, size := strings.Join(names, ";"), s.Value[0], s.Value[1], s.NumLabel["stack_size"]
		if count < 0 || n < 0 || (count == 0) == (n == 0) || n != 0 && len(s.Label) != 0 {
			t.Fatalf("%d goroutines and %d bytes, labels %v: %s", count, n, s.Label, stack)
		}
		if strings.HasSuffix(stack, "runtime._FreeStack") != (len(size) == 1) {
			t.Fatalf("labels %v: %s", s.NumLabel, stack)
		}
		space.goroutines[stack] += count
		space.bytes[stack] += n
		space.sizes[stack] = append(space.sizes[stack], size...)
	}
	return space
}

// park is parked for goroutines that exit when the test ends.
func park(t *testing.T, n int64, f func(exit chan bool)) *spaceProfile {
	t.Helper()
	space, release := parked(t, n, f)
	t.Cleanup(release)
	return space
}

// parked starts n goroutines that run f, and returns a profile of them while they
// wait, and a function that makes them exit.
func parked(t *testing.T, n int64, f func(exit chan bool)) (space *spaceProfile, release func()) {
	t.Helper()
	gogc := debug.SetGCPercent(-1) // the collector shrinks stacks
	exit := make(chan bool)
	release = func() {
		close(exit)
		waiting.Wait()
		debug.SetGCPercent(gogc)
	}
	waiting.Add(int(n))
	for range n {
		go f(exit)
	}
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		space, parked := takeSpace(t), int64(0)
		for stack, count := range space.goroutines {
			if strings.HasSuffix(stack, ";wait;runtime.chanrecv1;runtime.chanrecv;runtime.gopark") {
				parked += count
			}
		}
		if parked == n {
			return space, release
		}
	}
	t.Cleanup(release)
	t.Fatalf("%d goroutines do not park", n)
	return nil, nil
}

var waiting sync.WaitGroup

//go:noinline
func wait(exit chan bool) {
	<-exit
	waiting.Done()
}

//go:noinline
func touch(b []byte) { b[len(b)/2]++ }

//go:noinline
func inlineOuter(exit chan bool) {
	var a [4000]byte
	touch(a[:])
	inlineMiddle(exit)
	touch(a[:])
}

func inlineMiddle(exit chan bool) { inlineInner(exit) }
func inlineInner(exit chan bool)  { wait(exit) }

//go:noinline
func recurse(exit chan bool, depth int) {
	var a [50]byte
	touch(a[:])
	if depth > 1 {
		recurse(exit, depth-1)
	} else if exit != nil {
		wait(exit)
	}
	touch(a[:])
}

//go:noinline
func grown(exit chan bool) {
	recurse(nil, 1000)
	wait(exit)
}

//go:noinline
func recurse3(exit chan bool) { recurse(exit, 3) }

// frameBytes returns the size of f's frame, return address included, from the
// machine code of its prologue.
func frameBytes(t *testing.T, f any) int64 {
	t.Helper()
	code := string(unsafe.Slice((*byte)(unsafe.Pointer(reflect.ValueOf(f).Pointer())), 80))
	saved, rex := int64(goarch.PtrSize), "" // return address
	switch runtime.GOARCH {
	case "amd64":
		saved, rex = 2*goarch.PtrSize, "\x48" // and frame pointer
	case "386":
	default:
		t.Skipf("cannot read prologues of %s", runtime.GOARCH)
	}
	if _, imm, ok := strings.Cut(code, rex+"\x81\xec"); ok { // SUB $imm32, SP
		return saved + int64(imm[0]) + int64(imm[1])<<8 + int64(imm[2])<<16 + int64(imm[3])<<24
	}
	if _, imm, ok := strings.Cut(code, rex+"\x83\xec"); ok { // SUB $imm8, SP
		return saved + int64(imm[0])
	}
	t.Fatalf("no stack pointer adjustment in % x", code)
	return 0
}

// TestStackSpaceFrames compares the memory of parked goroutines with the sizes
// of their frames. Free memory must be below the first function only, with the
// size of the stack, and everything must add up to that size. It parks again if
// the runtime has grown or shrunk one of the stacks for its own work.
func TestStackSpaceFrames(t *testing.T) {
	testenv.SkipIfOptimizationOff(t) // inlining
	const n = 10
	for _, test := range []struct {
		f     func(chan bool)
		first string
		least int64 // bytes of a stack
		want  map[string]int64
	}{
		{inlineOuter, "inlineOuter", 4000, map[string]int64{
			"":                               frameBytes(t, inlineOuter),
			";inlineMiddle":                  0,
			";inlineMiddle;inlineInner":      0,
			";inlineMiddle;inlineInner;wait": frameBytes(t, wait),
		}},
		{recurse3, "recurse3", 3 * 50, map[string]int64{
			"":                         frameBytes(t, recurse3),
			";recurse":                 frameBytes(t, recurse),
			";recurse;recurse":         frameBytes(t, recurse),
			";recurse;recurse;recurse": frameBytes(t, recurse),
		}},
		{grown, "grown", 1000 * frameBytes(t, recurse), map[string]int64{
			"":      frameBytes(t, grown),
			";wait": frameBytes(t, wait),
		}},
	} {
		free := test.first + ";runtime._FreeStack"
		check := func(t *testing.T, space *spaceProfile) {
			for stack, bytes := range test.want {
				if got := space.bytes[test.first+stack]; got != n*bytes {
					t.Errorf("%s%s: %d bytes, want %d", test.first, stack, got, n*bytes)
				}
			}
			if all := space.sum(func(stack string) bool {
				return strings.HasPrefix(stack, test.first) && strings.HasSuffix(stack, "_FreeStack")
			}); all != space.bytes[free] {
				t.Errorf("%d bytes are free, %d of them in %s", all, space.bytes[free], free)
			}
			const mostEntryWords = 16
			if entry := n*space.sizes[free][0] - space.under(test.first); entry < 0 || entry > n*mostEntryWords*goarch.PtrSize {
				t.Errorf("%d stacks of %d bytes: %d are above the first function", n, space.sizes[free][0], entry)
			}
		}
		t.Run(test.first, func(t *testing.T) {
			var sizes []int64
			for range 100 {
				space, release := parked(t, n, test.f)
				sizes = space.sizes[free]
				release()
				if len(sizes) == 1 && sizes[0] >= test.least {
					check(t, space)
					return
				}
			}
			t.Errorf("stacks of sizes %d, want one of at least %d", sizes, test.least)
		})
	}
}

// TestStackSpaceDeep checks stacks of which traces show only the inner part:
// two depths must differ by the additional frames.
func TestStackSpaceDeep(t *testing.T) {
	const n, depth, more = 5, 300, 700
	var used [2]int64
	for i := range used {
		t.Run("", func(t *testing.T) {
			used[i] = park(t, n, func(exit chan bool) { recurse(exit, depth+i*more) }).under("runtime._DeepStack")
		})
	}
	frame := frameBytes(t, recurse)
	if used[0] < n*depth*frame || used[1]-used[0] != n*more*frame {
		t.Errorf("%d and %d bytes, want at least %d and %d more", used[0], used[1], n*depth*frame, n*more*frame)
	}
}

// TestStackSpaceSum checks that the profile of parked goroutines is exactly the
// metric, that it shows the runtime's stacks, that it is small, and that the
// text has no stack space.
func TestStackSpaceSum(t *testing.T) {
	n := int64(100_000)
	if testing.Short() {
		n = 10_000
	}
	var text strings.Builder
	Lookup("goroutine").WriteTo(&text, 1)
	if strings.Contains(text.String(), "stack_space") || strings.Contains(text.String(), "_FreeStack") {
		t.Errorf("stack space in the text\n%s", &text)
	}
	park(t, n, inlineOuter)
	runtime.GC() // frees the stacks that these goroutines had before, and starts mark workers
	metric := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	for range 100 {
		metrics.Read(metric)
		want := metric[0].Value.Uint64()
		space := takeSpace(t)
		if metrics.Read(metric); metric[0].Value.Uint64() != want {
			continue // the runtime changed something between the two readings
		}
		if got := space.sum(func(string) bool { return true }); uint64(got) != want {
			t.Errorf("the profile adds up to %d bytes, the metric is %d", got, want)
		}
		if len(space.bytes) > 1000 {
			t.Errorf("%d samples for goroutines of one kind", len(space.bytes))
		}
		if n := space.under("runtime._SystemStack;runtime.gcBgMarkStartWorkers.gowrap1"); n <= 0 || n%1024 != 0 {
			t.Errorf("%d bytes of mark workers", n)
		}
		return
	}
	t.Error("the metric changed with every profile")
}
