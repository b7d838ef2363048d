// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"bytes"
	"errors"
	"fmt"
	"internal/memcgroup"
	"internal/testenv"
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
	"testing"
	"time"
)

// ownProcess reports whether this process runs only this test. If not, it runs
// the test in such a process, because memory of other tests would count.
func ownProcess(t *testing.T, env ...string) bool {
	const variable = "TEST_OWN_PROCESS"
	if os.Getenv(variable) != "" {
		return true
	}
	for attempt := 1; ; attempt++ {
		cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^"+t.Name()+"$")
		cmd.Env = append(append(os.Environ(), variable+"=1"), env...)
		out, err := cmd.CombinedOutput()
		if err != nil && attempt < 5 && strings.Contains(string(out), overdue) {
			t.Logf("once more: %v\n%s", err, out)
			continue
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return false
	}
}

func setMemoryLimit(t *testing.T, limit int64) {
	before := debug.SetMemoryLimit(limit)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// collect collects garbage until finalizers and pools hold no more of it.
func collect() {
	for range 3 {
		runtime.GC()
	}
}

// touch writes to each page of b.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

// A leaked is an object that a test leaks.
type leaked struct {
	next *leaked
	data [4 << 10]byte
}

var leak *leaked

// leakBytes leaks objects that together have at least the given number of
// bytes, which is a multiple of 4096. Then it runs a collection that marks
// them.
func leakBytes(bytes int) {
	for range bytes / 4096 {
		leak = &leaked{next: leak}
	}
	runtime.GC()
}

// allFiles returns the files of a complete set.
func allFiles() []string {
	files := []string{"evidence.txt", "goroutine.pb.gz", "growth.pb.gz", "heap.graph", "heap.pb.gz",
		"inuse.pb.gz", "memory.pb.gz", "peak.pb.gz", "refs.pb.gz"}
	if _, err := memcgroup.Find(""); err == nil {
		files = slices.Insert(files, 0, "cgroup.txt")
	}
	return files
}

func now() time.Time { return time.Now() }

// start starts to watch, and returns a channel of the sets that are written.
// Any error fails the test.
func start(t *testing.T, c Config) <-chan string {
	sets := make(chan string, 100)
	c.Written = func(set string, err error) {
		if err != nil {
			t.Error(err)
		}
		sets <- set
	}
	if err := Start(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(Stop)
	return sets
}

// TestShare leaks until memory in use reaches a share of GOMEMLIMIT.
func TestShare(t *testing.T) {
	if !ownProcess(t, "GOMEMLIMIT=off", "GOGC=20") {
		return
	}
	const limit = 128 << 20
	debug.SetMemoryLimit(limit)
	c := Config{Dir: t.TempDir(), Share: 60}
	sets := start(t, c)
	leakBytes(limit * 3 / 4)
	set := <-sets
	if files := names(t, set); !slices.Equal(files, allFiles()) {
		t.Errorf("got files %q, want %q", files, allFiles())
	}
	summary, err := os.ReadFile(filepath.Join(set, "evidence.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"% of the memory limit\n", "memory limit: 134217728 bytes (GOMEMLIMIT)\n", "\nrefs.pb.gz: "} {
		if !strings.Contains(string(summary), want) {
			t.Errorf("evidence.txt has no %q:\n%s", want, summary)
		}
	}
	for _, profile := range []string{"heap.pb.gz", "peak.pb.gz", "growth.pb.gz", "inuse.pb.gz"} {
		contains(t, set, profile, "runtime/evidence.leakBytes")
	}
	contains(t, set, "refs.pb.gz", "runtime/evidence.leak")
	// Another set is not written within Interval.
	leakBytes(16 << 20)
	Stop()
	if sets := names(t, c.Dir); len(sets) != 1 {
		t.Errorf("got %q, want one set", sets)
	}
	leak = nil
}

// contains checks that the profile has a string.
func contains(t *testing.T, set, profile, name string) {
	t.Helper()
	data, err := unzip(filepath.Join(set, profile))
	if err != nil {
		t.Error(err)
	} else if !bytes.Contains(data, []byte(name)) {
		t.Errorf("%s has no %s", profile, name)
	}
}

// TestGarbage makes garbage, so that Go's memory is far above the share of the
// limit while the live heap is far below it. It runs the collections itself,
// because objects that are allocated while a collection marks count as live for
// it.
func TestGarbage(t *testing.T) {
	if !ownProcess(t, "GOGC=off", "GOMEMLIMIT=off") {
		return
	}
	const limit = 512 << 20
	debug.SetMemoryLimit(limit)
	c := Config{Dir: t.TempDir(), Share: 40}
	start(t, c)
	live := make([]*leaked, limit/16/4096)
	for range 3 {
		for i := range 10 * len(live) {
			live[i%len(live)] = new(leaked)
			if i%1024 == 0 {
				runtime.KeepAlive(piece(1 << 20)) // may wait, and causes no set
			}
		}
		time.Sleep(longestWait / 4) // let the watcher measure
		runtime.GC()
	}
	Stop()
	if sets := names(t, c.Dir); len(sets) != 0 {
		summary, _ := os.ReadFile(filepath.Join(c.Dir, sets[0], "evidence.txt"))
		t.Errorf("got %q, want no set\n%s", sets, summary)
	}
	runtime.KeepAlive(live)
}

// TestGrowth leaks without a limit.
func TestGrowth(t *testing.T) {
	if !ownProcess(t, "GOMEMLIMIT=off", "GOGC=20") {
		return
	}
	sets := start(t, Config{Dir: t.TempDir(), Growth: 64 << 20, Within: time.Hour})
	leakBytes(256 << 20)
	set := <-sets
	summary, err := os.ReadFile(filepath.Join(set, "evidence.txt"))
	reason, _, _ := strings.Cut(string(summary), "\n")
	var grown int64
	if n, _ := fmt.Sscanf(reason, "reason: memory in use has grown by %d bytes within 1h0m0s", &grown); n != 1 || grown < 64<<20 {
		t.Errorf("evidence.txt: %v, %q", err, reason)
	}
	leak = nil
}

// TestSmallReserve checks that the cheap profiles are written if there is
// almost no memory for the others.
func TestSmallReserve(t *testing.T) {
	dir := t.TempDir()
	c := Config{Dir: dir, Reserve: 1}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	var failed error
	c.Written = func(_ string, err error) { failed = err }
	w := &watcher{Config: c, folder: folder{path: c.Dir, most: c.MaxBytes}, meter: newMeter(c.Share)}
	if !w.reserve.take(w.Reserve) {
		t.Fatal("no memory for the reserve")
	}
	w.record(usage{}, time.Now(), "test")
	for _, missing := range []string{"refs.pb.gz: ", "inuse.pb.gz: ", "heap.graph: "} {
		if failed == nil || !strings.Contains(failed.Error(), missing) {
			t.Errorf("got error %v, want one with %s", failed, missing)
		}
	}
	sets := w.folder.sets()
	if len(sets) != 1 || strings.HasSuffix(sets[0], partial) {
		t.Fatalf("got sets %q, want one", sets)
	}
	want := []string{"evidence.txt", "goroutine.pb.gz", "growth.pb.gz", "heap.pb.gz", "memory.pb.gz", "peak.pb.gz"}
	if files := names(t, filepath.Join(dir, sets[0])); !slices.Equal(files, want) {
		t.Errorf("got files %q, want %q", files, want)
	}
	if err := pprof.Lookup("refs").WriteTo(io.Discard, 0); err != nil {
		t.Errorf("the limit of recordings remains: %v", err)
	}
}

// TestReserve checks that the reserve counts as memory while it is held.
func TestReserve(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	other := func() int64 {
		s := []metrics.Sample{{Name: "/memory/classes/other:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	const size = 1 << 20
	var r reserve
	before := other()
	if !r.take(size-1) || !r.held() {
		t.Fatal("no memory")
	}
	if got := other() - before; got != size {
		t.Errorf("the reserve is %d bytes, want %d", got, size)
	}
	r.release()
	r.release()
	if got := other() - before; got != 0 || r.held() {
		t.Errorf("%d bytes of the reserve remain", got)
	}
	if !r.take(size) {
		t.Fatal("no memory")
	}
	defer r.release()
	var text bytes.Buffer
	pprof.Lookup("memory").WriteTo(&text, 1)
	if want := fmt.Sprintf("# Go memory > Reserve of runtime/evidence = %[1]d (taken %[1]d)\n", size); !strings.Contains(text.String(), want) {
		t.Errorf("the memory profile has no %q:\n%s", want, text.String())
	}
}

func TestDefaultReserve(t *testing.T) {
	for _, test := range []struct{ limit, want int64 }{
		{0, 16 << 20},
		{1, 1},
		{32 << 20, 4 << 20},
		{128 << 20, 16 << 20},
		{160 << 20, 16 << 20},
		{240 << 20, 20 << 20},
		{1 << 40, 256 << 20},
	} {
		if got := defaultReserve(test.limit); got != test.want {
			t.Errorf("limit %d: got %d, want %d", test.limit, got, test.want)
		}
	}
}

func TestStart(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Start(Config{Dir: file}); err == nil {
		t.Error("Start with a file in place of the folder: no error")
	}
	if err := Start(Config{Dir: dir, Reserve: 1 << 50}); err == nil {
		t.Error("Start with a reserve of 1 PiB: no error")
	}
	for range 2 {
		if err := Start(Config{Dir: filepath.Join(dir, "new", "folder")}); err != nil {
			t.Fatal(err)
		}
		if err := Start(Config{Dir: dir}); !errors.Is(err, ErrStarted) {
			t.Errorf("second Start: got error %v, want %v", err, ErrStarted)
		}
		Stop()
		Stop()
	}
	if files := names(t, filepath.Join(dir, "new", "folder")); len(files) != 0 {
		t.Errorf("after Stop: got files %q, want none", files)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		config Config
		err    string
	}{
		{Config{Dir: "x"}, ""},
		{Config{}, "no folder"},
		{Config{Dir: "x", Share: 101}, "share of 101%"},
		{Config{Dir: "x", Share: -1}, "share of -1%"},
		{Config{Dir: "x", Growth: -1}, "negative number of bytes"},
		{Config{Dir: "x", Within: time.Second}, "growth is not"},
		{Config{Dir: "x", Interval: -1}, "negative time"},
		{Config{Dir: "x", MaxSets: -1}, "negative number of sets"},
	} {
		err := test.config.check()
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%+v: got %v, want %q", test.config, err, test.err)
		}
		if err == nil && (!filepath.IsAbs(test.config.Dir) || test.config.Share != 90 || test.config.MaxSets != 4 ||
			test.config.MaxBytes != 1<<30 || test.config.Interval != 10*time.Minute) {
			t.Errorf("defaults: %+v", test.config)
		}
	}
}

// TestWritten checks that Written may call Start while Stop waits for it, and
// that it may end its goroutine.
func TestWritten(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	called, stopping, started := make(chan bool), make(chan bool), make(chan error)
	c := Config{Dir: t.TempDir(), Growth: 1 << 20, Interval: 1}
	c.Written = func(string, error) {
		called <- true
		<-stopping
		time.Sleep(10 * time.Millisecond) // most likely, Stop waits now
		started <- Start(c)
		runtime.Goexit()
	}
	if err := Start(c); err != nil {
		t.Fatal(err)
	}
	leakBytes(8 << 20)
	<-called
	go func() { stopping <- true }()
	stopped := make(chan bool)
	go func() {
		Stop()
		close(stopped)
	}()
	if err := <-started; err != ErrStarted {
		t.Errorf("Start while Stop waits: got %v, want %v", err, ErrStarted)
	}
	Stop()
	<-stopped
	c.Written = nil
	if err := Start(c); err != nil {
		t.Errorf("Start after Stop: %v", err)
	}
	Stop()
}

// TestLimitOfOthers checks that the limit of the watcher's recordings does not
// limit recordings by others.
func TestLimitOfOthers(t *testing.T) {
	record := func() error { return pprof.Lookup("refs").WriteTo(io.Discard, 0) }
	runtime_limitRecording(1, math.MaxInt64)
	defer runtime_limitRecording(0, 0)
	if record() == nil {
		t.Error("the recording of the watcher has no limit")
	}
	err := make(chan error)
	go func() {
		go func() { err <- record() }() // the goroutine with the limit does not start this one
	}()
	if err := <-err; err != nil {
		t.Errorf("the recording of another goroutine: %v", err)
	}
}
