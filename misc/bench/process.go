// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"
)

// A usage has the resources that were used by a process and by the children for
// which it waited.
type usage struct {
	wall float64 // seconds
	cpu  float64 // seconds, user and system
	peak float64 // greatest resident size in bytes, of the largest process
}

// values returns the usage in benchmark units, for work that was done n times.
func (u usage) values(n int) []benchfmt.Value {
	return append([]benchfmt.Value{
		{Value: u.wall / float64(n), Unit: "sec/op"},
		{Value: u.cpu / float64(n), Unit: "cpu-sec/op"},
	}, u.peakValue()...)
}

// peakValue returns the peak if it is known. A process's peak begins with the
// resident size of the process that starts it, which is bench. Therefore a peak
// that is not well above bench's size means nothing.
func (u usage) peakValue() []benchfmt.Value {
	const known = 64 << 20
	if u.peak < known {
		return nil
	}
	return []benchfmt.Value{{Value: u.peak, Unit: "peak-RSS-bytes"}}
}

// runMeasured runs a command. The caller sets cmd.Stdout if the output is
// needed.
func runMeasured(cmd *exec.Cmd) (usage, error) {
	var complaint strings.Builder
	if cmd.Stderr == nil {
		cmd.Stderr = &complaint
	}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w%s", commandLine(cmd), err, indent(complaint.String()))
	}
	return usageOf(cmd.ProcessState, wall), nil
}

func usageOf(state *os.ProcessState, wall time.Duration) usage {
	rusage := state.SysUsage().(*syscall.Rusage)
	unit := int64(1024)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	cpu := state.UserTime() + state.SystemTime()
	return usage{wall.Seconds(), cpu.Seconds(), float64(int64(rusage.Maxrss) * unit)}
}

// runQuiet runs a command for which only success counts.
func runQuiet(cmd *exec.Cmd) error {
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w%s", commandLine(cmd), err, indent(string(output)))
	}
	return nil
}

// describe adds the standard error of a failed command to an error of package
// exec.
func describe(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w%s", err, indent(string(exit.Stderr)))
	}
	return err
}

func commandLine(cmd *exec.Cmd) string {
	return strings.Join(append([]string{filepath.Base(cmd.Path)}, cmd.Args[1:]...), " ")
}

// indent puts the end of an output below the message that it belongs to.
func indent(output string) string {
	const most = 20
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return "\n\t" + strings.Join(lines, "\n\t")
}
