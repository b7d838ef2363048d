// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package filetool

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"internal/heapgraph"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
)

// elfFile returns the header of an ELF file.
func elfFile(t *testing.T, data elf.Data, typ elf.Type) string {
	h := elf.Header64{Type: uint16(typ), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(h.Ident[:], []byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(data), byte(elf.EV_CURRENT)})
	var order binary.ByteOrder = binary.LittleEndian
	if data == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	b, err := binary.Append(nil, order, h)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

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
	dir := t.TempDir()
	for _, test := range []struct {
		name, data string
		tool, want string // the tool that reads it; what others say
	}{
		{"graph", graphFile.String(), "heapgraph", "this is a heap graph, for which the command is: go tool heapgraph -http=: "},
		{"profile", profileFile.String(), "pprof", "this is a profile, for which the command is: go tool pprof -http=: "},
		{"in/memreport.json", "{}", "memreport", "this is a folder of profiles, for which the command is: go tool memreport "},
		{"memory-1/evidence.txt", "", "memreport", "this is a folder of profiles, for which the command is: go tool memreport "},
		{"core", elfFile(t, elf.ELFDATA2LSB, elf.ET_CORE), "", "this is a core file, for which the command is: go tool memreport executable "},
		{"bigcore", elfFile(t, elf.ELFDATA2MSB, elf.ET_CORE), "", "this is a core file, for which the command is: go tool memreport executable "},
		{"exe", elfFile(t, elf.ELFDATA2LSB, elf.ET_EXEC), "", ""},
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

// TestCheckCore has arguments of a command that reads a core file.
func TestCheckCore(t *testing.T) {
	var graphFile bytes.Buffer
	if err := heapgraph.NewWriter(&graphFile).Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string]string{
		"exe":   elfFile(t, elf.ELFDATA2LSB, elf.ET_EXEC),
		"core":  elfFile(t, elf.ELFDATA2LSB, elf.ET_CORE),
		"core2": elfFile(t, elf.ELFDATA2LSB, elf.ET_CORE),
		"graph": graphFile.String(),
		"text":  "text",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ executable, core, want string }{
		{"exe", "core", ""},
		{"text", "core", ""},
		{"exe", "exe", ""},
		{"exe", "none", ""},
		{"core", "exe", "core: this is a core file, and stands after its executable: go tool x exe core"},
		{"core", "text", "core: this is a core file, and stands after its executable: go tool x text core"},
		{"core", "core2", "core: this is a core file, and not its executable, which stands before a core file"},
		{"exe", "graph", "graph: this is a heap graph, for which the command is: go tool heapgraph -http=: graph"},
		{"graph", "core", "graph: this is a heap graph, for which the command is: go tool heapgraph -http=: graph"},
	} {
		got := ""
		if err := CheckCore("go tool x", filepath.Join(dir, test.executable), filepath.Join(dir, test.core)); err != nil {
			got = strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
		}
		if got != test.want {
			t.Errorf("%s and %s: %q, want %q", test.executable, test.core, got, test.want)
		}
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
