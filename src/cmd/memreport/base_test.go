// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBaseLacks(t *testing.T) {
	blocks := func(k *take, n int64) *take {
		k.files["cmemory.8.pb.gz"] = encode(t, makeProfile("inuse_space", nil, row{[]int64{n}, "malloc@/lib/c.so < main.parse@/m/a.go", ""}))
		return k
	}
	without := func(k *take, names ...string) *take {
		for _, name := range names {
			delete(k.files, name)
		}
		return k
	}
	notAsked := func(k *take) *take {
		k.Missing["refs"] = "503 busy"
		return k
	}
	for _, test := range []struct {
		name    string
		base    *take
		missing []string
		came    int64 // C's blocks
	}{
		{"all", blocks(makeTake(t, sizes{}), 3*mb), nil, 4 * mb},
		{"no C", makeTake(t, sizes{}), []string{"base: cmemory: not in the folder"}, 0},
		{"no paths", blocks(notAsked(without(makeTake(t, sizes{}), "refs.1.pb.gz", "refs.2.pb.gz", "inuse.2.pb.gz")), 3*mb),
			[]string{"base: inuse: not in the folder", "base: refs: 503 busy"}, 4 * mb},
		{"the first recording alone", blocks(without(makeTake(t, sizes{}), "refs.2.pb.gz"), 3*mb), nil, 4 * mb},
	} {
		f := compared(test.base, blocks(makeTake(t, sizes{}), 7*mb))
		var came int64
		for _, s := range f.C {
			came += s.NewBytes
		}
		if !slices.Equal(f.Missing, test.missing) || came != test.came {
			t.Errorf("%s: missing %q, want %q; C's blocks came: %d, want %d", test.name, f.Missing, test.missing, came, test.came)
		}
	}
}

func TestNewerBase(t *testing.T) {
	newer := makeTake(t, sizes{})
	newer.Time = newer.Time.Add(time.Minute)
	a, b := storeTake(t, makeTake(t, sizes{})), storeTake(t, newer)
	wantError(t, "the base is the older one", "-base", b, a)
	if status, _, stderr := invoke("-base", a, b); status != 0 || stderr != "" {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestBaseProgram(t *testing.T) {
	for _, test := range []struct{ base, newer, want string }{
		{"/bin/server", "/bin/server", ""},
		{"/monday/server", "/tuesday/server", ""},
		{`C:\bin\Server.exe`, "/bin/server", ""},
		{"", "/bin/server", ""}, // of a folder that does not have it
		{"/bin/server", "/bin/client", "is of the program server, and "},
		{"/bin/labels", "/bin/gzpool", "is of gzpool: two takes of one program are compared"},
	} {
		base, newer := makeTake(t, sizes{}), makeTake(t, sizes{leak: 30 * mb})
		base.Program, newer.Program = test.base, test.newer
		a, b := storeTake(t, base), storeTake(t, newer)
		if test.want != "" {
			wantError(t, test.want, "-base", a, b)
			continue
		}
		status, text, stderr := invoke("-base", a, b)
		if status != 0 || stderr != "" || !strings.Contains(text, ", compared with 2026-11-01 12:00:00 UTC in "+a+"\n") {
			t.Errorf("%q and %q: status %d, %s\n%s", test.base, test.newer, status, stderr, text)
		}
	}
}
