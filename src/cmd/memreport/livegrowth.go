// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The live heap grows below a path of references, or, of a server that does not
// record references, at a call stack.

package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// estimatedSamples is the least number of sampled objects of a growth that is
// estimated.
const estimatedSamples = 16

// manyObjects is a number of new objects at one reference from which on it is
// the reference that holds more and more, and not what is below.
const manyObjects = 16

func findLive(f *facts) (all []finding) {
	if !f.liveRises() {
		return nil
	}
	if f.Refs == nil || f.RefsOnce {
		return findLiveSites(f)
	}
	// If the whole live heap grows less, objects have only changed places.
	for _, g := range f.growths() {
		if f.cameAlive() < g.at().NewBytes/2 {
			continue
		}
		all = append(all, f.liveFinding(g))
	}
	return all
}

// liveRises reports whether the live heap has risen in each third of the watch.
// If it has risen in one alone, it is what a request holds for a while.
func (f *facts) liveRises() bool {
	if f.Compare || len(f.Moments) <= collected[3] {
		return f.Compare
	}
	total := f.liveRise(0, 3)
	for i := range 3 {
		if float64(f.liveRise(i, i+1)) < steadyPart*float64(total)/3 {
			return false
		}
	}
	return total > 0
}

// liveRise returns by how much the live heap has risen between two of the
// collected moments. The profile memory, alone in the second and the third one,
// counts what was allocated during the collection. At the end of the watch that
// counts if it counts before, and at its beginning if it counts later: a busy
// server allocates as much in each of them.
func (f *facts) liveRise(from, to int) int64 {
	a, b := f.Moments[collected[from]], f.Moments[collected[to]]
	n := b.Live - a.Live
	if from > 0 {
		n += b.During
	} else if !b.Recorded {
		n -= a.During
	}
	return n
}

// A trail is a path of elements, outermost first.
type trail []*element

func (t trail) at() *element { return t[len(t)-1] }

func (t trail) String() string {
	var names []string
	for _, e := range t {
		names = append(names, e.Name)
	}
	return strings.Join(names, pathSeparator)
}

// majority returns the trail down the elements that have at least half of what
// all have of a value, and ends with one for which end is true.
func (f *facts) majority(value func(*element) int64, end func(*element) bool) (t trail) {
	if f.Refs == nil {
		return nil
	}
	for at := f.Refs; !end(at); at = t.at() {
		var most *element
		for _, c := range at.Children {
			if !c.isExplanation() && (most == nil || value(c) > value(most)) {
				most = c
			}
		}
		if most == nil || value(most) < value(f.Refs)/2 {
			break
		}
		t = append(t, most)
	}
	return t
}

// mainStart is the function of the main goroutine, which begins no requests.
const mainStart = "runtime.main"

// growths returns the paths that grow by more than the threshold: of each, the
// first element of many objects through which the growth goes.
func (f *facts) growths() (all []trail) {
	for _, root := range f.Refs.Children {
		switch {
		case root.Name == stackRoot:
			// All goroutines together are no place.
			for _, c := range root.Children {
				all = append(all, f.goroutineGrowths(trail{root, c})...)
			}
		case root.isExplanation():
		default:
			all = append(all, f.descend(trail{root}, f.leastLive(root.Root == "global"))...)
		}
	}
	return all
}

// goroutineGrowths returns the paths below goroutines that grow. The state of a
// server, which is found below a request, grows like a variable.
func (f *facts) goroutineGrowths(t trail) []trail {
	all := f.descend(t, f.leastLive(t.stays()))
	if t.stays() {
		return all
	}
	for _, g := range f.descend(t, f.leastLive(true)) {
		if f.isState(g) && !slices.ContainsFunc(all, func(x trail) bool { return slices.Contains(x, g.at()) || slices.Contains(g, x.at()) }) {
			all = append(all, g)
		}
	}
	return all
}

// leastLive returns the bytes from which on a growth of the live heap matters.
// Objects below most goroutines come and go.
func (f *facts) leastLive(stays bool) int64 {
	share := unsteadyShare
	if stays {
		share = growthShare
	}
	return max(int64(share*float64(f.Refs.Bytes)), growthLeast)
}

// descend returns the paths at or below a trail that grow.
func (f *facts) descend(t trail, least int64) (all []trail) {
	e := t.at()
	if e.NewBytes < least || e.NewCount <= 0 && !f.isWhole(e) || e.isPool() {
		return nil
	}
	if e.NewCount > 0 && (e.isContainer() || e.own().NewCount >= manyObjects) {
		return []trail{t}
	}
	if e.growsInParts() {
		if part := e.mostIn(); part != nil {
			all = f.descend(append(t[:len(t):len(t)], part), least)
		}
		if len(all) == 0 {
			all = []trail{t}
		}
		return all
	}
	var sum int64
	for _, c := range e.Children {
		if e.NewCount <= 0 && c.NewCount > 0 {
			continue // they were below another child
		}
		for _, x := range f.descend(append(t[:len(t):len(t)], c), least) {
			all = append(all, x)
			sum += x.at().NewBytes
		}
	}
	// If more came below it than at it, objects have only changed places there:
	// they are found through another variable of a goroutine, for example.
	if n := float64(e.NewBytes); float64(sum) >= mostPart*n && float64(sum)*mostPart <= n {
		return all
	}
	if own := e.own(); e.NewCount <= 0 && (own.Objects >= manyObjects || float64(own.NewBytes) < mostPart*float64(e.NewBytes)) {
		return nil // many objects are a bit larger, as in a database
	}
	return []trail{t}
}

// isWhole reports whether the growth of e is most of that of the live heap,
// which is steady. Without new objects, that of a part may be a buffer that has
// once become larger.
func (f *facts) isWhole(e *element) bool {
	return float64(e.NewBytes) >= mostPart*float64(f.cameAlive())
}

