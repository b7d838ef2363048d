// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/profilerecord"
	. "internal/runtime/refs"
	"testing"
)

// A reference of a small heap. Those with the same name of from have it in the
// order in which they are followed.
type reference struct {
	from, to  string                 // roots are named by rootNames
	kind      profilerecord.RefsKind // RefsField if not given
	role      profilerecord.RefsRole
	untyped   bool
	pool      bool // of a sync.Pool
	isContext bool
}

var rootNames = map[string]Roots{
	"own": OwnGlobals, "main own": MainOwnFrames, "main": MainStack, "globals": OtherGlobals, "oldest": OldestStacks,
	"stacks": ProgramStacks, "specials": Specials, "runtime": RuntimeGlobals, "system": AllStacks, "again": ChangedStacks, "moved": ChangedObjects,
}

// A smallHeap marks a small heap by the rules of the package. All its objects
// have pointers.
type smallHeap struct {
	references []reference
	stage      Stage
	owner      map[string]int // index of the reference that claims or holds back an object
	held       map[string]bool
	delayed    []string
	queue      []string
}

func (h *smallHeap) rank(i int) Rank {
	r := &h.references[i]
	return RankOf(uint32(i), r.kind, r.pool)
}

// mark returns the name of the object or the root that has the reference which
// claims each object.
func mark(references []reference, core bool) map[string]string {
	h := &smallHeap{references: references, owner: make(map[string]int), held: make(map[string]bool)}
	for _, h.stage = range stagesOf(false, core) {
		switch roots := h.stage.Roots(); roots {
		case HeldObjects:
			h.release()
		case Borrowers:
			h.queue, h.delayed = append(h.queue, h.delayed...), nil
		default:
			for name, r := range rootNames {
				if r == roots {
					h.scan(name)
				}
			}
		}
		for len(h.queue) > 0 {
			o := h.queue[0]
			h.queue = h.queue[1:]
			h.scan(o)
		}
	}
	owners := make(map[string]string)
	for o, i := range h.owner {
		owners[o] = references[i].from
	}
	return owners
}

func (h *smallHeap) scan(from string) {
	for i := range h.references {
		if h.references[i].from == from {
			h.follow(i)
		}
	}
}

func (h *smallHeap) follow(i int) {
	r := &h.references[i]
	old, found := h.owner[r.to]
	switch {
	case found && !h.held[r.to]:
	case h.stage.HoldsBack(h.rank(i), !r.untyped, false):
		if !found || h.rank(i).Better(h.rank(old)) {
			h.owner[r.to], h.held[r.to] = i, true
		}
	case r.untyped && found && h.stage.Leaves(h.rank(old)):
	default:
		h.claim(i)
	}
}

func (h *smallHeap) claim(i int) {
	r := &h.references[i]
	_, isRoot := rootNames[r.from]
	inFrame := isRoot && r.from != "own" && r.from != "globals" && r.from != "runtime"
	h.owner[r.to], h.held[r.to] = i, false
	if h.stage.Delays() && Borrows(r.role, inFrame, r.isContext) {
		h.delayed = append(h.delayed, r.to)
	} else {
		h.queue = append(h.queue, r.to)
	}
}

// release claims the objects that the stage releases before it scans one.
func (h *smallHeap) release() {
	for o, held := range h.held {
		if i := h.owner[o]; held && h.stage.Releases(h.rank(i)) {
			h.claim(i)
		}
	}
}

// TestSmallHeaps checks which reference claims the object x, for heaps with
// several references to x.
func TestSmallHeaps(t *testing.T) {
	const closure = profilerecord.RefsClosure
	for _, test := range []struct {
		name       string
		references []reference
		want       string // owner of x
		core       string // owner of x in a core file, if it is another one
	}{
		{"variable and goroutine", []reference{{from: "stacks", to: "x"}, {from: "own", to: "x"}}, "own", ""},
		{"main goroutine and library", []reference{{from: "globals", to: "x"}, {from: "main", to: "x"}}, "main", ""},
		{"far from a variable", []reference{{from: "own", to: "a"}, {from: "a", to: "b"}, {from: "b", to: "x"}, {from: "stacks", to: "x"}}, "b", ""},
		{"unknown type", []reference{{from: "own", to: "x", untyped: true}, {from: "globals", to: "x"}}, "globals", ""},
		{"unknown type before old goroutines", []reference{{from: "own", to: "x", untyped: true}, {from: "oldest", to: "x"}}, "own", ""},
		{"two of unknown type", []reference{{from: "own", to: "x", untyped: true}, {from: "globals", to: "x", untyped: true}}, "own", ""},
		{"register before the runtime", []reference{{from: "stacks", to: "x", untyped: true, kind: profilerecord.RefsRegisters}, {from: "runtime", to: "x"}}, "stacks", ""},
		{"register after specials", []reference{{from: "oldest", to: "x", untyped: true, kind: profilerecord.RefsRegisters}, {from: "specials", to: "x"}}, "specials", ""},
		{"register and unknown type", []reference{{from: "oldest", to: "x", untyped: true, kind: profilerecord.RefsRegisters}, {from: "stacks", to: "x", untyped: true}}, "stacks", ""},
		{"callback", []reference{{from: "globals", to: "call", role: closure}, {from: "call", to: "x"}, {from: "oldest", to: "x"}}, "oldest", ""},
		{"callback and a young goroutine", []reference{{from: "globals", to: "call", role: closure}, {from: "call", to: "x"}, {from: "stacks", to: "x"}}, "call", ""},
		{"closure that runs", []reference{{from: "main", to: "call", role: closure}, {from: "call", to: "x"}, {from: "globals", to: "x"}}, "call", ""},
		{"context", []reference{{from: "main", to: "ctx", isContext: true}, {from: "ctx", to: "x"}, {from: "globals", to: "x"}}, "globals", ""},
		{"pool", []reference{{from: "own", to: "x", pool: true}, {from: "system", to: "x"}}, "system", ""},
		{"only a pool", []reference{{from: "own", to: "x", pool: true}}, "own", ""},
		{"pool and a stack that has changed", []reference{{from: "own", to: "x", pool: true}, {from: "again", to: "x"}}, "own", ""},
		{"stack and object that have changed", []reference{{from: "moved", to: "x"}, {from: "again", to: "x"}}, "moved", "nothing"},
		{"object that has changed", []reference{{from: "moved", to: "x"}}, "moved", "nothing"},
		{"stack that has changed", []reference{{from: "again", to: "x"}}, "again", "nothing"},
	} {
		for _, core := range []bool{false, true} {
			want := test.want
			if core && test.core != "" {
				want = test.core
			}
			got, ok := mark(test.references, core)["x"]
			if !ok {
				got = "nothing"
			}
			if got != want {
				t.Errorf("%s (core %t): %s claims x, want %s", test.name, core, got, want)
			}
		}
	}
}
