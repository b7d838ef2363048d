// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file is the parent: it runs the child, checks that the child lives, and
// reports how the child ended.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// childVariable is set in the environment of the child.
const childVariable = "STRESS_CHILD"

// reportFile is the child's file descriptor for reports.
const reportFile = 3

// A report is what the child sends each second, as JSON.
type report struct {
	Recordings int64 // cycles that have been recorded
	Compared   int64 // recordings that have also been compared with the metric
	Workers    []string
	Rounds     []int64 // in the order of Workers
	Heap       uint64  // the greatest number of bytes that objects have taken, live or not
	Slowest    time.Duration
	Done       bool
}

// keep runs the child and returns the program's exit status.
func keep() int {
	fmt.Printf("%s: -seed %d -procs %d\n", *name, *seed, *procs)
	var out firstLine
	child, reports, err := startChild(&out)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	start := time.Now()
	last, hung := watch(child, reports)
	err = child.Wait()
	if hung {
		fmt.Printf("%s: the runtime hangs: no report for %v\n", *name, *hang)
	}
	if err != nil {
		fmt.Printf("%s: %v after: %s\n", *name, err, out.line)
	}
	ok := err == nil && last.Done && !hung
	last.print(ok, time.Since(start))
	return last.conclude(ok, time.Since(start))
}

// startChild starts the program again, with the same arguments and with this
// process's seed.
func startChild(out io.Writer) (*exec.Cmd, io.Reader, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	child := exec.Command(program, append(os.Args[1:], fmt.Sprint("-seed=", *seed))...)
	child.Env = append(os.Environ(), childVariable+"=1", "GOTRACEBACK=crash")
	child.Stdout, child.Stderr = out, out
	child.ExtraFiles = []*os.File{w}
	noCoreDump() // with GOTRACEBACK=crash each thread dumps its goroutine, which is enough
	return child, r, child.Start()
}

// A firstLine passes output on, and keeps the first line, which has the reason
// if the child dies.
type firstLine struct {
	line  []byte
	whole bool
}

func (f *firstLine) Write(b []byte) (int, error) {
	if !f.whole {
		line, _, whole := bytes.Cut(b, []byte("\n"))
		f.line, f.whole = append(f.line, line...), whole
	}
	return os.Stdout.Write(b)
}

// watch returns the child's last report when the child closes its pipe, or
// hangs. It makes a child that hangs dump its goroutines, as far as it can, and
// then kills it.
func watch(child *exec.Cmd, reports io.Reader) (last report, hung bool) {
	received := make(chan report)
	go func() {
		defer close(received)
		for d := json.NewDecoder(reports); ; {
			var r report
			if d.Decode(&r) != nil {
				return
			}
			received <- r
		}
	}()
	patience := time.NewTimer(*hang)
	for {
		select {
		case r, ok := <-received:
			if !ok {
				return last, hung
			}
			last = r
			patience.Reset(*hang)
			if *verbose {
				fmt.Printf("%d recordings, heap at most %d MB\n", r.Recordings, r.Heap>>20)
			}
		case <-patience.C:
			if hung {
				child.Process.Kill()
				return last, hung
			}
			hung = true
			child.Process.Signal(syscall.SIGQUIT)
			patience.Reset(min(*hang, time.Minute))
		}
	}
}

// print prints the rounds of each worker, and the number of recordings.
func (r *report) print(ok bool, elapsed time.Duration) {
	verdict := "the last report before it failed"
	if ok {
		verdict = "each equal to the live heap"
	}
	for i, w := range r.Workers {
		fmt.Printf("%16s %9d rounds\n", w, r.Rounds[i])
	}
	fmt.Printf("%s: %d recordings in %.1fs, %s; %d of them compared with the metric, too; slowest %v; heap at most %d MB\n",
		*name, r.Recordings, elapsed.Seconds(), verdict, r.Compared, r.Slowest.Round(time.Millisecond), r.Heap>>20)
}

// conclude prints the results, and returns the program's exit status. With
// -json it prints a result for each worker and for the run, and otherwise how
// many passed and failed. A worker passes if it has made progress, and the run
// passes if the child ended without an error.
func (r *report) conclude(ok bool, elapsed time.Duration) int {
	passed, failed := 0, 0
	result := func(test string, ok bool) {
		action := "pass"
		if ok {
			passed++
		} else {
			failed++
			action = "fail"
		}
		if *asJSON {
			event{action, "misc/stress/" + *name, test, 0}.print()
		}
	}
	for i, w := range r.Workers {
		result(w, r.Rounds[i] > 0)
	}
	result("run", ok)
	if !*asJSON {
		fmt.Printf("%d passed, %d failed\n", passed, failed)
	}
	status := 0
	action := "pass"
	if failed > 0 {
		status, action = 1, "fail"
	}
	if *asJSON {
		event{action, "misc/stress/" + *name, "", elapsed.Seconds()}.print()
	}
	return status
}

// An event is a result in the form of go test -json.
type event struct {
	Action, Package string
	Test            string `json:",omitempty"`
	Elapsed         float64
}

func (e event) print() {
	line, err := json.Marshal(e)
	check(err)
	fmt.Printf("%s\n", line)
}
