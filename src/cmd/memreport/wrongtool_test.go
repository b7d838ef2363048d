// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"internal/heapgraph"
	"os"
	"path/filepath"
	"testing"
)

// TestWrongTool gives the command files of other tools.
func TestWrongTool(t *testing.T) {
	dir := storeTake(t, makeTake(t, sizes{}))
	profile, graph := filepath.Join(dir, "refs.1.pb.gz"), filepath.Join(dir, graphName)
	var b bytes.Buffer
	if err := heapgraph.NewWriter(&b).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(graph, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	head := elf.Header64{Type: uint16(elf.ET_CORE), Version: uint32(elf.EV_CURRENT), Ehsize: 64}
	copy(head.Ident[:], elf.ELFMAG+string([]byte{byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)}))
	b.Reset()
	if err := binary.Write(&b, binary.LittleEndian, head); err != nil {
		t.Fatal(err)
	}
	core := filepath.Join(dir, "core")
	if err := os.WriteFile(core, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	wantError(t, profile+": this is a profile, for which the command is: go tool pprof -http=: "+profile, profile)
	wantError(t, graph+": this is a heap graph, for which the command is: go tool heapgraph -http=: "+graph, graph)
	wantError(t, core+": this is a core file, for which the command is: go tool memreport executable "+core, core)
	wantError(t, "this is a profile", "-base", profile, dir)
	exe := filepath.Join(dir, "exe")
	if err := os.WriteFile(exe, []byte("#!"), 0o777); err != nil {
		t.Fatal(err)
	}
	wantError(t, profile+": this is a profile, for which the command is: go tool pprof -http=: "+profile, exe, profile)
	wantError(t, graph+": this is a heap graph, for which the command is: go tool heapgraph -http=: "+graph, exe, graph)
	wantError(t, dir+": this is a folder of profiles, for which the command is: go tool memreport "+dir, exe, dir)
	wantError(t, core+": this is a core file, and stands after its executable: go tool memreport "+exe+" "+core, core, exe)
}
