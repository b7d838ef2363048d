// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

// These tests take profiles of a known number of faults. They make the faults
// themselves, in functions that only touch pages. With a period of 1, each
// fault is a sample and the numbers are exact. A signal handler that runs for
// the first time may itself fault, and that fault counts for the function that
// it interrupts. startPageFaults runs the handler once to avoid that.

package pprof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"internal/profile"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A faultProfile is a parsed profile.
type faultProfile struct {
	*profile.Profile
	t *testing.T
}

// startPageFaults starts a profile with the given value of pageFaultPeriod. It
// skips the test if the kernel refuses.
func startPageFaults(t *testing.T, period uint64) (stop func() *faultProfile) {
	t.Helper()
	pageFaultWarm.Do(func() {
		_, pages := mapPages(t, -1, 1000)
		if StartPageFaultProfile(new(bytes.Buffer)) == nil {
			touchWarm(pages)
			StopPageFaultProfile()
		}
	})
	pageFaultPeriod = period
	defer func() { pageFaultPeriod = 0 }()
	var b bytes.Buffer
	err := StartPageFaultProfile(&b)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSYS) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			StopPageFaultProfile()
		}
	})
	return func() *faultProfile {
		t.Helper()
		stopped = true
		StopPageFaultProfile()
		return parseFaults(t, b.Bytes())
	}
}

var pageFaultWarm sync.Once

func parseFaults(t *testing.T, b []byte) *faultProfile {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.SampleType) != 1 || p.SampleType[0].Type != "faults" || p.SampleType[0].Unit != "count" {
		t.Fatalf("sample types %v, want faults/count", p.SampleType)
	}
	for _, s := range p.Sample {
		if k := s.Label["kind"]; len(k) != 1 || k[0] != "minor" && k[0] != "major" || s.Value[0] <= 0 {
			t.Errorf("sample with value %d and kind %v", s.Value[0], k)
		}
	}
	return &faultProfile{p, t}
}

// sum returns the faults of samples that f accepts.
func (p *faultProfile) sum(f func(s *profile.Sample) bool) (n int64) {
	for _, s := range p.Sample {
		if f(s) {
			n += s.Value[0]
		}
	}
	return n
}

// in returns the faults of a kind that happened in function fn, or in functions
// that it called.
func (p *faultProfile) in(fn, kind string) int64 {
	return p.sum(func(s *profile.Sample) bool {
		return s.Label["kind"][0] == kind && calls(s, fn)
	})
}

// kernel reports whether faults of kernel mode are counted.
func (p *faultProfile) kernel() bool {
	return slices.ContainsFunc(p.Comments, func(c string) bool { return strings.Contains(c, "and of kernel mode") })
}

// want fails the test if function fn does not have n minor faults. It allows a
// few more, because the runtime may fault while fn runs (stack growth, a signal
// handler).
func (p *faultProfile) want(fn string, n int64) {
	p.t.Helper()
	const stray = 8
	if got := p.in(fn, "minor"); got < n || got > n+stray {
		p.t.Errorf("%s: %d minor faults, want %d to %d\n%v", fn, got, n, n+stray, p)
	}
}

// mapPages maps n pages that are not huge, of the file fd if fd is not
// negative. It returns the mapping, and a slice of it for each page.
func mapPages(t testing.TB, fd, n int) (mapping []byte, pages [][]byte) {
	t.Helper()
	flags := syscall.MAP_PRIVATE
	if fd < 0 {
		flags |= syscall.MAP_ANON
	}
	size := syscall.Getpagesize()
	mapping, err := syscall.Mmap(fd, 0, n*size, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(mapping) })
	syscall.Madvise(mapping, syscall.MADV_NOHUGEPAGE) // an error means that the kernel has no huge pages
	if fd >= 0 {
		syscall.Madvise(mapping, syscall.MADV_RANDOM)
	}
	return mapping, slices.Collect(slices.Chunk(mapping, size))
}

// The functions that touch pages are not instrumented: the race detector would
// add faults in C code, which have no Go stack.

// touchPages writes to each page once. A page that has only been read faults
// again when it is written.
//
//go:norace
func touchPages(pages [][]byte) {
	for _, p := range pages {
		p[0] = 1
	}
}

//go:noinline
//go:norace
func touchWarm(pages [][]byte) { touchPages(pages) }

//go:noinline
//go:norace
func touchAnonymous(pages [][]byte) { touchPages(pages) }

//go:noinline
//go:norace
func touchFile(pages [][]byte) (sum int) {
	for _, p := range pages {
		sum += int(p[0])
	}
	return sum
}

