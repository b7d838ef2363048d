// run

//go:build linux

// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Takes refs profiles with little address space. Either the total of the
// profile must be exact, even if some objects are not on their own paths, or
// WriteTo must return an error. The program must not die, and must have
// returned the memory of the recording afterwards. It must not die either if
// the last arena is nearly full, whether or not the heap grows during the
// recording.
//
// The arguments, if any, are the first limit, the last limit and the step, in
// KiB above the address space that the program has when it takes the profile.

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

const variable = "REFSLIMIT" // the limit of a child in KiB and, for a child with a full heap, by how many KiB that heap grows

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	if limit := os.Getenv(variable); limit != "" {
		if limit, growth, ok := strings.Cut(limit, " "); ok {
			full(number(limit), number(growth))
		} else {
			limited(number(limit))
		}
		return
	}
	first, last, step := 0, 48<<10, 4<<10
	if len(os.Args) == 4 {
		first, last, step = number(os.Args[1]), number(os.Args[2]), number(os.Args[3])
	}
	exact, failed, wrong := 0, 0, 0
	count := func(limit string) {
		switch said := child(limit); {
		case strings.HasPrefix(said, "exact"):
			exact++
		case strings.HasPrefix(said, "failed"):
			failed++
		default:
			wrong++
			fmt.Printf("with %s KiB:\n%s\n", limit, said)
		}
	}
	for limit := first; limit <= last; limit += step {
		count(strconv.Itoa(limit))
	}
	if strconv.IntSize == 64 { // with arenas of 64 MiB
		for _, limit := range []string{"40960 0", "57344 0", "73728 40960", "90112 40960", "122880 40960"} {
			count(limit)
		}
	}
	if wrong > 0 || exact == 0 || failed == 0 {
		fmt.Printf("%d exact, %d failed with an error, %d wrong\n", exact, failed, wrong)
		os.Exit(1)
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	check(err)
	return n
}

// child runs this program with a limit, and returns what it says.
func child(limit string) string {
	self, err := os.Executable()
	check(err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+limit)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%v\n%s", err, out[:min(len(out), 4000)])
	}
	return string(out)
}

type node struct {
	next  *node
	words *[5]int
}

const (
	nodes = 500_000
	room  = 24 << 20 // bytes of the heap that writing the profile may use
)

var lists [3000]*node

func limited(kilobytes int) {
	debug.SetGCPercent(-1)
	for i := range nodes {
		l := &lists[i%len(lists)]
		*l = &node{*l, new([5]int)}
	}
	leaveRoom()
	var b bytes.Buffer
	b.Grow(4 << 20)
	used := uint64(status("VmSize:"))
	setLimit(used + uint64(kilobytes)<<10)
	err := pprof.Lookup("refs").WriteTo(&b, 1)
	live := liveBytes()
	grown := uint64(status("VmSize:")) - used
	setLimit(1 << 46)
	if err != nil {
		fmt.Println("failed:", err)
	} else {
		tellExact(b.String(), live)
	}
	if grown > 1<<20 {
		fmt.Printf("wrong: %d bytes of address space are not given back\n", grown)
		os.Exit(1)
	}
	profileWithout(err)
}

// full takes a profile with a limit of kilobytes and with the last arena nearly
// full, while the heap grows by growth KiB, which can be 0.
func full(kilobytes, growth int) {
	debug.SetGCPercent(-1)
	for i := range nodes {
		l := &lists[i%len(lists)]
		*l = &node{*l, new([5]int)}
	}
	var b bytes.Buffer
	check(pprof.Lookup("refs").WriteTo(&b, 1)) // starts the threads that the next profile needs
	b.Reset()
	fillArena()
	begin, grown := make(chan bool), make(chan bool)
	go func() {
		<-begin
		for i := range growth >> 10 {
			time.Sleep(20 * time.Millisecond / time.Duration(i+1))
			filled = append(filled, make([]byte, 1<<20))
		}
		close(grown)
	}()
	setLimit(uint64(status("VmSize:") + kilobytes<<10))
	close(begin)
	err := pprof.Lookup("refs").WriteTo(&b, 1)
	<-grown
	setLimit(1 << 46)
	if live := liveBytes(); err != nil {
		fmt.Println("failed:", err)
	} else {
		tellExact(b.String(), live)
	}
	runtime.KeepAlive(filled)
}

var filled = make([][]byte, 0, 1<<15)

// fillArena allocates until the heap has a new arena of which 248 to 256 KiB
// are free.
func fillArena() {
	const arena = 64 << 20 // bytes, also the alignment
	block := func() uintptr {
		const size = 8 << 10
		filled = append(filled, make([]byte, size))
		return uintptr(unsafe.Pointer(unsafe.SliceData(filled[len(filled)-1])))
	}
	first := block() / arena
	p := block()
	for p/arena == first {
		p = block()
	}
	for p%arena < arena-256<<10-8<<10 {
		p = block()
	}
}

// leaveRoom allocates garbage and frees it, so that the heap has free memory
// and need not grow.
//
//go:noinline
func leaveRoom() {
	for range room / 4096 {
		sink = make([]byte, 4096)
	}
	sink = nil
	runtime.GC()
	runtime.GC()
}

var sink []byte

// tellExact checks that the profile's total is the number of bytes that the
// collection found live.
func tellExact(text string, live uint64) {
	var total uint64
	if _, err := fmt.Sscanf(text, "refs profile: %d bytes", &total); err != nil || total != live {
		fmt.Printf("wrong: %d of %d bytes\n%.500s", total, live, text)
		os.Exit(1)
	}
	fmt.Printf("exact\n%.500s", text)
}

// profileWithout checks that a profile is exact, and that its recording has
// enough memory, when there is no limit any more.
func profileWithout(failed error) {
	var b bytes.Buffer
	check(pprof.Lookup("refs").WriteTo(&b, 1))
	tellExact(b.String(), liveBytes())
	if !strings.Contains(b.String(), "want of memory: 0 bytes") {
		fmt.Printf("wrong: memory was short without a limit, after %v\n%.500s", failed, b.String())
		os.Exit(1)
	}
}

func setLimit(bytes uint64) {
	limit := syscall.Rlimit{Cur: bytes, Max: 1 << 60}
	check(syscall.Setrlimit(syscall.RLIMIT_AS, &limit))
}

func liveBytes() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// status returns a size from Linux's description of the process, in bytes.
func status(name string) (bytes int) {
	b, err := os.ReadFile("/proc/self/status")
	check(err)
	_, rest, _ := strings.Cut(string(b), "\n"+name)
	_, err = fmt.Sscan(rest, &bytes)
	check(err)
	return bytes << 10
}
