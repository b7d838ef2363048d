// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A class of memory grows, and no other finding is about it.

package main

import "fmt"

// growableClasses are the classes whose steady growth means something. New,
// fragmented and free memory rise and fall with collections.
var growableClasses = []struct {
	class class
	share float64
	text  string
}{
	{stacks, growthShare, "Goroutine stacks grow"},
	{structures, growthShare, "The runtime's own structures grow"},
	{foreign, unsteadyShare, "Memory that is not Go's grows (C, files that are mapped and touched)"},
}

// overheadPart is the part of the growth of the live heap and the stacks that the
// runtime's structures for them, such as spans, may take.
const overheadPart = 0.1

// structuresEach is the number of bytes that the runtime's structures for a
// goroutine, and for what it holds, may take.
const structuresEach = 2 << 10

func findClasses(f *facts) (all []finding) {
	for _, g := range growableClasses {
		n, ok := f.change(g.class)
		steady := f.steadyClass(g.class)
		if g.class == foreign {
			n -= f.mappedMore()
			if f.touchesMappings() {
				n, ok = f.changeOfC()
				steady = f.steady(func(i int) int64 { return f.Moments[i].ofC() })
			}
		}
		if !ok || n < f.least(g.share, growthLeast) || !steady ||
			g.class == stacks && f.moreGoroutines() || g.class == structures && f.isOverhead(n) {
			continue
		}
		x := f.classFinding(g.class, n, fmt.Sprintf("%s%s.", g.text, f.rateText(n)))
		if g.class == stacks {
			if len(f.Grown) > 0 {
				x.Details = append(x.Details, "most growth since the start: "+f.Grown[0].Code)
			}
			if files := f.stackFiles(); files != "" {
				x.More = "go tool pprof -top -sample_index=stack_space " + files
			}
		}
		if g.class == foreign {
			who, known := f.whoseC()
			x.Details = append(append(x.Details, f.mostForeign()...), who...)
			if known {
				x.Profile, x.More = "cmemory", "go tool pprof -top -cum "+f.diff("cmemory", 1, len(f.take.Moments)-1)
			}
		}
		all = append(all, x)
	}
	return all
}

// classFinding returns a finding about n bytes that came to a class.
func (f *facts) classFinding(c class, n int64, text string) finding {
	last := len(f.take.Moments) - 1
	x := finding{
		Kind:      "class-growth",
		Signature: string(c),
		Text:      text,
		Place:     string(c),
		Bytes:     n,
		Details:   []string{fmt.Sprintf("%s came %s, now %s", formatSize(n), f.inWatch(), formatSize(f.size(c)))},
		Profile:   "memory",
		More:      "go tool pprof -top " + f.diff("memory", 1, last),
		group:     growing,
	}
	if f.take.files["memory.0.pb.gz"] == nil {
		x.Profile, x.More = "heap", "grep '^# ' "+f.take.path(heapText(last))
	}
	return x
}

// stackFiles returns the files for a command about stacks, or "". An unchanged
// toolchain does not have the sizes of stacks in profiles, nor the profile memory.
func (f *facts) stackFiles() string {
	const memory = "memory.0.pb.gz"
	if f.take.files[memory] == nil {
		return ""
	}
	if f.Compare && f.base.files[memory] == nil {
		return f.take.path(f.take.last("goroutine"))
	}
	return f.diff("goroutine", 1, len(f.take.Moments)-1)
}

// isOverhead reports whether so many bytes are what the runtime needs for the
// objects and stacks that come all the time.
func (f *facts) isOverhead(bytes int64) bool {
	var came int64
	for _, c := range []class{live, objects, stacks} {
		if n, _ := f.change(c); n > 0 && f.steadyClass(c) {
			came += n
		}
	}
	return float64(bytes) <= overheadPart*float64(came) || f.moreGoroutines() && bytes <= structuresEach*f.cameGoroutines()
}

// moreGoroutines reports whether another finding is about the goroutines whose
// stacks grow.
func (f *facts) moreGoroutines() bool {
	for _, p := range f.Leaked {
		if f.grownAt(p.Code) >= moreLeast {
			return true
		}
	}
	return len(findGoroutines(f)) > 0
}

// mappedMore returns the growth of mappings, of which findMapped has the code. Of
// two takes it is what findMapped has found, because one moment does not tell
// what comes and goes.
func (f *facts) mappedMore() (n int64) {
	if !f.Compare {
		n, _ = f.change(mappings)
		return max(n, 0)
	}
	for _, x := range findMapped(f) {
		n += x.Bytes
	}
	return n
}

// touchesMappings reports whether pages of mappings that were there before may
// be all that is not Go's, as in a database that reads its file.
func (f *facts) touchesMappings() bool { return f.size(mappings) >= f.size(foreign) }

func (f *facts) steadyClass(c class) bool {
	return f.steady(func(i int) int64 { return f.Moments[i].Classes[c] })
}