//go:noinline
//go:norace
func touchHeap(pages [][]byte) { touchPages(pages) }

//go:noinline
//go:norace
func touchBlocked(pages [][]byte) { touchPages(pages) }

//go:noinline
//go:norace
func touchNew(pages [][]byte) { touchPages(pages) }

//go:noinline
//go:norace
func touchBefore(pages [][]byte) { touchPages(pages) }

//go:noinline
//go:norace
func touchAfter(pages [][]byte) { touchPages(pages) }

//go:noinline
func readInto(t *testing.T, f *os.File, b []byte) {
	// The kernel ends a read of /dev/zero early when a signal arrives, such
	// as the signal of a fault, so the test reads again.
	if n, err := io.ReadFull(f, b); err != nil {
		t.Errorf("ReadFull = %d, %v", n, err)
	}
}

func TestPageFaultsAnonymous(t *testing.T) {
	const n = 2000
	_, pages := mapPages(t, -1, n)
	stop := startPageFaults(t, 1)
	touchAnonymous(pages)
	touchAnonymous(pages) // no fault
	p := stop()
	p.want("touchAnonymous", n)
	if got := p.in("touchAnonymous", "major"); got != 0 {
		t.Errorf("%d major faults, want none", got)
	}
	touchAfter(pages)
}

// threadFaults returns the faults of the thread so far, as getrusage reports
// them.
func threadFaults(t *testing.T) (minor, major int64) {
	t.Helper()
	const rusageThread = 1
	var u syscall.Rusage
	if err := syscall.Getrusage(rusageThread, &u); err != nil {
		t.Fatal(err)
	}
	return int64(u.Minflt), int64(u.Majflt)
}

// TestPageFaultsHeap touches new memory of the heap. The system decides how
// many pages one fault maps.
func TestPageFaultsHeap(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	stop := startPageFaults(t, 1)
	heap := make([]byte, 32<<20)
	pages := slices.Collect(slices.Chunk(heap, syscall.Getpagesize()))
	before, _ := threadFaults(t)
	touchHeap(pages)
	after, _ := threadFaults(t)
	p := stop()
	n := after - before
	if n == 0 {
		t.Skip("the heap had all its memory already")
	}
	const stray = 8
	if got := p.in("touchHeap", "minor"); got < n-stray || got > n+stray {
		t.Errorf("touchHeap: %d minor faults, want %d", got, n)
	}
	runtime.KeepAlive(heap)
}

// TestPageFaultsFile touches a mapped file that is not in memory.
func TestPageFaultsFile(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const n = 300
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, n*syscall.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	f.Sync()
	dropCache(t, f)
	_, pages := mapPages(t, int(f.Fd()), n)
	stop := startPageFaults(t, 1)
	minor0, major0 := threadFaults(t)
	touchFile(pages)
	minor1, major1 := threadFaults(t)
	p := stop()
	minor, major := minor1-minor0, major1-major0
	t.Logf("getrusage: %d minor and %d major faults", minor, major)
	const stray = 8
	if got := p.in("touchFile", "minor"); got < minor-stray || got > minor+stray {
		t.Errorf("%d minor faults, want %d", got, minor)
	}
	if got := p.in("touchFile", "major"); got < major-stray || got > major {
		t.Errorf("%d major faults, want %d", got, major)
	}
	if minor+major < n {
		t.Errorf("%d minor and %d major faults, want %d together", minor, major, n)
	}
}

// dropCache asks the kernel to forget the contents of f, which are on disk.
func dropCache(t *testing.T, f *os.File) {
	const posixFadvDontneed = 4
	if runtime.GOARCH == "386" {
		syscall.Syscall6(272, f.Fd(), 0, 0, 0, 0, posixFadvDontneed) // fadvise64_64
		return
	}
	nr := map[string]uintptr{"amd64": 221, "ppc64le": 233}[runtime.GOARCH]
	if nr == 0 {
		nr = 223
	}
	if _, _, errno := syscall.Syscall6(nr, f.Fd(), 0, 0, posixFadvDontneed, 0, 0); errno != 0 {
		t.Logf("fadvise64: %v", errno)
	}
}

// TestPageFaultsKernelMode makes a system call that writes to memory that has
// no pages.
func TestPageFaultsKernelMode(t *testing.T) {
	const n = 64
	mapping, _ := mapPages(t, -1, n)
	f, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stop := startPageFaults(t, 1)
	readInto(t, f, mapping)
	p := stop()
	if p.kernel() {
		p.want("readInto", n)
	} else {
		p.want("readInto", 0)
	}
}

