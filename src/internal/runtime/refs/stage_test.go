// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	. "internal/runtime/refs"
	"slices"
	"testing"
)

var ranks = []Rank{RankBarrier, RankLost, RankPool, RankRegisters, RankUntyped}

// stagesOf returns the stages of a recording, or of a core file.
func stagesOf(sites, core bool) (all []Stage) {
	for s := First(sites); s <= Last(sites); s = s.Next(false) {
		if s.InCore() || !core {
			all = append(all, s)
		}
	}
	return all
}

// TestOrder checks which roots come before which others.
func TestOrder(t *testing.T) {
	var roots []Roots
	for _, s := range stagesOf(true, false) {
		if s.Roots() != HeldObjects {
			roots = append(roots, s.Roots())
		}
	}
	want := []Roots{SampledSpans, OwnGlobals, MainOwnFrames, MainStack, OtherGlobals, ModuleData, OldestStacks, Borrowers,
		ProgramStacks, Specials, RuntimeGlobals, AllStacks, ChangedObjects, ChangedStacks, SampledObjects}
	if !slices.Equal(roots, want) {
		t.Errorf("roots are %v, want %v", roots, want)
	}
	if got := stagesOf(false, false); got[0].Roots() != OwnGlobals || got[len(got)-1] != StageBarrier {
		t.Errorf("without allocation sites, the stages are %v", got)
	}
	for _, s := range stagesOf(false, true) {
		if s.Roots() == ChangedStacks || s.Roots() == ChangedObjects {
			t.Error("stacks or objects change in a core file")
		}
	}
	for s := First(true); s < Last(true); s++ {
		again := s + 1
		if s == StageOldest || s == StageMoved {
			again = s
		}
		if s.Next(true) != again || s.Next(false) != s+1 {
			t.Errorf("stage %d is followed by %d, and if it is repeated by %d", s, s.Next(false), s.Next(true))
		}
	}
}

// TestReleases checks which objects the stages release.
func TestReleases(t *testing.T) {
	want := map[Stage]Rank{
		StageGlobalsUntyped: RankUntyped, StageStacksUntyped: RankUntyped,
		StageSpecialsUntyped: RankRegisters, StageRuntimeUntyped: RankRegisters,
		StagePools: RankPool, StageBarrier: RankBarrier,
	}
	for _, s := range stagesOf(true, false) {
		lowest, ok := want[s]
		if ok != (s.Roots() == HeldObjects) {
			t.Errorf("stage %d: it follows %d", s, s.Roots())
			continue
		}
		for _, r := range ranks {
			if ok && s.Releases(r) != (r >= lowest) {
				t.Errorf("stage %d, rank %d: Releases returns %t", s, r, s.Releases(r))
			}
		}
		if ok && s.ReleasesFrom() != lowest {
			t.Errorf("stage %d releases rank %d, want %d", s, s.ReleasesFrom(), lowest)
		}
	}
}

// TestAllReleased checks that a stage holds nothing back that no later stage
// releases.
func TestAllReleased(t *testing.T) {
	for _, core := range []bool{false, true} {
		all := stagesOf(true, core)
		for i, s := range all {
			for _, r := range ranks {
				later := slices.ContainsFunc(all[i+1:], func(s Stage) bool { return s.Roots() == HeldObjects && s.Releases(r) })
				if later {
					continue
				}
				for _, exact := range []bool{false, true} {
					for _, noscan := range []bool{false, true} {
						if s.HoldsBack(r, exact, noscan) && s != StageSamples {
							t.Errorf("core %t: stage %d holds back an object of rank %d for ever (exact %t, noscan %t)", core, s, r, exact, noscan)
						}
					}
				}
				if r == RankBarrier && s.HoldsFound() {
					t.Errorf("core %t: stage %d holds back for ever what the write barrier finds", core, s)
				}
			}
		}
	}
}

// TestMovedMatters checks when objects are followed again.
func TestMovedMatters(t *testing.T) {
	for _, test := range []struct {
		bytes, live uint64
		want        bool
	}{{0, 0, false}, {0, 1 << 20, false}, {1 << 12, 1 << 20, false}, {1<<12 + 1, 1 << 20, true}} {
		if got := MovedMatters(test.bytes, test.live); got != test.want {
			t.Errorf("MovedMatters(%d, %d) is %t", test.bytes, test.live, got)
		}
	}
}

// TestNodeParts checks that each stage leaves the nodes that later ones need.
func TestNodeParts(t *testing.T) {
	last := uint32(1)
	for _, s := range stagesOf(true, false) {
		n := s.NodeParts()
		if n < last || n > NodeParts {
			t.Errorf("stage %d may use %d parts of the nodes, and the stage before it %d", s, n, last)
		}
		last = n
	}
	if last != NodeParts {
		t.Errorf("%d of %d parts of the nodes are used", last, NodeParts)
	}
}

// TestGlobals checks in which order global variables are followed.
func TestGlobals(t *testing.T) {
	for _, test := range []struct {
		runtime, own bool
		want         Roots
	}{{false, true, OwnGlobals}, {false, false, OtherGlobals}, {true, false, RuntimeGlobals}, {true, true, RuntimeGlobals}} {
		if got := GlobalsOf(test.runtime, test.own); got != test.want {
			t.Errorf("GlobalsOf(%t, %t) is %d, want %d", test.runtime, test.own, got, test.want)
		}
	}
}
