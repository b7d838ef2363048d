// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file serves the refs profile over HTTP: the delta of two refs profiles
// as text. The handler in pprof.go calls collectUnparsed and serveRefsDelta.

package pprof

import (
	"bufio"
	"bytes"
	"fmt"
	"internal/profile"
	"internal/refpath"
	"net/http"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

// collectUnparsed collects a profile. The function parse, which it returns,
// parses the profile. If a refs profile is taken in between, it shows only the
// compressed bytes, which are few, and does not show the parsed profile as
// growth. If failed, the error of the work in between, is not nil, parse
// returns it.
func collectUnparsed(p *pprof.Profile) (parse func(failed error) (*profile.Profile, error), err error) {
	var buf bytes.Buffer
	if err := p.WriteTo(&buf, 0); err != nil {
		return nil, err
	}
	nanos := time.Now().UnixNano()
	return func(failed error) (*profile.Profile, error) {
		if failed != nil {
			return nil, failed
		}
		p, err := profile.Parse(&buf)
		if err != nil {
			return nil, err
		}
		p.TimeNanos = nanos
		return p, nil
	}, nil
}

// serveRefsDelta writes p, the difference of two refs profiles, as a table of
// the paths under which memory grew or shrank.
func serveRefsDelta(w http.ResponseWriter, p *profile.Profile) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	var tree refpath.Tree[string]
	var objects, bytes int64
	for _, s := range p.Sample {
		n := tree.Child(0, rootText(s))
		for _, l := range slices.Backward(s.Location) {
			if text := locationText(l); text != "(stack)" { // rootText has this
				n = tree.Child(n, text)
			}
		}
		tree.Add(n, s.Value[0], s.Value[1])
		objects += s.Value[0]
		bytes += s.Value[1]
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "refs growth in %v: %+d bytes in %+d objects\n", time.Duration(p.DurationNanos).Round(time.Millisecond), bytes, objects)
	for _, c := range p.Comments {
		fmt.Fprintf(b, "# %s\n", c)
	}
	fmt.Fprintln(b)
	tree.Write(b, refpath.Delta, func(text string) string { return text })
	b.Flush()
}

// rootText returns the text of a sample's root, with its labels.
func rootText(s *profile.Sample) string {
	var labels [][2]string
	for k, values := range s.Label {
		if k != "root" && k != "type" {
			labels = append(labels, [2]string{k, strings.Join(values, ",")})
		}
	}
	return refpath.RootText(strings.Join(s.Label["root"], ","), labels)
}

// locationText returns the text of an element of a path: a name, or the
// functions at a PC, outermost first. It has no lines, because a goroutine that
// moves on within a function has not made memory grow at one line and shrink at
// another.
func locationText(l *profile.Location) string {
	var calls []string
	for _, line := range slices.Backward(l.Line) {
		calls = append(calls, line.Function.Name)
	}
	return strings.Join(calls, " > ")
}
