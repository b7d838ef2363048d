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

// collectUnparsed collects a profile, and returns a function, parse, which
// parses that profile later. A refs profile that is taken before parse is
// called shows the memory of the collected profile. Its compressed bytes are
// few, but the parsed profile would be a visible part of the difference. failed
// is the error of the work before parse is called. If it is not nil, parse
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

// serveRefsDelta writes p, the difference of two refs profiles, as a tree of
// the paths whose memory became more or less.
func serveRefsDelta(w http.ResponseWriter, p *profile.Profile) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	var tree refpath.Tree[string]
	var objects, bytes int64
	for _, s := range p.Sample {
		n := tree.Child(0, rootText(s))
		for _, l := range slices.Backward(s.Location) {
			if text := locationText(l); text != "(stack)" { // rootText says this already
				n = tree.Child(n, text)
			}
		}
		tree.Add(n, s.Value[0], s.Value[1])
		objects += s.Value[0]
		bytes += s.Value[1]
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "refs difference over %v: %+d bytes in %+d objects\n", time.Duration(p.DurationNanos).Round(time.Millisecond), bytes, objects)
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
// functions at a PC, outermost first. It leaves out lines. With lines, a
// goroutine that moves on within a function would add memory at one line and
// subtract it at another.
func locationText(l *profile.Location) string {
	var calls []string
	for _, line := range slices.Backward(l.Line) {
		calls = append(calls, line.Function.Name)
	}
	return strings.Join(calls, " > ")
}
