// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads sizes of classes from the profile memory, or from
// runtime.MemStats where a server does not have that profile.

package main

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// classFrames are the frames of the profile memory that stand for classes,
// below Go memory.
var classFrames = map[string]class{
	"Live heap at the last collection":    live,
	"Allocated since the last collection": recent,
	"Allocated since the start":           recent,
	"Fragmented heap":                     fragmented,
	"Free heap":                           free,
	"Released heap":                       returned,
	"Goroutine stacks":                    stacks,
	"Thread stacks":                       structures,
	"Runtime structures":                  structures,
	"Reserve of runtime/evidence":         structures,
	"Not Go's memory":                     foreign,
}

// addMoment adds the sizes of a moment.
func (f *facts) addMoment(t *take, i int, at time.Duration) {
	m := moment{At: at, Classes: make(map[class]int64)}
	if p := t.profile(numbered("memory", i)); p != nil {
		m.readMemory(p)
	} else if stats := t.files[heapText(i)]; stats != nil {
		m.readMemStats(stats)
	} else if p := t.profile("refs.2.pb.gz"); p != nil && len(t.Moments) == 1 { // of a core file
		m.Live = total(p, "live_space")
		m.Classes[live] = m.Live
	}
	if p := t.profile(numbered("growth", i)); p != nil && len(p.Sample) > 0 {
		m.Classes[mappings] = mappedNow(p)
	}
	f.Moments = append(f.Moments, m)
}

// addLive adds what the recordings found alive, if they are of the watch, and
// the time between them.
func (f *facts) addLive(t *take) {
	f.RefsTime = t.betweenRecordings()
	for i, moment := range map[int]int{1: 1, 2: len(t.Moments) - 1} {
		if !t.isOld(i) {
			f.Moments[moment].setLive(t.profile(numbered("refs", i)))
		}
	}
}

// setLive sets the live heap to that of the recording right before the moment.
// Another collection may have come in between. What was allocated during either
// of them is garbage, most of it, and does not count.
func (m *moment) setLive(p *profile.Profile) {
	if p == nil {
		return
	}
	m.During, m.Recorded = 0, true
	value := sampleValue(p, "live_space")
	for _, s := range p.Sample {
		if label(s, "root") == "allocated" {
			m.During += value(s)
		}
	}
	m.Live = total(p, "live_space") - m.During
}

// total returns the sum of a sample type.
func total(p *profile.Profile, sampleType string) (sum int64) {
	value := sampleValue(p, sampleType)
	for _, s := range p.Sample {
		sum += value(s)
	}
	return sum
}

func (m *moment) readMemory(p *profile.Profile) {
	value, taken := sampleValue(p, "memory_space"), sampleValue(p, "taken_space")
	for _, c := range classFrames {
		m.Classes[c] = 0
	}
	for _, s := range p.Sample {
		m.Classes[resident] += value(s)
		if c, ok := classOf(frames(s)); ok {
			m.Classes[c] += value(s)
			switch c {
			case live:
				m.Live += taken(s)
			case returned:
				if frames(s)[0].function == "Huge pages" {
					m.Huge += value(s)
				}
			case foreign:
				m.addForeign(frames(s), value(s))
			}
		}
	}
	for _, comment := range p.Comments {
		if rest, ok := strings.CutPrefix(comment, "after GC cycle "); ok {
			number, _, _ := strings.Cut(rest, ":")
			m.Cycle, _ = strconv.ParseInt(number, 10, 64)
		}
		m.Race = m.Race || strings.Contains(comment, "(built with -race)")
		if strings.Contains(comment, "does not report the resident size") {
			delete(m.Classes, foreign)
		}
	}
}

// classOf returns the class of a sample of the profile memory, whose frame is
// the outermost one or the one below it.
func classOf(all []frame) (class, bool) {
	for n := len(all); n > max(0, len(all)-2); n-- {
		if c, ok := classFrames[all[n-1].function]; ok {
			return c, true
		}
	}
	return "", false
}

// mappedNow returns the address space that the program itself has mapped.
func mappedNow(p *profile.Profile) (sum int64) {
	in, out := sampleValue(p, "mapped_space"), sampleValue(p, "unmapped_space")
	for _, s := range p.Sample {
		if label(s, "kind") == "mmap" {
			sum += in(s) - out(s)
		}
	}
	return sum
}

// memStats returns the numbers at the end of the heap profile's text.
func memStats(text []byte) map[string]int64 {
	_, tail, _ := bytes.Cut(text, []byte("\n# runtime.MemStats\n"))
	stats := make(map[string]int64)
	for line := range strings.Lines(string(tail)) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "# "), " = ")
		if !ok {
			continue
		}
		inUse, sys, both := strings.Cut(value, " / ")
		if n, err := strconv.ParseUint(inUse, 10, 64); err == nil {
			stats[name] = int64(min(n, 1<<62))
		}
		if n, err := strconv.ParseUint(sys, 10, 64); both && err == nil {
			stats[name+"Sys"] = int64(min(n, 1<<62))
		}
	}
	return stats
}

func (m *moment) readMemStats(text []byte) {
	s := memStats(text)
	m.Cycle = s["NumGC"]
	m.Classes[objects] = s["HeapAlloc"]
	m.Live = s["HeapAlloc"] // in moments after a collection
	m.Classes[fragmented] = s["HeapInuse"] - s["HeapAlloc"]
	m.Classes[free] = s["HeapIdle"] - s["HeapReleased"]
	m.Classes[stacks] = s["StackSys"]
	m.Classes[structures] = s["MSpanSys"] + s["MCacheSys"] + s["BuckHashSys"] + s["GCSys"] + s["OtherSys"]
}

// addHeap adds when the next collection begins.
func (f *facts) addHeap(text []byte) {
	if text == nil {
		return
	}
	stats := memStats(text)
	f.NextGC, f.Collections, f.Forced = stats["NextGC"], stats["NumGC"], stats["NumForcedGC"]
	f.Collecting = readCollecting(text)
}
