// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A body is an io.Reader of so many bytes.
type body int

func (b *body) Read(p []byte) (int, error) {
	n := min(len(p), int(*b))
	if *b -= body(n); n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// burstLimit is GOMEMLIMIT in TestBurst, and burstSize is the size of each
// burst. Go's memory does not reach the limit before a burst.
const (
	burstLimit = 64 << 20
	burstSize  = 128 << 20
)

// bursts are ways to allocate too much at once. What they allocate is written to
// kept.
var bursts = map[string]func(t *testing.T){
	"make": func(*testing.T) { keep(make([]byte, burstSize)) },
	"pointers": func(*testing.T) {
		p := make([]*byte, burstSize/8)
		p[0] = new(byte)
		runtime.KeepAlive(p)
	},
	"append": func(*testing.T) { keep(append([]byte(nil), make([]byte, burstSize)...)) },
	"io.ReadAll": func(*testing.T) {
		size := body(burstSize)
		b, _ := io.ReadAll(&size)
		keep(b)
	},
	"bytes.Buffer": func(*testing.T) {
		size, b := body(burstSize), new(bytes.Buffer)
		b.ReadFrom(&size)
		keep(b.Bytes())
	},
	"pieces": func(*testing.T) {
		for range burstSize / (16 << 20) {
			keep(make([]byte, 16<<20))
		}
	},
	"goroutines": func(*testing.T) {
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for range burstSize / 64 / (1 << 20) {
					keep(piece(1 << 20))
				}
			})
		}
		all.Wait()
	},
	"locked thread": func(*testing.T) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		keep(make([]byte, burstSize))
	},
	"bubble": func(t *testing.T) {
		synctest.Test(t, func(*testing.T) { keep(piece(burstSize)) })
	},
}

var kept struct {
	sync.Mutex
	all [][]byte
}

func keep(b []byte) {
	kept.Lock()
	kept.all = append(kept.all, b)
	kept.Unlock()
}

// gateBound is the longest time that an allocation waits, as in package runtime.
const gateBound = 3 * time.Second

// overdue is in the output of a test that fails after it has been so slow that
// the gate may have opened by time. ownProcess repeats such a test.
const overdue = "the gate may have opened by time"

// logOverdue logs whether so much time has passed since begun.
func logOverdue(t *testing.T, begun time.Time) {
	if d := time.Since(begun); d >= gateBound {
		t.Log(overdue, "after", d)
	}
}

//go:noinline
func piece(size int) []byte { return make([]byte, size) }

//go:noinline
func upload(t *testing.T, burst func(t *testing.T)) { burst(t) }

// TestBurst allocates too much at once. When the allocations are done, the
// files that need no collection name the function, in a set that may not be
// complete yet.
func TestBurst(t *testing.T) {
	for way, burst := range bursts {
		t.Run(strings.ReplaceAll(way, " ", "_"), func(t *testing.T) {
			if !ownProcess(t, "GOMEMLIMIT=off") {
				return
			}
			debug.SetMemoryLimit(burstLimit)
			written := make(chan string, 1)
			c := Config{Dir: t.TempDir(), Reserve: 1, Written: func(set string, _ error) { written <- set }}
			if err := Start(c); err != nil {
				t.Fatal(err)
			}
			if u := newMeter(90).read(now()); u.inUse >= u.due {
				t.Fatalf("%d bytes in use before", u.inUse)
			}
			begun := time.Now()
			upload(t, burst)
			logOverdue(t, begun)
			cheapFiles := filesOfSet(c.Dir)
			set := <-written
			for _, profile := range cheap {
				if !slices.Contains(cheapFiles, profile+".pb.gz") {
					t.Errorf("the allocation has not waited for %s: got files %q", profile, cheapFiles)
				}
			}
			name := "runtime/evidence.upload"
			if way == "goroutines" || way == "bubble" { // upload has started other goroutines
				name = "runtime/evidence.piece"
			}
			contains(t, set, "goroutine.pb.gz", name)
			contains(t, set, "heap.pb.gz", name)
			text, err := os.ReadFile(filepath.Join(set, "evidence.txt"))
			for _, want := range []string{"memory in use", "allocations that have waited for this set:\n", name} {
				if !strings.Contains(string(text), want) {
					t.Errorf("evidence.txt has no %q: %v\n%s", want, err, text)
				}
			}
			// Within Interval, nothing waits, and nothing is written.
			upload(t, bursts["make"])
			Stop()
			if got := names(t, c.Dir); !slices.Equal(got, []string{filepath.Base(set)}) {
				t.Errorf("got %q, want one set", got)
			}
			upload(t, bursts["make"])
		})
	}
}

// filesOfSet returns the files of the set in dir, which may get its name
// meanwhile.
func filesOfSet(dir string) (files []string) {
	for range 2 {
		found, _ := filepath.Glob(filepath.Join(dir, setPrefix+"*", "*"))
		for _, f := range found {
			files = append(files, filepath.Base(f))
		}
	}
	return files
}

