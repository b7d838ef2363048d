// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints a report as text: the figures first, the findings after.

package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const maxLines = 60 // of a report

// rows are the lines of the table.
var rows = []struct {
	class class
	name  string
	note  string
}{
	{resident, "resident", ""},
	{objects, "  objects", "live ones, and dead ones that no collection has found"},
	{live, "  live heap", "alive at the last collection"},
	{recent, "  new objects", "allocated since; most are garbage"},
	{fragmented, "  fragmented", "free, between objects"},
	{free, "  free heap", "not yet returned"},
	{returned, "  returned", "by the heap, and resident: in huge pages, or not needed elsewhere"},
	{stacks, "  stacks", "of goroutines"},
	{structures, "  runtime", "its own structures, stacks of threads"},
	{foreign, "  other", "the executable, mapped files, C"},
	{mappings, "mapped", "address space, by the program itself"},
}

// text returns the lines of a report.
func (f *facts) text(findings []finding) []string {
	lines := append(f.head(), "")
	if len(findings) == 0 {
		lines = append(lines, f.nothing())
	}
	for i, x := range findings {
		block := x.text(i + 1)
		if len(lines)+len(block) > maxLines-1 {
			lines = append(lines, fmt.Sprintf("%s more: use -json", plural(int64(len(findings)-i), "finding")))
			break
		}
		lines = append(lines, block...)
	}
	return lines
}

// nothing says that there is no finding.
func (f *facts) nothing() string {
	text := "No finding: " + f.noGrowth() + ", and nothing takes more than it should"
	if f.once() {
		text = "No finding: what has grown is not known, because all figures are of one moment"
	}
	if len(f.Missing) > 0 {
		text += ", as far as could be seen"
	}
	return text + "."
}

// noGrowth says that nothing grows, and by how much it may.
func (f *facts) noGrowth() string {
	one, many := f.least(growthShare, growthLeast), f.least(unsteadyShare, growthLeast)
	if f.Refs == nil || f.RefsOnce {
		one = max(one, estimatedSamples*f.SiteRate)
	} else {
		one, many = max(one, f.leastLive(true)), max(many, f.leastLive(false))
	}
	if f.Compare {
		place := "no place"
		if len(f.grewTexts()) > 0 {
			place = "no other place"
		}
		return fmt.Sprintf("%s has grown by more than %s since the base", place, formatSize(max(one, many)))
	}
	text := fmt.Sprintf("nothing grows steadily by more than %s %s", formatSize(one), f.inWatch())
	if len(f.Moments) <= collected[2] {
		text = "apart from the live heap, of which too little was seen, " + text
	}
	if many > one {
		text += fmt.Sprintf(" (below goroutines, or in many places together: %s)", formatSize(many))
	}
	return text
}

// title says of what process and time the report is.
func (f *facts) title() string {
	at := func(t time.Time) string { return t.Format("2006-01-02 15:04:05 MST") }
	switch {
	case f.Compare:
		text := fmt.Sprintf("%s, %s, compared with %s", f.Program, at(f.Time), at(f.base.Time))
		if f.base.dir != "" {
			text += " in " + f.base.dir
		}
		return text
	case f.once():
		return fmt.Sprintf("%s, %s; %s", f.Program, at(f.Time), f.take.Reason)
	}
	return fmt.Sprintf("%s, %s; watched for %s", f.Program, at(f.Time), formatTime(f.Watch))
}

// changeTitle is the title of the column of changes, or nothing.
func (f *facts) changeTitle() string {
	if f.once() {
		return ""
	}
	return f.inWatch()
}

