// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// checkUnread checks that no object of a core file is lost if a stack has more
// frames than are kept, or if there are no threads.
func checkUnread(t *testing.T, exe, core string, want *graph) {
	check := func(what, core string, counted func(Stats) int64) {
		name := filepath.Join(t.TempDir(), "unread.graph")
		stats := writeFile(t, name, exe, core)
		if counted(stats) == 0 {
			t.Errorf("%s: stats are %+v", what, stats)
		}
		g := readGraph(t, name)
		for addr, o := range want.objects {
			if _, ok := g.objects[addr]; !ok {
				t.Errorf("%s: object %#x of type %q is lost: %s", what, addr, o.typ, o.path)
			}
		}
	}
	inner, outer := maxInner, maxOuter
	maxInner, maxOuter = 2, 1
	check("few frames", core, func(s Stats) int64 { return s.Cut })
	maxInner, maxOuter = inner, outer

	c := readWhole(t, core)
	memory := slices.IndexFunc(c.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_LOAD && p.Filesz > 0 })
	head := c.data[:c.Progs[memory].Off]
	note := []byte("\x01\x00\x00\x00CORE\x00") // the type and the name
	for i := bytes.Index(head, note); i >= 0; i = bytes.Index(head, note) {
		binary.LittleEndian.PutUint32(head[i:], 1<<20)
	}
	threadless := filepath.Join(t.TempDir(), "core")
	if err := os.WriteFile(threadless, c.data, 0o666); err != nil {
		t.Fatal(err)
	}
	check("no threads", threadless, func(s Stats) int64 { return s.Lost })
}