func TestPageFaultsLabels(t *testing.T) {
	const n = 100
	_, pages := mapPages(t, -1, n)
	stop := startPageFaults(t, 1)
	Do(context.Background(), Labels("request", "r1", "kind", "mine"), func(context.Context) { touchAnonymous(pages) })
	p := stop()
	p.want("touchAnonymous", n)
	got := p.sum(func(s *profile.Sample) bool {
		return calls(s, "touchAnonymous") && slices.Equal(s.Label["request"], []string{"r1"}) &&
			slices.Equal(s.Label["goroutine.kind"], []string{"mine"}) && slices.Equal(s.Label["kind"], []string{"minor"})
	})
	if got < n {
		t.Errorf("%d faults with the goroutine's labels, want %d\n%v", got, n, p)
	}
}

// TestPageFaultsThreads has threads that exist when the profile starts, one of
// them in a system call, and a thread that starts later and exits.
func TestPageFaultsThreads(t *testing.T) {
	startPageFaults(t, 1)() // skips the test where it cannot start
	const n = 200
	_, blocked := mapPages(t, -1, n)
	_, fresh := mapPages(t, -1, n)
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pipe[0])
	var wg sync.WaitGroup
	tid := make(chan int)
	wg.Go(func() {
		runtime.LockOSThread() // so that the thread exits with the goroutine
		tid <- syscall.Gettid()
		var b [1]byte
		syscall.Read(pipe[0], b[:])
		touchBlocked(blocked)
	})
	blockedTid := <-tid
	waitBlocked(t, blockedTid)

	stop := startPageFaults(t, 1)
	syscall.Close(pipe[1])
	wg.Go(func() {
		runtime.LockOSThread()
		touchNew(fresh)
		tid <- syscall.Gettid()
	})
	newTid := <-tid
	wg.Wait()
	waitExit(t, blockedTid)
	waitExit(t, newTid)
	// The threads that have exited must have closed their events.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		events, threads := len(perfDescriptors(t)), len(readDir(t, "/proc/self/task"))
		if events <= threads*len(pageFaultKinds) {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("%d threads have %d events", threads, events)
			break
		}
	}
	p := stop()
	p.want("touchBlocked", n)
	p.want("touchNew", n)
	if left := perfDescriptors(t); len(left) != 0 {
		t.Errorf("descriptors %v of events are still open", left)
	}
}

// waitBlocked waits until a thread is in read(2).
func waitBlocked(t *testing.T, tid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", tid))
		if err != nil {
			t.Logf("%v: assume that the thread is blocked", err)
			return
		}
		if nr := fmt.Sprint(syscall.SYS_READ, " "); strings.HasPrefix(string(b), nr) {
			return
		}
	}
	t.Fatal("the thread does not block")
}

// waitExit waits until a thread has exited.
func waitExit(t *testing.T, tid int) {
	t.Helper()
	if tid == os.Getpid() {
		return // the runtime never lets the main thread exit
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid)); err != nil {
			return
		}
	}
	t.Fatalf("thread %d does not exit", tid)
}

func readDir(t *testing.T, name string) []os.DirEntry {
	t.Helper()
	dir, err := os.ReadDir(name)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// perfDescriptors returns the process's descriptors of events.
func perfDescriptors(t *testing.T) (fds []string) {
	t.Helper()
	for _, e := range readDir(t, "/proc/self/fd") {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.Contains(to, "perf_event") {
			fds = append(fds, e.Name())
		}
	}
	return fds
}

// TestPageFaultsForeignSignals sends SIGPROF for a descriptor that is not one
// of the runtime's, as a profiler with its own perf events would. At least half
// of the signals must be samples of the CPU profile.
func TestPageFaultsForeignSignals(t *testing.T) {
	for _, on := range []bool{false, true} {
		t.Run(fmt.Sprint("faults=", on), func(t *testing.T) {
			if on {
				defer startPageFaults(t, 1)()
			}
			var cpuProf bytes.Buffer
			if err := StartCPUProfile(&cpuProf); err != nil {
				t.Fatal(err)
			}
			const signals = 100
			sendProfSignals(t, signals)
			StopCPUProfile()
			p, err := profile.Parse(&cpuProf)
			if err != nil {
				t.Fatal(err)
			}
			var samples int64
			for _, s := range p.Sample {
				samples += s.Value[0]
			}
			if samples < signals/2 { // the kernel does not queue a signal that is already pending
				t.Errorf("%d samples of %d signals", samples, signals)
			}
		})
	}
}

// sendProfSignals lets a pipe send SIGPROF n times. It sends them to the thread
// that it runs on, because a thread that has been idle since before the CPU
// profile began takes no samples.
func sendProfSignals(t *testing.T, n int) {
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pipe[0])
	defer syscall.Close(pipe[1])
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const ( // F_SETSIG, F_SETOWN_EX and F_OWNER_TID
		setSig   = 10
		setOwnEx = 15
		ownerTID = 0
	)
	owner := struct{ typ, tid int32 }{ownerTID, int32(syscall.Gettid())}
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(pipe[0]), setOwnEx, uintptr(unsafe.Pointer(&owner))); errno != 0 {
		t.Fatal(errno)
	}
	for _, call := range [][2]uintptr{{setSig, uintptr(syscall.SIGPROF)}, {syscall.F_SETFL, syscall.O_ASYNC}} {
		if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(pipe[0]), call[0], call[1]); errno != 0 {
			t.Fatal(errno)
		}
	}
	for range n {
		syscall.Write(pipe[1], []byte{1})
		syscall.Read(pipe[0], make([]byte, 1)) // some kernels signal only when the pipe was empty
		time.Sleep(2 * time.Millisecond)
	}
}

