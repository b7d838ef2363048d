// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package filetool

import (
	"bytes"
	"compress/gzip"
	"internal/heapgraph"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	var graphFile, profileFile, textFile bytes.Buffer
	w := heapgraph.NewWriter(&graphFile)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := pprof.Lookup("heap").WriteTo(&profileFile, 0); err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(&textFile)
	z.Write([]byte("text"))
	z.Close()
	elf := func(typ ...byte) string { return "\x7fELF\x02" + string(typ[:1]) + "\x01000000000" + string(typ[1:]) }
	dir := t.TempDir()
	for _, test := range []struct {
		name, data string
		tool, want string // the tool that reads it; what others say
	}{
		{"graph", graphFile.String(), "heapgraph", "this is a heap graph, for which the command is: go tool heapgraph -http=: "},
		{"profile", profileFile.String(), "pprof", "this is a profile, for which the command is: go tool pprof -http=: "},
		{"in/memreport.json", "{}", "memreport", "this is a folder of profiles, for which the command is: go tool memreport "},
		{"memory-1/evidence.txt", "", "memreport", "this is a folder of profiles, for which the command is: go tool memreport "},
		{"core", elf(1, 4, 0), "", "this is a core file, for which the command is: go tool memreport executable "},
		{"bigcore", elf(2, 0, 4), "", "this is a core file, for which the command is: go tool memreport executable "},
		{"exe", elf(1, 2, 0), "", ""},
		{"short", "\x7fELF", "", ""},
		{"text.gz", textFile.String(), "", ""},
		{"damaged.gz", profileFile.String()[:9], "", ""},
		{"text", "heap profile: 1: 2", "", ""},
		{"empty", "", "", ""},
		{"folder/x", "", "", ""},
	} {
		file := filepath.Join(dir, test.name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(test.data), 0o666); err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(file) != dir {
			file = filepath.Dir(file)
		}
		for _, tool := range []string{"heapgraph", "pprof", "memreport"} {
			want := ""
			if test.want != "" && tool != test.tool {
				want = test.want + file
			}
			got := ""
			if err := Check(tool, file); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s, given %s: %q, want %q", tool, test.name, got, want)
			}
		}
	}
	if err := Check("pprof", filepath.Join(dir, "none")); err != nil {
		t.Errorf("no file: %v", err)
	}
}

// TestCheckQuotes checks that a shell reads a name in the command as one argument.
func TestCheckQuotes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's $(x)")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "evidence.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	err := Check("pprof", dir)
	want := "'" + filepath.Join(filepath.Dir(dir), `it'\''s $(x)`) + "'"
	if filepath.Separator != '/' {
		want = Quote(dir)
	}
	if err == nil || !strings.HasSuffix(err.Error(), " "+want) {
		t.Errorf("%v, want it to end with %s", err, want)
	}
}
