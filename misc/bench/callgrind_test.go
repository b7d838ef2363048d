// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	workerFile = "version: 1\npositions: line\nevents: Ir\nfn=(12) runtime.mallocgc\n10 700\ncfn=(3) runtime.sysmon.func1\ncalls=1 0\n1 9\nfn=(13) main.main\n5 34\n\ntotals: 734\n"
	sysmonFile = "events: Ir\nfn=(7) runtime.mstart1\n3 5\ncfn=(8) runtime.sysmon\ncalls=1 0\n3 60\nfn=(8)\n2 60\ntotals: 65\n"
)

func TestParseThread(t *testing.T) {
	for _, test := range []struct {
		file string
		want thread
	}{
		{workerFile, thread{734, false}},
		{sysmonFile, thread{65, true}},
	} {
		got, err := parseThread(strings.NewReader(test.file))
		if err != nil || got != test.want {
			t.Errorf("parseThread = %+v, %v, want %+v", got, err, test.want)
		}
	}
	for _, bad := range []string{"", "events: Ir\n", "totals: many\n", "totals: 1\ntotals: 2\n"} {
		if got, err := parseThread(strings.NewReader(bad)); err == nil {
			t.Errorf("parseThread(%q) = %+v, want an error", bad, got)
		}
	}
}

func TestSumThreads(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	main, sysmon := file("out-01", workerFile), file("out-02", sysmonFile)
	worker := file("out-03", "totals: 6\n")
	if got, err := sumThreads([]string{main, sysmon, worker}); err != nil || got != 740 {
		t.Errorf("sumThreads = %d, %v, want 740", got, err)
	}
	for _, bad := range [][]string{nil, {main, worker}, {sysmon, sysmon}} {
		if got, err := sumThreads(bad); err == nil {
			t.Errorf("sumThreads(%q) = %d, want an error: not one sysmon", bad, got)
		}
	}
}