// TestPageFaultsWithCPUProfile runs both profiles at once. In the first
// subtest, the CPU profile begins and ends while the page fault profile runs.
// In the second, it is the other way round.
func TestPageFaultsWithCPUProfile(t *testing.T) {
	const n = 3000
	_, before := mapPages(t, -1, n)
	_, both := mapPages(t, -1, n)
	_, after := mapPages(t, -1, n)
	profiles := func(t *testing.T, faultsFirst bool) (inSpin int64) {
		for _, pages := range [][][]byte{before, both, after} {
			for _, p := range pages {
				syscall.Madvise(p, syscall.MADV_DONTNEED)
			}
		}
		var cpuProf bytes.Buffer
		startCPU := func() {
			if err := StartCPUProfile(&cpuProf); err != nil {
				t.Fatal(err)
			}
		}
		var p *faultProfile
		cpu0 := processTime(t)
		if faultsFirst {
			stop := startPageFaults(t, 1)
			touchBefore(before)
			startCPU()
			spin(t, both)
			StopCPUProfile()
			touchAfter(after)
			p = stop()
			p.want("touchBefore", n)
			p.want("touchAfter", n)
		} else {
			startCPU()
			touchBefore(before)
			stop := startPageFaults(t, 1)
			spin(t, both)
			p = stop()
			touchAfter(after)
			StopCPUProfile()
			p.want("touchBefore", 0)
			p.want("touchAfter", 0)
		}
		used := processTime(t) - cpu0
		p.want("touchAnonymous", n)
		return checkCPUSamples(t, cpuProf.Bytes(), used)
	}
	for _, faultsFirst := range []bool{true, false} {
		t.Run(fmt.Sprint("faultsFirst=", faultsFirst), func(t *testing.T) {
			var inSpin int64
			for range 5 { // the system may send fewer signals than there are ticks
				if inSpin = profiles(t, faultsFirst); inSpin >= 15 {
					return
				}
			}
			t.Errorf("the CPU profile has %d ticks in spin, want 30", inSpin)
		})
	}
}

// spin touches pages and runs until the CPU profile has had time for some
// ticks.
//
//go:norace
func spin(t *testing.T, pages [][]byte) {
	touchAnonymous(pages)
	for start := processTime(t); processTime(t)-start < 300*time.Millisecond; {
		for range 1_000_000 {
			spun++
		}
	}
}

var spun int

// processTime returns the CPU time that the process has used.
func processTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// checkCPUSamples checks that a CPU profile has no more ticks than fit into the
// CPU time that was used. It returns the ticks in spin.
func checkCPUSamples(t *testing.T, b []byte, used time.Duration) (inSpin int64) {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var ticks int64
	for _, s := range p.Sample {
		ticks += s.Value[0]
		if calls(s, "spin") {
			inSpin += s.Value[0]
		}
	}
	most := int64(used/(10*time.Millisecond)) + int64(runtime.GOMAXPROCS(0)) + 10
	t.Logf("%d ticks, %d in spin, %v CPU time", ticks, inSpin, used)
	if ticks > most {
		t.Errorf("the CPU profile has %d ticks, want at most %d: are signals of page faults taken for ticks?", ticks, most)
	}
	return inSpin
}

