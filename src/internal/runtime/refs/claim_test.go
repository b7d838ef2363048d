// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/profilerecord"
	. "internal/runtime/refs"
	"testing"
)

// TestRankOf checks the reasons for which objects are held back.
func TestRankOf(t *testing.T) {
	for _, test := range []struct {
		n    uint32
		kind profilerecord.RefsKind
		pool bool
		want Rank
	}{
		{7, profilerecord.RefsBarrier, false, RankBarrier},
		{7, profilerecord.RefsAllocated, false, RankBarrier},
		{7, profilerecord.RefsField, true, RankPool},
		{7, profilerecord.RefsRegisters, false, RankRegisters},
		{7, profilerecord.RefsField, false, RankUntyped},
		{7 | Delayed, profilerecord.RefsField, false, RankUntyped},
		{7 | Lost, profilerecord.RefsField, false, RankLost},
		{7 | Lost, profilerecord.RefsField, true, RankLost},
		{7 | Lost, profilerecord.RefsBarrier, false, RankLost},
		{7 | Held | HeldNew, profilerecord.RefsAllocated, false, RankBarrier},
	} {
		if got := RankOf(test.n, test.kind, test.pool); got != test.want {
			t.Errorf("RankOf(%#x, %d, %t) is %d, want %d", test.n, test.kind, test.pool, got, test.want)
		}
	}
	for i, r := range ranks {
		for j, old := range ranks {
			if got := r.Better(old); got != (i > j) {
				t.Errorf("rank %d is better than %d: %t", r, old, got)
			}
		}
	}
}

// TestHoldsBack checks in which stages a reference claims an object, and in
// which it holds the object back.
func TestHoldsBack(t *testing.T) {
	all := stagesOf(false, false)
	for _, test := range []struct {
		name          string
		rank          Rank
		exact, noscan bool
		claims        []Stage // nil means all
	}{
		{"exact", RankUntyped, true, false, nil},
		{"not exact", RankUntyped, false, false, untypedStages},
		{"not exact, without pointers", RankUntyped, false, true, untypedStages},
		{"register", RankRegisters, false, false, untypedStages},
		{"pool", RankPool, true, false, []Stage{StagePools, StageMoved, StageAgain, StageBarrier}},
		{"pool, without pointers", RankPool, true, true, nil},
		{"pool, not exact", RankPool, false, false, []Stage{StagePools, StageMoved, StageAgain, StageBarrier}},
		{"lost, not exact", RankLost, false, false, []Stage{StageBarrier}},
		{"lost, not exact, without pointers", RankLost, false, true, untypedStages},
		{"lost, exact", RankLost, true, false, nil},
	} {
		for _, s := range all {
			want := test.claims != nil
			for _, c := range test.claims {
				want = want && c != s
			}
			if got := s.HoldsBack(test.rank, test.exact, test.noscan); got != want {
				t.Errorf("%s, stage %d: HoldsBack returns %t, want %t", test.name, s, got, want)
			}
		}
	}
}

// untypedStages are the stages in which references of unknown type claim.
var untypedStages = []Stage{StageGlobalsUntyped, StageStacksUntyped, StageSpecialsUntyped, StageRuntimeUntyped,
	StageSystem, StagePools, StageMoved, StageAgain, StageBarrier}

// TestLeaves checks which held objects a reference of unknown type claims.
func TestLeaves(t *testing.T) {
	for _, s := range untypedStages {
		for _, r := range ranks {
			want := r == RankUntyped || r == RankRegisters && s != StageGlobalsUntyped && s != StageStacksUntyped
			if got := s.Leaves(r); got != want {
				t.Errorf("stage %d, rank %d: Leaves returns %t, want %t", s, r, got, want)
			}
		}
	}
}

// TestWaits checks until when objects wait that are the runtime's, that only
// the write barrier has found, or to which borrowers refer.
func TestWaits(t *testing.T) {
	for _, s := range stagesOf(false, false) {
		if got := s.RuntimesWait(); got != (s < StageRuntime) {
			t.Errorf("stage %d: RuntimesWait returns %t", s, got)
		}
		if got := s.HoldsFound(); got != (s < StageBarrier) {
			t.Errorf("stage %d: HoldsFound returns %t", s, got)
		}
		if got := s.Delays(); got != (s < StageBorrowed) {
			t.Errorf("stage %d: Delays returns %t", s, got)
		}
	}
}

// TestBorrows checks what borrows.
func TestBorrows(t *testing.T) {
	for _, test := range []struct {
		name               string
		role               profilerecord.RefsRole
		inFrame, isContext bool
		want               bool
	}{
		{"closure in a variable", profilerecord.RefsClosure, false, false, true},
		{"closure of a goroutine", profilerecord.RefsClosure, true, false, false},
		{"context in a variable", profilerecord.RefsObject, false, true, true},
		{"context of a goroutine", profilerecord.RefsObject, true, true, true},
		{"map of contexts", profilerecord.RefsMap, false, true, false},
		{"object", profilerecord.RefsObject, false, false, false},
	} {
		if got := Borrows(test.role, test.inFrame, test.isContext); got != test.want {
			t.Errorf("%s: Borrows returns %t, want %t", test.name, got, test.want)
		}
	}
}

// TestFlags checks that no flag is another's, or part of a node's number.
func TestFlags(t *testing.T) {
	seen := uint32(1<<19 - 1)
	for _, f := range []uint32{Held, Lost, Unscanned, HeldNew, Delayed, Alone, Partly} {
		if seen&f != 0 {
			t.Errorf("the flag %#x is used twice", f)
		}
		seen |= f
	}
	if ObjectFlags != seen&^(1<<19-1)&^Lost {
		t.Errorf("ObjectFlags are %#x", uint32(ObjectFlags))
	}
}
