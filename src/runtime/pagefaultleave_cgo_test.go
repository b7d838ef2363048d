// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && cgo && !android

package runtime_test

import (
	"internal/testenv"
	"strings"
	"testing"
)

// TestCgoCoroutine checks that a thread of C may exit on another stack than the
// one on which it called Go, whether or not it has events to close.
func TestCgoCoroutine(t *testing.T) {
	exe, err := buildTestProg(t, "testprogcgo")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"Coroutine"}, {"Coroutine", "profile"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			cmd := testenv.CleanCmdEnv(testenv.Command(t, exe, args...))
			out, err := cmd.CombinedOutput()
			got := strings.TrimSpace(string(out))
			if strings.HasPrefix(got, "refused: ") {
				t.Skip(got)
			}
			if err != nil || got != "OK" {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
}
