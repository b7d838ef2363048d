// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the profiles goroutine and goroutineleak.

package main

import (
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// waitStates says for what a goroutine waits by a function of its stack. Other
// states are how goroutines rest: idle workers receive from a channel.
var waitStates = []struct{ prefix, state string }{
	{"runtime.netpollblock", "io"},
	{"internal/poll.", "io"},
	{"runtime.chansend", "send"},
	{"internal/sync.(*Mutex).lockSlow", "lock"},
	{"sync.(*Mutex).", "lock"},
	{"sync.(*RWMutex).", "lock"},
}

func waitState(all []frame) string {
	for _, f := range all {
		if !isStd(f.function) {
			break
		}
		for _, w := range waitStates {
			if strings.HasPrefix(f.function, w.prefix) {
				return w.state
			}
		}
	}
	return ""
}

// inHandler reports whether an http.Handler waits, and not the server for a
// request: for a database, for example.
func inHandler(all []frame) bool {
	return slices.ContainsFunc(all, func(f frame) bool { return f.function == "net/http.serverHandler.ServeHTTP" })
}

// placeOf returns the place of a sample, without a count.
func placeOf(s *profile.Sample) place {
	all := frames(s)
	own, _ := ownFrame(all)
	state := waitState(all)
	if state == "io" && inHandler(all) {
		state = "io in handler"
	}
	return place{Code: own.String(), State: state, Start: outermost(s)}
}

// came returns how many goroutines came to the place in the watch.
func (p place) came() int64 {
	last := len(p.Counts) - 1
	return p.Counts[last] - p.Counts[min(1, max(last-1, 0))]
}

// cameGoroutines returns how many goroutines came in the watch.
func (f *facts) cameGoroutines() (n int64) {
	for _, p := range f.Places {
		n += p.came()
	}
	return n
}

// addPlaces adds a count at each moment for each place.
func (f *facts) addPlaces(t *take, moments []int) {
	type key struct{ code, state, start string }
	keyOf := func(p place) key { return key{f.key(p.Code), p.State, f.key(p.Start)} }
	found := make(map[key]int)
	had := 0 // moments that the places have already
	for i, p := range f.Places {
		found[keyOf(p)] = i
		had = len(p.Counts)
	}
	for n, i := range moments {
		p := t.profile(numbered("goroutine", i))
		if p == nil {
			continue
		}
		value := sampleValue(p, "goroutine")
		for _, s := range p.Sample {
			if value(s) == 0 {
				continue
			}
			x := placeOf(s)
			j, ok := found[keyOf(x)]
			if !ok {
				j = len(f.Places)
				found[keyOf(x)] = j
				x.Counts = make([]int64, had)
				f.Places = append(f.Places, x)
			}
			counts := &f.Places[j].Counts
			for len(*counts) <= had+n {
				*counts = append(*counts, 0)
			}
			if (*counts)[had+n] == 0 {
				f.Places[j].Code, f.Places[j].Start = x.Code, x.Start // of the newer build
			}
			(*counts)[had+n] += value(s)
		}
	}
	for j := range f.Places {
		for len(f.Places[j].Counts) < had+len(moments) {
			f.Places[j].Counts = append(f.Places[j].Counts, 0)
		}
	}
	largest(f.Places, func(p place) int64 { return p.Counts[len(p.Counts)-1] }, func(p place) string { return p.Code + p.State + p.Start })
}

// addLeaked adds the goroutines that nothing can wake up.
func (f *facts) addLeaked(p *profile.Profile) {
	if p == nil {
		return
	}
	value := sampleValue(p, "goroutineleak")
	found := make(map[string]int)
	for _, s := range p.Sample {
		x := placeOf(s)
		i, ok := found[x.Code]
		if !ok {
			i = len(f.Leaked)
			found[x.Code] = i
			x.Counts = []int64{0}
			f.Leaked = append(f.Leaked, x)
		}
		f.Leaked[i].Counts[0] += value(s)
	}
	largest(f.Leaked, func(p place) int64 { return p.Counts[0] }, func(p place) string { return p.Code })
}

// addStacks adds what fills the stacks: the function whose own frames take the
// most bytes, the line in it that has the most of them, and in how many
// goroutines the function is.
func (f *facts) addStacks(p *profile.Profile) {
	if p == nil {
		return
	}
	bytes, goroutines := sampleValue(p, "stack_space"), sampleValue(p, "goroutine")
	functions := make(map[string]int64)
	lines := make(map[frame]int64)
	u := &f.Stacks
	for _, s := range p.Sample {
		u.Goroutines += goroutines(s)
		n := bytes(s)
		if n == 0 || len(s.Location) == 0 || len(s.Location[0].Line) == 0 {
			continue
		}
		u.Total += n
		// The bytes of inlined functions count for the one that contains them.
		line := s.Location[0].Line[len(s.Location[0].Line)-1]
		if line.Function == nil {
			continue
		}
		leaf := frame{line.Function.Name, line.Function.Filename, line.Line}
		switch {
		case leaf.function == "runtime._FreeStack":
			u.Free += n
		case !strings.HasPrefix(leaf.function, "runtime._"):
			functions[leaf.function] += n
			lines[leaf] += n
		}
	}
	name := maximum(functions, func(a, b string) bool { return a < b })
	u.Bytes = functions[name]
	u.Instances = containing(p, name, goroutines)
	for l := range lines {
		if l.function != name {
			delete(lines, l)
		}
	}
	u.Filler = maximum(lines, func(a, b frame) bool { return a.line < b.line }).String()
}

// maximum returns the key with the largest value, and of equal ones the least.
func maximum[K comparable](m map[K]int64, less func(a, b K) bool) (best K) {
	first := true
	for k, n := range m {
		if first || n > m[best] || n == m[best] && less(k, best) {
			best, first = k, false
		}
	}
	return best
}

// containing returns how many goroutines have a function in their stacks.
func containing(p *profile.Profile, function string, goroutines func(*profile.Sample) int64) (n int64) {
	for _, s := range p.Sample {
		for _, f := range frames(s) {
			if f.function == function {
				n += goroutines(s)
				break
			}
		}
	}
	return n
}
