// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This program builds heaps of known shape, takes refs profiles of itself, and
// checks that they are exact. It builds the shapes in stages, and keeps all of
// them. It takes profiles first one after another, then in many goroutines at
// once, and then while mutators (mutate.go) allocate and move pointers.
// TestRefsCorpus of runtime/pprof runs it in one mode or, with -refsmodes, in
// many.
//
// The table beside each shape lists the paths that a profile must have for it.
// For each shape of the first stage that has roots, an oracle, which walks a
// dump of the heap (oracle.go), must agree with the table and with the profile
// about the objects and bytes that these roots hold together.

package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	repeat   = flag.Int("count", 1, "take `N` times as many profiles")
	only     = flag.String("run", "", "build only shapes whose name matches `regexp`")
	mutators = flag.Int("mutators", 2, "run `N` goroutines that allocate and move pointers")
	short    = flag.Bool("short", false, "take fewer profiles of the same kinds")
	full     = flag.Bool("full", false, "also build what takes much memory or time")
	seed     = flag.Uint64("seed", 1, "of the random shapes; 0 takes one from the clock")
	output   = flag.String("o", "", "write the first profile that is wrong, or else the last, to `file`")
	soak     = flag.Duration("soak", 0, "at last take profiles for `duration`, and watch the memory")
	verbose  = flag.Bool("v", false, "print what is built and recorded")
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// stages returns the shapes in the order in which they are built. All shapes of
// a stage are built at once, and remain.
func stages() [][]shape {
	if *inuse {
		movingShapes = nil // goroutines replace their objects all the time, also while nothing is sampled
	}
	return [][]shape{
		slices.Concat(sliceShapes, structShapes, interiorShapes, mapShapes, mapKindShapes, mapReferenceShapes,
			interfaceShapes, funcShapes, channelShapes, genericShapes, reflectedShapes, libraryShapes, randomShapes()),
		slices.Concat(runtimeShapes, stackShapes, goroutineShapes, variableShapes, inFrameShapes, promotedShapes, movingShapes),
		slices.Concat(runningShapes, largeShapes),
	}
}

// busy says whether other goroutines may be running.
var busy bool

// A result is a number of profiles, and the number of those that are wrong.
type result struct{ profiles, wrong int }

func (r *result) add(o result) { r.profiles += o.profiles; r.wrong += o.wrong }

// measure measures what the variables of each shape retain, and what the
// movables retain if mutators move them. See retained.go.
var measure = func(built []*shape, moving bool) (r result) { return r }

func main() {
	flag.Parse()
	named := regexp.MustCompile(*only)
	var all result
	var built []*shape
	for i, stage := range stages() {
		busy = i == 2
		stage = slices.DeleteFunc(stage, func(s shape) bool { return !named.MatchString(s.name) })
		for j := range stage {
			sampled(stage[j].build)
			built = append(built, &stage[j])
		}
		if i == 0 {
			consult(built)
			all.add(moments(built))
			if !*inuse {
				all.add(measure(built, false))
			}
		}
		all.add(examine(built))
	}
	all.add(together(built))
	if *mutators > 0 {
		startMutators(*mutators)
		all.add(examine(built))
		if !*inuse {
			all.add(measure(built, true))
		}
		all.add(together(built))
	}
	if *soak > 0 {
		all.add(soakFor(*soak, built))
	}
	if all.wrong > 0 {
		fmt.Printf("%d of %d profiles of %d shapes are wrong\n", all.wrong, all.profiles, len(built))
		os.Exit(1)
	}
	say("%d profiles of %d shapes are right", all.profiles, len(built))
}

// setting reports whether GODEBUG has a setting.
func setting(s string) bool { return strings.Contains(os.Getenv("GODEBUG"), s) }

func say(format string, args ...any) {
	if *verbose {
		fmt.Printf(format+"\n", args...)
	}
}

// consult asks the oracle how much each shape holds.
func consult(shapes []*shape) {
	h := dumpHeap()
	for _, s := range shapes {
		if s.roots == nil {
			continue
		}
		held := h.reach(s.roots)
		t := held.sum(nil)
		s.most, s.least = &t, &t
		if s.shares {
			own := held.sum(h.reachOthers(s.roots))
			s.least = &own
		}
		say("%s: %d objects, %d bytes", s.name, t.objects, t.bytes)
		if !s.agrees() {
			panic(fmt.Sprintf("%s: the oracle reached %d objects, %d bytes; the shape has others", s.name, t.objects, t.bytes))
		}
	}
}

// examine takes profiles one after the other.
func examine(built []*shape) (r result) {
	for range *repeat {
		r.add(examineOne(built))
	}
	return r
}

func examineOne(built []*shape) result {
	before, _ := collector()
	for _, s := range built {
		if s.before != nil {
			sampled(s.before)
		}
	}
	p, live, written := record()
	for _, s := range built {
		if s.after != nil {
			s.after()
		}
	}
	say("%d samples, %d bytes", len(p.samples), live)
	return p.judge(written, live, built, func(s *shape) bool { return !s.fleeting || p.cycle() == before+1 })
}

// judge compares a profile with the number of bytes that its cycle found alive,
// and with the shapes that are wanted. It prints the differences.
func (p *profile) judge(written []byte, live uint64, built []*shape, wanted func(*shape) bool) result {
	wrong := []error{p.exact(live), wantMovables(p)}
	sums := p.paths()
	for _, s := range built {
		if wanted(s) && !(raceEnabled && s.racy) && !(busy && s.alone) {
			wrong = append(wrong, s.compare(sums, p))
		}
	}
	r := result{profiles: 1}
	for _, err := range wrong {
		if err != nil {
			fmt.Println(err)
			r.wrong = 1
		}
	}
	keep(written, r.wrong > 0)
	return r
}

var kept struct {
	sync.Mutex
	wrong bool
}

// keep writes a profile to the output file, unless a wrong profile is already
// there.
func keep(written []byte, wrong bool) {
	kept.Lock()
	defer kept.Unlock()
	if *output != "" && !kept.wrong {
		check(os.WriteFile(*output, written, 0o666))
		kept.wrong = wrong
	}
}
