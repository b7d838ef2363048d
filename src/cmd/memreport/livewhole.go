// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The live heap grows, and findings about paths explain less than half of it.
// Many places may keep a bit more each, or the server has ended before the second
// recording. Without this, the report of a server that runs out of memory would
// say that nothing grows. For example, thirty caches grow by 0.9% each.

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	// evenPart is the part of an equal share of the growth that the time
	// between two collected moments must have. What a server does at its start
	// has less at the end.
	evenPart = 0.5
	// explainedPart is the part of the growth that findings about paths have.
	explainedPart = 0.5
	// namedMost is the number of paths that are named.
	namedMost = 3
)

func findLiveWhole(f *facts) []finding {
	n, d := f.evenRise()
	if n < max(int64(unsteadyShare*float64(f.lastWatched().Live)), growthLeast) {
		return nil
	}
	var explained int64
	for _, x := range findLive(f) {
		explained += x.Bytes
	}
	if float64(explained) >= explainedPart*float64(n) {
		return nil
	}
	if t := f.grownMost(n); t != nil {
		return []finding{f.wholeBelow(t)}
	}
	c, why := live, "no single path has most of it"
	if _, ok := f.lastWatched().Classes[live]; !ok {
		c = objects
	}
	if !f.pathsGrow() {
		why = "which path holds it is not known"
	}
	x := f.classFinding(c, n, fmt.Sprintf("The live heap grows by %s/s, and %s.", formatSize(int64(float64(n)/d.Seconds())), why))
	x.Place, x.Signature = "live heap", string(live)
	x.Details = append([]string{fmt.Sprintf("%s came in %s, now %s", formatSize(n), formatTime(d), formatSize(f.lastWatched().Live))}, f.mostGrown(n)...)
	return []finding{x}
}

// wholeBelow returns a finding about a path that has most of the growth, such as
// buffers that become larger, each a bit. That is no finding of findLive, because
// a database's objects do so, too; but the live heap does not rise evenly by it.
func (f *facts) wholeBelow(t trail) finding {
	x := f.liveFinding(t)
	x.Kind, x.Signature, x.starts = "class-growth", string(live), nil
	return x
}

// grownMost returns the path that has most of a growth of n bytes, down to the
// first container, or nil. All goroutines together are no path.
func (f *facts) grownMost(n int64) (t trail) {
	if !f.pathsGrow() {
		return nil
	}
	for at := f.Refs; !at.isContainer(); at = t.at() {
		i := slices.IndexFunc(at.Children, func(c *element) bool {
			return !c.isExplanation() && !c.isPool() && float64(c.NewBytes) > explainedPart*float64(n)
		})
		if i < 0 {
			break
		}
		t = append(t, at.Children[i])
	}
	if len(t) == 1 && t[0].Name == stackRoot {
		return nil
	}
	return t
}

// evenRise returns by how much the live heap rises, and in what time, or 0 if it
// does not rise as much in each part of the watch.
func (f *facts) evenRise() (n int64, d time.Duration) {
	last := len(collected) - 1
	for last > 0 && collected[last] >= len(f.Moments) {
		last-- // the server has ended
	}
	if f.Compare || last < 2 {
		return 0, 0
	}
	n = f.liveRise(0, last)
	if f.pathsGrow() {
		n = min(n, f.cameBelowPaths())
	}
	for i := range last {
		if float64(f.liveRise(i, i+1)) < evenPart*float64(n)/float64(last) {
			return 0, 0
		}
	}
	if n <= 0 || f.liveFalls(n/(spaced-1)) {
		return 0, 0
	}
	return n, f.Moments[collected[last]].At - f.Moments[collected[0]].At
}

// liveFalls reports whether the live heap falls by more than so many bytes from
// one moment to the next. It goes up and down, then. What an unchanged toolchain
// counts has garbage in it.
func (f *facts) liveFalls(bytes int64) bool {
	for i := 1; i+1 < len(f.Moments); i++ {
		a, b := f.Moments[i], f.Moments[i+1]
		if _, ok := b.Classes[live]; ok && a.Live-b.Live-b.During > bytes {
			return true
		}
	}
	return false
}

// pathsGrow reports whether the changes of paths are known.
func (f *facts) pathsGrow() bool {
	return f.Refs != nil && !f.RefsOnce && len(f.Moments) > collected[3]
}

// cameBelowPaths returns the growth below roots that are no explanations.
func (f *facts) cameBelowPaths() (n int64) {
	for _, root := range f.Refs.Children {
		if !root.isExplanation() {
			n += root.NewBytes
		}
	}
	return n
}

// mostGrown says below which roots the most came of n bytes, and what went
// elsewhere if more came there.
func (f *facts) mostGrown(n int64) []string {
	if !f.pathsGrow() {
		return nil
	}
	all := f.holders()
	largest(all, func(t trail) int64 { return t.at().NewBytes }, trail.String)
	var texts []string
	var sum int64
	for _, t := range all[:min(len(all), namedMost)] {
		if t.at().NewBytes > 0 {
			texts = append(texts, fmt.Sprintf("%s below %s", formatSize(t.at().NewBytes), f.holderName(t.most())))
			sum += t.at().NewBytes
		}
	}
	if len(texts) == 0 {
		return nil
	}
	text := strings.Join(texts, ", ")
	if sum <= n {
		text = "of it: " + text
	}
	if went := sum - f.cameBelowPaths(); went > 0 {
		text += fmt.Sprintf("; %s went elsewhere", formatSize(went))
	}
	return []string{text}
}

// holders returns the trails to variables, and to the functions of goroutines.
func (f *facts) holders() (all []trail) {
	for _, root := range f.Refs.Children {
		if root.Name == stackRoot {
			for _, c := range root.Children {
				all = append(all, trail{root, c})
			}
		} else if !root.isExplanation() {
			all = append(all, trail{root})
		}
	}
	return all
}
