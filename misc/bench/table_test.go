// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func knownTable() *table {
	six := []float64{100, 100, 100, 100, 100, 100}
	more := []float64{102, 102, 102, 102, 102, 102}
	rows := []row{
		compare(figure{"Malloc/tiny8", "instructions/op"}, six, six),
		compare(figure{"Link/nats", "binary-bytes"}, six, more),
	}
	return newTable(rows, "go1.2.3", "go1.2.3-refs-1a2b3c4d")
}

func TestText(t *testing.T) {
	want := []string{
		"benchmark unit upstream fork fork/upstream test",
		"Malloc/tiny8 instructions/op 100.0 ±0.00% 100.0 ±0.00% 1.0000 ~ p=1.000 n=6+6",
		"Link/nats binary-bytes 100.0 ±0.00% 102.0 ±0.00% 1.0200 p=0.002 n=6+6",
		"",
		"unit rows least ratio in greatest ratio in",
		"instructions/op 1 1.0000 Malloc/tiny8 1.0000 Malloc/tiny8",
		"binary-bytes 1 1.0200 Link/nats 1.0200 Link/nats",
	}
	var got []string
	for line := range strings.Lines(knownTable().text()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if !strings.HasPrefix(got[0], "upstream: go1.2.3, fork: go1.2.3-refs-1a2b3c4d;") {
		t.Errorf("caption %q", got[0])
	}
	if got := strings.Join(got[2:], "\n"); got != strings.Join(want, "\n") {
		t.Errorf("table:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func TestMarkdown(t *testing.T) {
	got := knownTable().markdown()
	for _, want := range []string{
		"\n| benchmark | unit | upstream | fork | fork/upstream | test |\n| --- | --- | --- | --- | --- | --- |\n",
		"\n| Link/nats | binary-bytes | 100.0 ±0.00% | 102.0 ±0.00% | 1.0200 | p=0.002 n=6+6 |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}
