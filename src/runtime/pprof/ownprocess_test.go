// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file runs tests in a process of their own, because memory that other
// tests leave behind would count, and because their stacks may have words that
// look like references to a test's objects. Tests that sample every allocation
// run so because they leave thousands of stacks, and each later heap profile of
// the process has to find the names of these.

package pprof

import (
	"fmt"
	"internal/testenv"
	"os"
	"strings"
	"testing"
)

// ownProcess reports whether this process runs only this test. If not, it runs
// the test in a process that does.
func ownProcess(t *testing.T, env ...string) bool {
	if aloneInProcess() {
		return true
	}
	if out, err := runAlone(t, env...); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

const aloneVariable = "TEST_OWN_PROCESS"

func aloneInProcess() bool { return os.Getenv(aloneVariable) != "" }

// runAlone runs the test in a process of its own.
func runAlone(t *testing.T, env ...string) (output []byte, err error) {
	cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd.Env = append(append(os.Environ(), aloneVariable+"=1"), env...)
	return cmd.CombinedOutput()
}
