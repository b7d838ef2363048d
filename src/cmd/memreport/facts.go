// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Facts are the figures of a take, with their sources. Findings are made from
// facts alone. What a take does not have is nil or zero, and its reason is in
// missing.

package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// A class is a kind of memory. All but mapped are parts of the resident size.
type class string

const (
	resident   class = "resident"
	objects    class = "objects"    // live and new, if they cannot be told apart
	live       class = "live"       // found alive by the last collection
	recent     class = "new"        // allocated since; garbage, most of it
	fragmented class = "fragmented" // free, between objects
	free       class = "free"
	returned   class = "returned" // by the heap, and still resident
	stacks     class = "stacks"
	structures class = "runtime"
	foreign    class = "other" // executable, mapped files, C
	mappings   class = "mapped"
)

// classes are in the order of the table.
var classes = []class{resident, objects, live, recent, fragmented, free, returned, stacks, structures, foreign, mappings}

// facts has what findings are made from.
type facts struct {
	Program string
	Time    time.Time
	Watch   time.Duration
	// Compare is set if the facts are of two takes, and not of one watch.
	Compare bool
	Limit   int64 // 0: not known
	Missing []string

	Moments []moment // before the watch, some of the watch, after the last recording

	Refs     *element      // live heap by path
	RefsOnce bool          // at one end of the watch alone: its changes are not known
	RefsTime time.Duration // in which Refs has changed
	Sites    []site        // live heap by path and call stack, estimated
	SiteRate int64         // bytes for each sample of Sites
	Mapped   []mapping
	Places   []place // goroutines by where they wait
	Leaked   []place // that nothing can wake up
	Stacks   stackUse
	Grown    []site // stack growth since the start
	C        []site // blocks of C's malloc
	Peak     peak
	NextGC   int64    // size of the heap at which the next collection begins, or 0
	Graph    *element // live heap by path, of a heap graph, or nil
	// Dependencies are packages of other modules than the program's.
	Dependencies map[string]bool
	// Collecting is the share of the processors' time that collections have
	// taken from the start to the end of the last one, Collections is their
	// number, and Forced that of those for which the program has asked.
	Collecting          float64
	Collections, Forced int64

	take, base *take // for commands
}

// A moment has the sizes of all classes.
type moment struct {
	At       time.Duration
	Cycle    int64 // of the last collection, if known
	Live     int64 // bytes of the live heap, with those that have no pages
	During   int64 // allocated during the recording before it, and not in Live
	Huge     int64 // bytes that the heap has returned, and that huge pages keep
	Recorded bool  // whether Live is of a recording, without During
	Race     bool  // whether the program has the race detector
	Classes  map[class]int64
}

// An element is the last element of a path of references.
type element struct {
	Name               string
	Root               string // kind of root
	Bytes, Objects     int64  // at the end, with what is below
	NewBytes, NewCount int64  // the changes
	Unused             int64  // capacity that holds nothing, at the end
	Scan               int64  // bytes that a collection scans, at the end
	Before             trail  // where it was at the first recording, if elsewhere
	Children           []*element
}

// A site is a call stack that allocated memory, or grew stacks.
type site struct {
	Path     string // retained_by, if known
	Code     string // function and line
	Bytes    int64
	NewBytes int64
}

// A mapping is code that maps memory, and a value for each moment.
type mapping struct {
	Code, Call       string
	Mapped, Unmapped []int64
}

// A place is code at which goroutines wait.
type place struct {
	Code   string
	State  string  // send, lock, io, io in handler or ""
	Start  string  // function of the goroutine
	Counts []int64 // at each moment
}

// stackUse says what fills the goroutine stacks.
type stackUse struct {
	Total, Free int64
	Goroutines  int64
	// Filler is the function whose frames take the most.
	Filler           string
	Bytes, Instances int64
}

// peak is memory in use when it was largest.
type peak struct {
	Bytes int64
	Time  time.Time
	Code  string // what had allocated the most
	Share int64
	Began time.Time // when the server answered first, by its clock, or zero
	Still int64     // the most that this code has allocated of memory in the watch
}

// firstWatched and lastWatched are the moments at the ends of the watch, both
// soon after a recording.
func (f *facts) firstWatched() moment {
	if len(f.Moments) > 2 {
		return f.Moments[1]
	}
	return f.Moments[0]
}

// once reports whether the facts are of one moment: no change is known.
func (f *facts) once() bool { return len(f.Moments) == 1 }

func (f *facts) lastWatched() moment { return f.Moments[len(f.Moments)-1] }

// now is the last moment before the last recording: its collection takes the
// garbage away.
func (f *facts) now() moment {
	if len(f.Moments) > 2 {
		return f.Moments[len(f.Moments)-2]
	}
	return f.lastWatched()
}

// size returns a class now, and change how much it grew in the watch.
func (f *facts) size(c class) int64 { return f.now().Classes[c] }

func (f *facts) change(c class) (int64, bool) {
	a, ok := f.firstWatched().Classes[c]
	b, too := f.lastWatched().Classes[c]
	return b - a, ok && too
}

// growth returns how much the resident size grew in the watch, but for what
// collections take away and the runtime returns: most of what the first recording
// made free is gone at the last one, and would hide a leak.
func (f *facts) growth() (int64, bool) {
	n, ok := f.change(resident)
	for _, c := range []class{recent, fragmented, free, returned} {
		gone, _ := f.change(c)
		n -= gone
	}
	return n, ok && !f.once()
}

