// run

// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Checks with the pprof tool, as a user sees it, that stack_space adds up to
// /memory/classes/heap/stacks:bytes, belongs to the right functions, and is not
// the default sample type.

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	goroutines = 1000
	array      = 3000
)

var exit = make(chan bool)

//go:noinline
func holder(parked *sync.WaitGroup) {
	var a [array]byte
	keep(a[:])
	parked.Done()
	<-exit
	keep(a[:])
}

//go:noinline
func keep(b []byte) { b[len(b)/2]++ }

func stacks() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// takeProfile returns a goroutine profile, and the value of the metric when it
// was taken.
func takeProfile() ([]byte, int64) {
	for range 100 {
		time.Sleep(10 * time.Millisecond)
		var b bytes.Buffer
		before := stacks()
		check(pprof.Lookup("goroutine").WriteTo(&b, 0))
		if stacks() == before {
			return b.Bytes(), before
		}
	}
	panic("stack memory keeps changing")
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func pprofTool(args ...string) string {
	out, err := exec.Command("go", append([]string{"tool", "pprof"}, args...)...).CombinedOutput()
	if err != nil {
		panic(fmt.Sprintf("%v: %v\n%s", args, err, out))
	}
	return string(out)
}

func main() {
	var parked sync.WaitGroup
	parked.Add(goroutines)
	for range goroutines {
		go holder(&parked)
	}
	parked.Wait()
	data, want := takeProfile()

	dir, err := os.MkdirTemp("", "stackspace")
	check(err)
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "goroutine.pprof")
	check(os.WriteFile(file, data, 0o666))

	// Samples are lines of two values, a colon and locations; labels are on lines of their own.
	raw := pprofTool("-raw", file)
	_, samples, ok := strings.Cut(raw, "goroutine/count[dflt] stack_space/bytes\n")
	if !ok {
		panic("no goroutine/count, stack_space/bytes:\n" + raw)
	}
	samples, _, _ = strings.Cut(samples, "Locations")
	var count, sum int64
	for _, line := range strings.Split(samples, "\n") {
		values, _, _ := strings.Cut(line, ":")
		f := strings.Fields(values)
		if len(f) != 2 {
			continue
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		check(err)
		bytes, err := strconv.ParseInt(f[1], 10, 64)
		check(err)
		count += n
		sum += bytes
	}
	if sum != want {
		panic(fmt.Sprintf("stack_space adds up to %d, the metric is %d", sum, want))
	}
	if count < goroutines || count > goroutines+10 {
		panic(fmt.Sprintf("%d goroutines, want %d and a few", count, goroutines))
	}

	top := pprofTool("-top", "-unit=B", "-sample_index=stack_space", "-focus=^main.holder$", file)
	for _, line := range strings.Split(top, "\n") {
		if f := strings.Fields(line); len(f) == 6 && f[5] == "main.holder" {
			flat, err := strconv.ParseInt(strings.TrimSuffix(f[0], "B"), 10, 64)
			check(err)
			if flat >= goroutines*array {
				return
			}
		}
	}
	panic("main.holder's frames are not in\n" + top)
}