// TestPageFaultsSampled takes a profile at the default rate. The sum must
// include all faults of the test, and most faults must be in the function that
// causes them.
func TestPageFaultsSampled(t *testing.T) {
	const n, rounds = 4000, 20
	mapping, pages := mapPages(t, -1, n)
	stop := startPageFaults(t, 0)
	for range rounds {
		touchAnonymous(pages)
		if err := syscall.Madvise(mapping, syscall.MADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
	}
	p := stop()
	samples := 0
	total := p.sum(func(s *profile.Sample) bool { samples++; return true })
	got, unsampled := p.in("touchAnonymous", "minor"), p.in("runtime._UnsampledPageFaults", "minor")
	t.Logf("%d faults in %d stacks: %d in touchAnonymous, %d unsampled", total, samples, got, unsampled)
	if total < n*rounds {
		t.Errorf("%d faults in all, want %d or more", total, n*rounds)
	}
	if got < n*rounds*3/4 || got > total {
		t.Errorf("%d faults in touchAnonymous, want about %d", got, n*rounds)
	}
}

func TestPageFaultsStartTwice(t *testing.T) {
	StopPageFaultProfile() // does nothing without a profile
	stop := startPageFaults(t, 1)
	var b bytes.Buffer
	if err := StartPageFaultProfile(&b); err != errPageFaultRunning {
		t.Errorf("second start: %v, want %v", err, errPageFaultRunning)
	}
	stop()
	StopPageFaultProfile()
	if b.Len() != 0 {
		t.Errorf("the start that failed has written %d bytes", b.Len())
	}
	startPageFaults(t, 1)()
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestPageFaultsFailingWriter(t *testing.T) {
	startPageFaults(t, 1)()
	if err := StartPageFaultProfile(failingWriter{}); err != nil {
		t.Fatal(err)
	}
	StopPageFaultProfile()
	startPageFaults(t, 1)()
	if left := perfDescriptors(t); len(left) != 0 {
		t.Errorf("descriptors %v of events are still open", left)
	}
}

// TestPageFaultsChurn starts and stops profiles while threads start, fault and
// exit.
func TestPageFaultsChurn(t *testing.T) {
	startPageFaults(t, 1)()
	mapping, pages := mapPages(t, -1, 64)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				exited := make(chan struct{})
				go func() {
					defer close(exited)
					if i == 0 {
						runtime.LockOSThread()
					}
					part := len(pages) / 3 * syscall.Getpagesize()
					syscall.Madvise(mapping[i*part:][:part], syscall.MADV_DONTNEED)
					touchNew(pages[i*len(pages)/3:][:len(pages)/3-1])
				}()
				<-exited
			}
		})
	}
	rounds := 30
	if testing.Short() {
		rounds = 10
	}
	for range rounds {
		var b bytes.Buffer
		if err := StartPageFaultProfile(&b); err != nil {
			t.Error(err)
			break
		}
		runtime.Gosched()
		StopPageFaultProfile()
		parseFaults(t, b.Bytes())
	}
	close(done)
	wg.Wait()
	if left := perfDescriptors(t); len(left) != 0 {
		t.Errorf("descriptors %v of events are still open", left)
	}
}

// BenchmarkPageFault measures the cost of a fault without a profile, with one,
// and with a sample for each fault.
func BenchmarkPageFault(b *testing.B) {
	const n = 1000
	bench := func(b *testing.B) {
		mapping, pages := mapPages(b, -1, n)
		for b.Loop() {
			touchAnonymous(pages)
			if err := syscall.Madvise(mapping, syscall.MADV_DONTNEED); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/page")
	}
	profiled := func(period uint64) func(b *testing.B) {
		return func(b *testing.B) {
			pageFaultPeriod = period
			defer func() { pageFaultPeriod = 0 }()
			if err := StartPageFaultProfile(io.Discard); err != nil {
				b.Skip(err)
			}
			defer StopPageFaultProfile()
			bench(b)
		}
	}
	b.Run("off", bench)
	b.Run("on", profiled(0))
	b.Run("each", profiled(1))
}

// BenchmarkPageFaultStart starts and stops a profile of 1,000 threads.
func BenchmarkPageFaultStart(b *testing.B) {
	const threads = 1000
	var started, done sync.WaitGroup
	started.Add(threads)
	stop := make(chan struct{})
	for range threads {
		done.Go(func() {
			runtime.LockOSThread()
			started.Done()
			<-stop
		})
	}
	started.Wait()
	for b.Loop() {
		if err := StartPageFaultProfile(io.Discard); err != nil {
			b.Skip(err)
		}
		StopPageFaultProfile()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/threads, "ns/thread")
	close(stop)
	done.Wait()
}
