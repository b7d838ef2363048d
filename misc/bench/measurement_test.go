// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/perf/benchfmt"
)

func TestParseValues(t *testing.T) {
	got, err := parseValues("0.25 sec/op\n1e3 B/op\n")
	want := []benchfmt.Value{{Value: 0.25, Unit: "sec/op"}, {Value: 1000, Unit: "B/op"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("parseValues = %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"\n", "1\n", "one sec/op\n", "1 sec per op\n"} {
		if got, err := parseValues(bad); err == nil {
			t.Errorf("parseValues(%q) = %v, want an error", bad, got)
		}
	}
}

// TestRawFile checks that the library that benchstat uses reads the contents of
// a raw file.
func TestRawFile(t *testing.T) {
	dir := t.TempDir()
	s := &side{name: "fork", version: "go1.2.3-refs-1a2b3c4d"}
	raw, err := createRawFile(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	m := single("Malloc/tiny8", benchfmt.Value{Value: 18.5, Unit: "instructions/op"}, benchfmt.Value{Value: 2e-9, Unit: "sec/op"})
	if err := raw.write(m); err != nil {
		t.Fatal(err)
	}
	if err := raw.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := createRawFile(dir, s); err == nil {
		t.Error("an earlier session's file is overwritten")
	}
	data, err := os.ReadFile(filepath.Join(dir, "fork.txt"))
	if err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(bytes.NewReader(data), "fork.txt")
	if !reader.Scan() {
		t.Fatalf("nothing read from %q", data)
	}
	result, ok := reader.Result().(*benchfmt.Result)
	if !ok {
		t.Fatalf("read %v from %q", reader.Result(), data)
	}
	if string(result.Name) != m.name || !reflect.DeepEqual(result.Values, m.values) || result.GetConfig("toolchain") != s.version {
		t.Errorf("read %s %v %s, wrote %s %v %s", result.Name, result.Values, result.GetConfig("toolchain"), m.name, m.values, s.version)
	}
}

func TestParseBenchmarks(t *testing.T) {
	output := bytes.NewBufferString("goos: linux\nBenchmarkMalloc8-2   \t1000\t  12.5 ns/op\t8 B/op\nPASS\n")
	got, err := parseBenchmarks(output, "Runtime")
	if err != nil || len(got) != 1 {
		t.Fatalf("parseBenchmarks = %v, %v, want one", got, err)
	}
	m := got[0]
	if m.name != "Runtime/Malloc8-2" || m.iters != 1000 || len(m.values) != 2 {
		t.Fatalf("parseBenchmarks = %+v", m)
	}
	if v := m.values[0]; math.Abs(v.Value-12.5e-9) > 1e-20 || v.Unit != "sec/op" {
		t.Errorf("first value %+v, want 12.5e-9 sec/op", v)
	}
}
