// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	log.SetOutput(&out)
	defer log.SetOutput(os.Stderr)
	if err := run("127.0.0.1:6060", 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	n := len(events.listeners)
	if n == 0 {
		t.Fatal("there is no leak")
	}
	for _, want := range []string{
		"for 50ms, or until interrupted\n",
		"profiles are at http://127.0.0.1:6060/debug/pprof/\n",
		fmt.Sprintf("ended after 50ms: %d sessions were opened and closed, and the bus has %d listeners\n", n, n),
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("run does not say %q:\n%s", want, out.String())
		}
	}
}
