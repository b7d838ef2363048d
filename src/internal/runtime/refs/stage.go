// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs

// A Stage is a stage of a recording. Everything that a stage reaches is marked
// before the next stage begins, so the order of stages decides which of two
// references to an object claims it: an object that both a global variable and
// a goroutine hold belongs to the variable.
type Stage uint8

// The stages in their order. The table of stages says what each follows.
const (
	StageSamples Stage = iota
	StageOwn
	StageMainOwn
	StageMain
	StageGlobals
	StageModules
	StageGlobalsUntyped
	StageOldest
	StageBorrowed
	StageStacks
	StageStacksUntyped
	StageSpecials
	StageSpecialsUntyped
	StageRuntime
	StageRuntimeUntyped
	StageSystem
	StagePools
	StageMoved
	StageAgain
	StageBarrier
	StageSites
	numStages
)

// stages is the table of stages. References of unknown type come after those of
// the same roots that give a type.
//
// The room for nodes is divided into NodeParts equal parts. The field parts
// says how many may be in use when the stage ends, so that early stages leave
// nodes for the roots of later ones.
var stages = [numStages]struct {
	roots    Roots
	untyped  bool // references of unknown type claim at once; all must when no later stage releases what they would hold back
	releases Rank // for HeldObjects: the lowest rank of objects that the stage releases
	process  bool // the stage has no roots in a core file, as the comment says
	parts    uint8
}{
	StageSamples:         {roots: SampledSpans, process: true, parts: 6}, // marks nothing; a core file joins no allocation sites
	StageOwn:             {roots: OwnGlobals, parts: 6},
	StageMainOwn:         {roots: MainOwnFrames, parts: 7},
	StageMain:            {roots: MainStack, parts: 7},
	StageGlobals:         {roots: OtherGlobals, parts: 8},
	StageModules:         {roots: ModuleData, parts: 9},
	StageGlobalsUntyped:  {roots: HeldObjects, untyped: true, releases: RankUntyped, parts: 10},
	StageOldest:          {roots: OldestStacks, parts: 11}, // they often own what others use, and are likely to exist in the next recording, too
	StageBorrowed:        {roots: Borrowers, parts: 12},
	StageStacks:          {roots: ProgramStacks, parts: 13},
	StageStacksUntyped:   {roots: HeldObjects, untyped: true, releases: RankUntyped, parts: 14},
	StageSpecials:        {roots: Specials, parts: 15},
	StageSpecialsUntyped: {roots: HeldObjects, untyped: true, releases: RankRegisters, parts: 15},
	StageRuntime:         {roots: RuntimeGlobals, parts: NodeParts}, // late, because they lead to nearly all objects
	StageRuntimeUntyped:  {roots: HeldObjects, untyped: true, releases: RankRegisters, parts: NodeParts},
	StageSystem:          {roots: AllStacks, untyped: true, parts: NodeParts},
	StagePools:           {roots: HeldObjects, untyped: true, releases: RankPool, parts: NodeParts}, // an item of a pool belongs to whatever else holds it
	StageMoved:           {roots: ChangedObjects, untyped: true, process: true, parts: NodeParts},   // what has moved from one object to another, for example in a list; only if much would be left to StageBarrier
	StageAgain:           {roots: ChangedStacks, untyped: true, process: true, parts: NodeParts},    // what a goroutine has taken from a queue since its stack was followed; in a core file, nothing runs
	StageBarrier:         {roots: HeldObjects, untyped: true, releases: RankBarrier, parts: NodeParts},
	StageSites:           {roots: SampledObjects, untyped: true, process: true, parts: NodeParts}, // marks nothing; a core file joins no allocation sites
}

// Roots says what a stage follows. All stacks are of goroutines that exist when
// marking begins, and none that an earlier stage has followed is followed again
// (ChangedStacks are an exception).
type Roots uint8

const (
	SampledSpans   Roots = iota // spans of sampled objects, which get what SampledObjects needs
	OwnGlobals                  // global variables of the program's own packages
	MainOwnFrames               // frames of functions of these packages in the main goroutine's stack
	MainStack                   // the main goroutine's stack
	OtherGlobals                // global variables of other packages
	ModuleData                  // data of modules without a table of variables
	HeldObjects                 // objects that are held back
	OldestStacks                // stacks of the MostOldest oldest goroutines of the program, one after the other
	Borrowers                   // objects that Borrows is about
	ProgramStacks               // stacks of the program's goroutines
	Specials                    // timers, finalizers, cleanups and weak handles
	RuntimeGlobals              // the runtime's global variables
	AllStacks                   // stacks, also those of the runtime's own goroutines, which hold Ms and Ps
	ChangedObjects              // global variables and objects that have been followed
	ChangedStacks               // stacks of goroutines of the program that are new or have run since their stacks were followed
	SampledObjects              // sampled objects, whose allocation sites are joined with their nodes
)

// MostOldest is the largest number of goroutines that count as the oldest. The
// main goroutine is one of them if it exists.
const MostOldest = 16

// Roots returns what s follows.
func (s Stage) Roots() Roots { return stages[s].roots }

// NodeParts returns the largest number of parts of the nodes that may be in use
// when s ends.
func (s Stage) NodeParts() uint32 { return uint32(stages[s].parts) }

// Next returns the stage after s. Two stages are repeated while again is set:
// OldestStacks are followed one after the other, and StageMoved first counts
// what MovedMatters asks for.
func (s Stage) Next(again bool) Stage {
	if again && (s == StageOldest || s == StageMoved) {
		return s
	}
	return s + 1
}

// First returns the first stage of a recording, which prepares for allocation
// sites if they are wanted.
func First(sites bool) Stage {
	if sites {
		return StageSamples
	}
	return StageOwn
}

// Last returns the last stage of a recording.
func Last(sites bool) Stage {
	if sites {
		return StageSites
	}
	return StageBarrier
}

// InCore reports whether s has roots in a core file.
func (s Stage) InCore() bool { return !stages[s].process }

// MovedMatters reports whether StageMoved has roots, because what StageBarrier
// would release has the given number of bytes, and the heap has live bytes. To
// follow all objects again takes 8 to 53% of a recording's instructions.
func MovedMatters(bytes, live uint64) bool { return bytes > live/256 }

// GlobalsOf returns the Roots to which a global variable of a module with a
// table of variables belongs. own is set if its package is the program's own.
func GlobalsOf(runtime, own bool) Roots {
	switch {
	case runtime:
		return RuntimeGlobals
	case own:
		return OwnGlobals
	}
	return OtherGlobals
}

// untyped reports whether references of unknown type claim at once in s.
func (s Stage) untyped() bool { return stages[s].untyped }

// Releases reports whether s, which follows HeldObjects, releases objects of
// rank r.
func (s Stage) Releases(r Rank) bool { return r >= stages[s].releases }

// ReleasesFrom returns the lowest rank of the objects that s releases.
func (s Stage) ReleasesFrom() Rank { return stages[s].releases }