// cameAlive returns the growth of the live heap, without what was allocated
// during the recordings: that is garbage, most of it.
func (f *facts) cameAlive() int64 {
	n := f.Refs.NewBytes
	for _, root := range f.Refs.Children {
		if root.Root == "allocated" {
			n -= root.NewBytes
		}
	}
	return n
}

// own returns the values of the objects that e itself refers to.
func (e *element) own() element {
	own := element{Objects: e.Objects, NewBytes: e.NewBytes, NewCount: e.NewCount}
	for _, c := range e.Children {
		own.Objects -= c.Objects
		if !c.isPool() {
			own.NewBytes -= c.NewBytes
			own.NewCount -= c.NewCount
		}
	}
	return own
}

// mostBelow returns the path below e along which the most came.
func mostBelow(e *element) (names []string) {
	for {
		var most *element
		for _, c := range e.Children {
			if !c.isPool() && (most == nil || c.NewBytes > most.NewBytes) {
				most = c
			}
		}
		if most == nil || most.NewBytes < e.NewBytes/2 {
			return names
		}
		names = append(names, most.Name)
		e = most
	}
}

func (f *facts) liveFinding(g trail) finding {
	f = f.during(f.RefsTime)
	e := g.at()
	path := g.String()
	x := finding{
		Kind:      "live-growth",
		Signature: path,
		Place:     path,
		Bytes:     e.NewBytes,
		Profile:   "refs",
		group:     growing,
		came:      e.NewCount,
	}
	if g[0].Name == stackRoot {
		x.starts = []string{startOf(g)}
	}
	x.Text = fmt.Sprintf("The live heap grows%s below %s.", f.rateText(e.NewBytes), f.holderName(g))
	x.Details = g.reason()
	if was := g.wasBelow(); was != nil {
		x.Details = append(x.Details, "at the first recording it was below "+shortRoot(was))
	}
	if g[0].Name == finalizerQueue {
		x.Details = f.stuckFinalizer()
	}
	came := "larger objects"
	if e.NewCount > 0 {
		came = plural(e.NewCount, "object")
	}
	x.Details = append(x.Details, fmt.Sprintf("%s and %s came %s; now %s in %s",
		formatSize(e.NewBytes), came, f.inWatch(), formatSize(e.Bytes), plural(e.Objects, "object")))
	x.Details = append(x.Details, f.residentOf(e.NewBytes)...)
	if e.growsInParts() {
		x.Details = append(x.Details, e.partsText()...)
	}
	code := ""
	if below := strings.Join(mostBelow(e), pathSeparator); below != "" {
		x.Details = append(x.Details, mostOfIt+below)
		code = f.mostNew(isBelow(path + pathSeparator + below))
	}
	code = cmp.Or(code, f.allocatedBy(path))
	x.Details = append(x.Details, f.allocators(path, code)...)
	x.Details = append(x.Details, f.recursionText(g)...)
	x.Details = append(x.Details, f.outsideText(e)...)
	focus := "-focus=^" + regexp.QuoteMeta(shortRoot(g)) + "$"
	x.More = fmt.Sprintf("go tool pprof -top -cum %s %s", quote(focus), f.diff("refs", 1, 2))
	return x
}

// shortRoot names the holder: a variable, or the function of goroutines.
func shortRoot(g trail) string {
	if g[0].Name == stackRoot {
		return g[1].Name
	}
	return g[0].Name
}

// startOf returns the function with which goroutines begin. Tracebacks do not
// show the wrapper of a go statement with arguments, which has it.
func startOf(g trail) string {
	name := g[1].Name
	switch {
	case !goWrapper.MatchString(name):
	case len(g) > 2:
		return g[2].Name
	default:
		if below := mostBelow(g[1]); len(below) > 0 {
			return below[0]
		}
	}
	return name
}

var goWrapper = regexp.MustCompile(`\.gowrap[0-9]*$`)

// rateText returns “ by 2.0 MB/s”, or nothing for two takes.
func (f *facts) rateText(n int64) string {
	if f.Compare {
		return ""
	}
	return fmt.Sprintf(" by %s/s", formatSize(int64(f.rate(n))))
}

// findLiveSites has the call stacks whose objects in use grow.
func findLiveSites(f *facts) (all []finding) {
	if f.SiteRate == 0 {
		return nil // of one recording alone
	}
	sums := make(map[string]*site)
	var whole int64
	for _, s := range f.Sites {
		x := sums[s.Code]
		if x == nil {
			x = &site{Code: s.Code}
			sums[s.Code] = x
		}
		x.Bytes += s.Bytes
		x.NewBytes += s.NewBytes
		whole += s.NewBytes
	}
	least := f.least(growthShare, max(growthLeast, estimatedSamples*f.SiteRate))
	for _, s := range sums {
		if s.NewBytes < least || whole < s.NewBytes/2 {
			continue
		}
		all = append(all, finding{
			Kind:      "live-growth",
			Signature: function(s.Code),
			Text:      fmt.Sprintf("The live heap grows%s at one place.", f.rateText(s.NewBytes)),
			Place:     s.Code,
			Bytes:     s.NewBytes,
			Details: []string{fmt.Sprintf("%s came %s (estimated), now %s; what holds it is not known without the profile refs",
				formatSize(s.NewBytes), f.inWatch(), formatSize(s.Bytes))},
			Profile: "heap",
			More:    "go tool pprof -top -cum -sample_index=inuse_space " + f.diff("heap", 1, 2),
			group:   growing,
		})
	}
	largest(all, func(x finding) int64 { return x.Bytes }, func(x finding) string { return x.Place })
	return all
}