// whole is the size of which shares are taken: the resident size or, if that is
// not known, what Go has taken.
func (f *facts) whole() int64 {
	m := f.now()
	if m.Classes[resident] > 0 {
		return m.Classes[resident]
	}
	return m.inUse() + m.Classes[free] + m.Classes[returned]
}

// goroutines is their number at the last moment.
func (f *facts) goroutines() int64 { return f.Stacks.Goroutines }

func (f *facts) leaked() (n int64) {
	for _, p := range f.Leaked {
		n += p.Counts[len(p.Counts)-1]
	}
	return n
}

// during returns the same facts with another time for rates.
func (f *facts) during(d time.Duration) *facts {
	other := *f
	other.Watch = d
	return &other
}

// rate returns bytes a second.
func (f *facts) rate(n int64) float64 { return float64(n) / max(f.Watch.Seconds(), 1e-3) }

// newFacts returns the facts of a take.
func newFacts(t *take) *facts {
	f := &facts{Program: t.program(), Time: t.Time, Limit: t.Limit, take: t}
	n := len(t.Moments)
	if n > 1 {
		f.Watch = time.Duration(t.Seconds * float64(time.Second))
	}
	for i, at := range t.Moments {
		f.addMoment(t, i, time.Duration(at*float64(time.Second)))
	}
	if n > 2 {
		f.addLive(t)
	}
	if before, after := t.profile("refs.1.pb.gz"), t.profile("refs.2.pb.gz"); after != nil {
		f.addRefs(before, after)
		f.RefsOnce = before == nil && n > 2
	} else {
		f.addRefs(nil, before)
		f.RefsOnce = true
	}
	f.addSites(t, t)
	f.addPlaces(t, seq(n))
	f.addMapped(t.numbered("growth", seq(n))...)
	if n > 2 {
		f.addC(t.profile(numbered("cmemory", 1)), t.profile(numbered("cmemory", n-1)))
	}
	f.fillGaps(t)
	f.addLast(t)
	return f
}

// compared returns the facts of two takes, the older one first.
func compared(base, t *take) *facts {
	f := &facts{Program: t.program(), Time: t.Time, Limit: t.Limit, Compare: true, take: t, base: base}
	f.Watch = t.Time.Sub(base.Time)
	f.addMoment(base, len(base.Moments)-1, 0)
	f.addMoment(t, len(t.Moments)-1, f.Watch)
	f.addRefs(base.profile(base.last("refs")), t.profile(t.last("refs")))
	f.addSites(base, t)
	f.addPlaces(base, []int{len(base.Moments) - 1})
	f.addPlaces(t, []int{len(t.Moments) - 1})
	f.addMapped(base.profile(base.last("growth")), t.profile(t.last("growth")))
	f.addC(base.profile(base.last("cmemory")), t.profile(t.last("cmemory")))
	f.addLast(t)
	f.addMissing("base: ", base.lacks(t))
	return f
}

// numbered returns the profiles of some moments.
func (t *take) numbered(name string, moments []int) (all []*profile.Profile) {
	for _, i := range moments {
		all = append(all, t.profile(numbered(name, i)))
	}
	return all
}

func seq(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// addLast adds what a take has once.
func (f *facts) addLast(t *take) {
	f.Dependencies = t.dependencies()
	f.addLeaked(t.profile("goroutineleak.pb.gz"))
	last := len(t.Moments) - 1
	f.addStacks(t.profile(numbered("goroutine", last)))
	f.addGrown(t.profile(numbered("growth", last)))
	if p := t.profile("peak.pb.gz"); p != nil {
		f.Peak = readPeak(p)
		f.Peak.Still, f.Peak.Began = t.allocated(f.Peak.Code), t.began()
	}
	f.addHeap(t.files["heap.txt"])
	f.addGraph(t)
	f.addMissing("", t.Missing)
	if _, ok := f.now().Classes[resident]; ok && !f.hasForeign() {
		f.Missing = append(f.Missing, "resident size: the system does not tell, and so it is the size of Go's memory alone")
	}
}

func (f *facts) hasForeign() bool {
	_, ok := f.now().Classes[foreign]
	return ok
}

// addMissing adds one line for each reason why something was not seen.
func (f *facts) addMissing(prefix string, missing map[string]string) {
	names := make(map[string][]string)
	for name, why := range missing {
		names[why] = append(names[why], name)
	}
	for why, all := range names {
		slices.Sort(all)
		f.Missing = append(f.Missing, prefix+strings.Join(all, ", ")+": "+why)
	}
	slices.Sort(f.Missing)
}

// largest sorts by a value, the largest first, then by a name, and so gives
// reports an order that does not depend on maps.
func largest[T any](all []T, value func(T) int64, name func(T) string) {
	slices.SortFunc(all, func(a, b T) int {
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(name(a), name(b)))
	})
}

// sampleValue returns a function that returns the value of a sample type, which
// is 0 if the profile does not have the type.
func sampleValue(p *profile.Profile, name string) func(*profile.Sample) int64 {
	i := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
	return func(s *profile.Sample) int64 {
		if i < 0 {
			return 0
		}
		return s.Value[i]
	}
}

// label returns the value of a label, or "".
func label(s *profile.Sample, key string) string {
	if v := s.Label[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}