// head returns the lines above the findings.
func (f *facts) head() []string {
	lines := []string{shorten(f.title()), "", fmt.Sprintf("%-14s %10s  %10s", "", "now", f.changeTitle())}
	for _, r := range rows {
		if now, ok := f.shown(r.class); ok {
			lines = append(lines, f.row(r.class, r.name, now, f.note(r.class, r.note)))
		}
		if r.class == foreign {
			lines = append(lines, f.foreignRows()...)
		}
	}
	lines = append(lines, f.limitLine()...)
	lines = append(lines, fmt.Sprintf("%-14s %10s  %10s", "goroutines", formatCount(f.goroutines()), f.newGoroutines()))
	for _, text := range f.notes() {
		lines = append(lines, shortenNames(text))
	}
	for _, m := range f.Missing {
		lines = append(lines, shorten("not seen: "+m))
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// shown returns the size of a class that has a row.
func (f *facts) shown(c class) (int64, bool) {
	now, ok := f.now().Classes[c]
	return now, ok && (c != returned || now > 0)
}

// row returns a line of the table.
func (f *facts) row(c class, name string, now int64, note string) string {
	change := ""
	if n, ok := f.change(c); ok {
		change = formatChange(n)
	}
	return strings.TrimRight(fmt.Sprintf("%-14s %10s  %10s   %s", name, formatSize(now), change, note), " ")
}

func (f *facts) newGoroutines() string {
	n := f.cameGoroutines()
	if n > 0 {
		return "+" + formatCount(n)
	}
	if n < 0 {
		return formatCount(n)
	}
	return ""
}

// limitLine has the limit, if it is known.
func (f *facts) limitLine() []string {
	if f.Limit == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%-14s %10s   %s", "limit", formatSize(f.Limit), f.limitNote())}
}

// limitNote says when the limit is reached if growth goes on.
func (f *facts) limitNote() string {
	n, ok := f.growth()
	left := f.Limit - f.size(resident)
	switch {
	case !ok:
		return ""
	case left <= 0:
		return "the resident size is above it"
	case f.Compare || n < f.least(growthShare, growthLeast):
		return ""
	}
	return fmt.Sprintf("reached in %s at this rate", formatTime(time.Duration(float64(left)/f.rate(n)*float64(time.Second))))
}

// notes returns the lines about the live heap below the table.
func (f *facts) notes() (lines []string) {
	if text := f.holderText(); text != "" {
		lines = append(lines, text)
	}
	return append(lines, f.grewTexts()...)
}

// holderText says by what most of the live heap is held, if that is known.
func (f *facts) holderText() string {
	t := f.holder()
	if t == nil {
		return f.allocatorText()
	}
	return fmt.Sprintf("most is held by %s: %s of %s", t, formatSize(t.at().Bytes), formatSize(f.Refs.Bytes))
}

// allocatorText says by which code most of the live heap was allocated, if paths
// are not known.
func (f *facts) allocatorText() string {
	sums := make(map[string]int64)
	var whole int64
	for _, s := range f.Sites {
		sums[s.Code] += s.Bytes
		whole += s.Bytes
	}
	code := maximum(sums, func(a, b string) bool { return a < b })
	if f.Refs != nil || sums[code] == 0 || sums[code] < whole/2 {
		return ""
	}
	return fmt.Sprintf("most was allocated by %s: %s of %s (estimated)", code, formatSize(sums[code]), formatSize(whole))
}

// holder returns the first container or last element by which most of the live
// heap is held, or nil.
func (f *facts) holder() trail {
	return f.majority(func(e *element) int64 { return e.Bytes }, (*element).isContainer)
}

// text returns the lines of a finding.
func (x finding) text(number int) []string {
	lines := []string{fmt.Sprintf("%d. %s", number, x.Text), "   " + x.Place}
	for _, d := range x.Details {
		lines = append(lines, "   "+d)
	}
	for i, line := range lines {
		lines[i] = shortenNames(line)
	}
	return append(lines, "   more: "+x.More)
}

// formatTime returns a duration in at most two units.
func formatTime(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.3g s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}

// writeText prints a report.
func writeText(w io.Writer, f *facts, findings []finding) error {
	for _, line := range f.text(findings) {
		if _, err := fmt.Fprintln(w, printable(line)); err != nil {
			return err
		}
	}
	return nil
}
