// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The go command runs each tool through the program that -toolexec names. That
// is this program,
//
//	bench record FILE TOOL ARGS
//
// which runs the tool and appends the time and memory of the tool alone,
// without the go command, to FILE. link.go reads the file.

const recordCommand = "record"

// A toolRun is a line of the file.
type toolRun struct {
	Tool            string
	Wall, CPU, Peak float64
}

// recordTool runs that command and returns its exit status.
func recordTool(args []string) int {
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "bench record: want FILE TOOL ARGS")
		return 2
	}
	file, tool, args := args[0], args[1], args[2:]
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	used, err := runMeasured(cmd)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if slices.Contains(args, "-V=full") { // the go command asks for the version
		return 0
	}
	if err := appendRun(file, toolRun{filepath.Base(tool), used.wall, used.cpu, used.peak}); err != nil {
		fmt.Fprintln(os.Stderr, "bench record:", err)
		return 1
	}
	return 0
}

func appendRun(name string, run toolRun) error {
	line, err := json.Marshal(run)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// onlyRun returns the only run of a tool in a file. The file may have runs of
// other tools except compile, which would mean that the go command did more
// than link.
func onlyRun(name, tool string) (toolRun, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return toolRun{}, err
	}
	var found []toolRun
	var tools []string
	for line := range strings.Lines(string(data)) {
		var run toolRun
		if err := json.Unmarshal([]byte(line), &run); err != nil {
			return toolRun{}, err
		}
		tools = append(tools, run.Tool)
		if run.Tool == tool {
			found = append(found, run)
		}
	}
	if len(found) != 1 || slices.Contains(tools, "compile") {
		return toolRun{}, fmt.Errorf("want one run of %s and none of compile, have %q", tool, tools)
	}
	return found[0], nil
}
