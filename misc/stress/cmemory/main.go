// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux

// Cmemory takes profiles of C's memory (package runtime/cgo/mallocprofile) while
// C allocates in all ways at once: on 100 threads that come and go, before and
// after fork, in and around callbacks, in libraries that are opened and closed,
// and interrupted by signals. Blocks that it keeps must be in each profile, and
// exactly if each block is sampled.
//
//	GODEBUG=memprofilerate=1 go run ./cmemory -for 1m -cpu 0.25
package main

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "threads.h"
*/
import "C"

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	_ "runtime/cgo/mallocprofile"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/google/pprof/profile"
)

var (
	duration = flag.Duration("for", 20*time.Second, "run for `duration`")
	share    = flag.Float64("cpu", 1, "use at most `N` processors")
)

//go:embed library.c.txt
var library []byte

// A worker does its rounds until the time is up.
type worker struct {
	name   string
	round  func()
	rounds atomic.Int64
}

var (
	libraryFile string
	opening     sync.Mutex // until the end, when the file is removed
)

var workers = []*worker{
	{name: "threads", round: func() { must(C.threads(100, C.int(rand.IntN(1<<20))) > 90, "threads") }},
	{name: "chains", round: func() { C.chains(200) }},
	{name: "callbacks", round: callBack},
	{name: "fork", round: func() { status := C.forks(4); must(status == 0, "fork: %d", status) }},
	{name: "exec", round: func() { must(exec.Command("/bin/true").Run() == nil, "exec") }},
	{name: "dlopen", round: open},
	{name: "locked", round: lockedThreads},
	{name: "procs", round: func() { runtime.GOMAXPROCS(2 + rand.IntN(31)); time.Sleep(5 * time.Millisecond) }},
	{name: "signals", round: signalThreads},
	{name: "gc", round: runtime.GC},
	{name: "stacks", round: func() { done := make(chan bool); go func() { deep(200); close(done) }(); <-done }},
	{name: "profiles", round: takeProfile},
	{name: "others", round: takeOthers},
	{name: "keep", round: func() { kept = append(kept, keepBlock(keptSize)); keptBlocks.Add(1) }},
}

//export goBack
func goBack(depth C.int) {
	p := C.malloc(100)
	if depth > 0 {
		C.back(depth - 1)
	}
	runtime.Gosched()
	C.free(p)
}

func callBack() {
	for range 20 {
		C.back(C.int(rand.IntN(8)))
	}
}

// signalThreads interrupts each thread as the profiler and the scheduler do.
func signalThreads() {
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, t := range tasks {
		tid, _ := strconv.Atoi(t.Name())
		for _, sig := range []syscall.Signal{syscall.SIGPROF, syscall.SIGURG} {
			syscall.Tgkill(syscall.Getpid(), tid, sig) // the thread may have exited
		}
	}
}

func open() {
	opening.Lock()
	defer opening.Unlock()
	name := C.CString(libraryFile)
	defer C.free(unsafe.Pointer(name))
	must(C.opens(name, 4) == 1, "dlopen")
}

// lockedThreads makes threads of Go's that exit with their goroutines.
func lockedThreads() {
	done := make(chan bool)
	for range 8 {
		go func() {
			runtime.LockOSThread()
			C.chains(1)
			done <- true
		}()
	}
	for range 8 {
		<-done
	}
}

//go:noinline
func deep(n int) {
	var room [200]byte
	if n > 0 {
		deep(n - 1)
	} else {
		C.chains(1)
	}
	runtime.KeepAlive(room)
}

// Blocks that stay. Only this function of Go allocates them.
const keptSize = 24 * 40

var (
	kept       []unsafe.Pointer
	keptBlocks atomic.Int64
)

//go:noinline
func keepBlock(n C.ulong) unsafe.Pointer { return C.keep(n) }

// takeProfile checks that a profile has the blocks that are kept.
func takeProfile() {
	pprof.Lookup("cmemory").WriteTo(io.Discard, 1)
	before := keptBlocks.Load()
	var b bytes.Buffer
	must(pprof.Lookup("cmemory").WriteTo(&b, 0) == nil, "profile")
	after := keptBlocks.Load() + 1 // one may be under way
	p, err := profile.Parse(&b)
	must(err == nil, "%v", err)
	var objects, lost int64
	for _, s := range p.Sample {
		must(s.Value[2] >= 0 && s.Value[3] >= 0 && s.Value[2] <= s.Value[0] && s.Value[3] <= s.Value[1], "values %v", s.Value)
		for _, l := range s.Location {
			switch l.Line[0].Function.Name {
			case "main.keepBlock":
				objects += s.Value[2]
			case "runtime/cgo/mallocprofile._Lost":
				lost += s.Value[1]
			}
		}
	}
	must(lost == 0, "lost %d bytes", lost)
	must(p.Period != 1 || objects >= before && objects <= after, "%d objects, want %d to %d", objects, before, after)
	samples.Store(int64(len(p.Sample)))
}

var samples atomic.Int64

// takeOthers takes profiles that look at C's memory, or interrupt it.
func takeOthers() {
	runtime.SetCPUProfileRate(2000) // which StartCPUProfile does not change, and says so
	must(pprof.StartCPUProfile(io.Discard) == nil, "cpu profile")
	for _, name := range []string{"growth", "memory", "heap"} {
		if p := pprof.Lookup(name); p != nil {
			must(p.WriteTo(io.Discard, 0) == nil, "%s", name)
		}
		time.Sleep(50 * time.Millisecond)
	}
	pprof.StopCPUProfile()
}

func must(ok bool, format string, args ...any) {
	if !ok {
		fmt.Printf("FAIL: "+format+"\n", args...)
		syscall.Kill(syscall.Getpid(), syscall.SIGABRT)
		select {}
	}
}

// used returns the processor time of this process and its children.
func used() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		syscall.Getrusage(who, &u)
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

func main() {
	flag.Parse()
	log.SetFlags(log.Ltime)
	dir, err := os.MkdirTemp("", "cmemory")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "library.c")
	libraryFile = filepath.Join(dir, "library.so")
	if err := os.WriteFile(source, library, 0o666); err != nil {
		log.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", libraryFile, source).CombinedOutput(); err != nil {
		log.Fatalf("%v\n%s", err, out)
	}
	begin := time.Now()
	end := begin.Add(*duration)
	for _, w := range workers {
		go func() {
			for {
				w.round()
				w.rounds.Add(1)
				for time.Duration(float64(time.Since(begin))**share) < used() {
					time.Sleep(time.Duration(1+rand.IntN(20)) * time.Millisecond)
				}
			}
		}()
	}
	last := make([]int64, len(workers))
	for time.Now().Before(end) {
		time.Sleep(min(time.Minute, time.Until(end)))
		line := fmt.Sprintf("%v, %v of processors, %d samples:", time.Since(begin).Round(time.Second), used().Round(time.Second), samples.Load())
		for i, w := range workers {
			n := w.rounds.Load()
			line += fmt.Sprintf(" %s %d", w.name, n)
			if n == last[i] && time.Since(begin) > time.Minute {
				line += " (no progress)"
			}
			last[i] = n
		}
		log.Print(line)
	}
	opening.Lock()
	fmt.Println("ok")
}
