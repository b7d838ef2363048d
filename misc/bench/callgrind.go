// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Valgrind's callgrind counts instructions, one thread at a time. The count
// must not depend on the clock:
//
//   - the program runs on one P, unless it sets GOMAXPROCS as programs/scaling
//     does, with no collections except those that it asks for or that a memory
//     limit causes, and without preemption by signals;
//   - threads are counted separately, and sysmon's is left out, because it
//     wakes up by the clock.

// haveValgrind reports whether instructions can be counted on this machine.
func haveValgrind() bool {
	_, err := exec.LookPath("valgrind")
	return err == nil
}

var countedEnv = []string{"GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1"}

// countInstructions runs a program under callgrind. Valgrind runs one thread at
// a time, so the program can end before sysmon's thread has called sysmon. In
// this case it is not known which thread is sysmon's, and the program runs
// again, at most five times in all.
func countInstructions(ctx context.Context, s *side, file string, args ...string) (uint64, error) {
	const tries = 5
	for try := 1; ; try++ {
		n, err := countOnce(ctx, s, file, args)
		if !errors.Is(err, errNoSysmon) || try == tries {
			return n, err
		}
	}
}

func countOnce(ctx context.Context, s *side, file string, args []string) (uint64, error) {
	dir, err := os.MkdirTemp(s.dir, "callgrind")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	options := []string{"-q", "--tool=callgrind", "--separate-threads=yes",
		"--callgrind-out-file=" + filepath.Join(dir, "out"), file}
	if err := runQuiet(s.program(ctx, "valgrind", countedEnv, append(options, args...)...)); err != nil {
		return 0, err
	}
	threads, err := filepath.Glob(filepath.Join(dir, "out-*"))
	if err != nil {
		return 0, err
	}
	return sumThreads(threads)
}

var errNoSysmon = errors.New("callgrind: no thread is sysmon's")

// sumThreads adds up the counts in the threads' files, without sysmon's.
// Exactly one file must be sysmon's.
func sumThreads(files []string) (uint64, error) {
	sum, sysmons := uint64(0), 0
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		t, err := parseThread(file)
		file.Close()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
		if t.sysmon {
			sysmons++
			continue
		}
		sum += t.instructions
	}
	switch sysmons {
	case 0:
		return 0, errNoSysmon
	case 1:
		return sum, nil
	}
	return 0, fmt.Errorf("callgrind: found sysmon in %d of %d threads, want 1", sysmons, len(files))
}

// A thread has the contents of callgrind's file of one thread.
type thread struct {
	instructions uint64
	sysmon       bool
}

// parseThread reads the parts of callgrind's profile format that are needed
// here: the totals line, and the names of functions.
func parseThread(r io.Reader) (thread, error) {
	var t thread
	totals := 0
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if ok && key == "totals" {
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			if err != nil {
				return t, fmt.Errorf("callgrind: bad line %q", lines.Text())
			}
			t.instructions = n
			totals++
		}
		if isFunction(lines.Text(), "runtime.sysmon") {
			t.sysmon = true
		}
	}
	if err := lines.Err(); err != nil {
		return t, err
	}
	if totals != 1 {
		return t, fmt.Errorf("callgrind: %d totals lines, want 1", totals)
	}
	return t, nil
}

// isFunction reports whether a line names the function, as running or as
// called. The first line with a function has its name and a number. Later lines
// have the number alone.
func isFunction(line, name string) bool {
	key, value, _ := strings.Cut(line, "=")
	return (key == "fn" || key == "cfn") && slices.Contains(strings.Fields(value), name)
}