// TestGateBound closes the gate, and never opens it.
func TestGateBound(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	runtime_startGate()
	runtime_closeGate()
	keep(make([]byte, 1<<20)) // the goroutine of the watcher does not wait
	done := make(chan bool)
	go func() {
		keep(make([]byte, 1<<20)) // nor does one that it has started
		go func() {
			upload(t, bursts["goroutines"])
			done <- true
		}()
		done <- true
	}()
	<-done
	<-done
	runtime_openGate(1<<20, 1<<20)
	go func() {
		go func() {
			upload(t, bursts["pieces"])
			done <- true
		}()
	}()
	runtime_awaitAsked()
	runtime_stopGate()
	<-done
}

// TestCountWaiting checks that an allocation is in the heap profile once, while
// it waits and after that.
func TestCountWaiting(t *testing.T) {
	if !ownProcess(t, "GOGC=off") {
		return
	}
	inUse := func() (bytes int64) {
		p := make([]runtime.MemProfileRecord, 1000)
		n, _ := runtime.MemProfile(p, false)
		for _, r := range p[:n] {
			for _, pc := range r.Stack() {
				if f := runtime.FuncForPC(pc); f != nil && strings.HasSuffix(f.Name(), "evidence.upload") {
					bytes += r.InUseBytes()
					break
				}
			}
		}
		return
	}
	const size = 32 << 20
	runtime_startGate()
	runtime_openGate(size/2, size)
	begun := time.Now()
	done := make(chan bool)
	go func() {
		go func() {
			upload(t, func(*testing.T) { keep(make([]byte, size)) })
			done <- true
		}()
	}()
	runtime_awaitAsked()
	if bytes, fresh := runtime_waitingBytes(); bytes != size || fresh != size {
		t.Errorf("%d bytes wait, %d of them from the system, want %d", bytes, fresh, size)
	}
	for range 2 {
		runtime_countWaiting(true)
	}
	if got := inUse(); got != size {
		t.Errorf("while it waits: %d bytes, want %d", got, size)
	}
	for range 2 {
		runtime_countWaiting(false)
	}
	if got := inUse(); got != 0 {
		t.Errorf("while it waits and does not count: %d bytes, want 0", got)
	}
	logOverdue(t, begun)
	runtime_openGate(-1, 0)
	<-done
	collect()
	if got := inUse(); got != size {
		t.Errorf("at the end: %d bytes, want %d", got, size)
	}
	runtime_stopGate()
	runtime.KeepAlive(pprof.Profiles())
}

// TestRoomOfCycle allocates large pieces, each of which is garbage at once,
// while recordings mark. What is allocated in a cycle stays until the next one.
func TestRoomOfCycle(t *testing.T) {
	if !ownProcess(t, "GOGC=off", "GODEBUG=") {
		return
	}
	const (
		room, size, allocators = 8 << 20, 1 << 20, 4
		most                   = 2 << 30 / size // pieces, for a process without the gate
	)
	leakBytes(16 << 20)
	collect()
	before := liveHeap()
	var pieces atomic.Int64
	var ended atomic.Bool
	var all sync.WaitGroup
	for range allocators {
		all.Go(func() {
			for !ended.Load() && pieces.Add(1) < most {
				runtime.KeepAlive(piece(size))
			}
		})
	}
	all.Go(func() {
		defer ended.Store(true)
		var g gate
		g.start()
		defer g.stop()
		runtime_limitRecording(64<<20, room)
		defer runtime_limitRecording(0, 0)
		for _, profile := range recorded {
			n := pieces.Load()
			begun := time.Now()
			if err := pprof.Lookup(profile).WriteTo(io.Discard, 0); err != nil {
				t.Error(err)
			}
			logOverdue(t, begun)
			if grown := liveHeap() - before; grown > room+2*allocators*size {
				t.Errorf("%s: the heap has grown by %d bytes in the cycle, which has room for %d", profile, grown, room)
			}
			for pieces.Load() < min(n+2*room/size, most) { // nothing waits after the cycle
				runtime.Gosched()
			}
		}
	})
	all.Wait()
}

// liveHeap returns how many bytes the latest collection has marked, with those
// that were allocated while it marked.
func liveHeap() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

func TestRoomOfCycleSize(t *testing.T) {
	for _, test := range []struct {
		u    usage
		want int64
	}{
		{usage{}, math.MaxInt64 / 4},
		{usage{limit: 1000, spare: 300}, 150},
		{usage{limit: 1000, spare: 5}, 10},
		{usage{limit: 1000, spare: -50}, 10},
	} {
		if got := test.u.roomOfCycle(); got != test.want {
			t.Errorf("limit of %d, %d left: got %d, want %d", test.u.limit, test.u.spare, got, test.want)
		}
	}
}

// TestStartStop starts and stops so fast that the goroutine that asks for
// allocations has not run in between.
func TestStartStop(t *testing.T) {
	if !ownProcess(t, "GOMAXPROCS=1") {
		return
	}
	for range 20 {
		Stop()
		if err := Start(Config{Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
	}
	defer Stop()
	for range 100 {
		runtime.Gosched()
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if n := bytes.Count(stacks, []byte("\nruntime/evidence.(*gate).start.func1(")); n != 1 {
		t.Errorf("%d goroutines ask for allocations, want 1:\n%s", n, stacks)
	}
}
