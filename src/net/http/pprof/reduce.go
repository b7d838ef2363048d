// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes profiles of references small enough for collectors, which
// store every sample, name and set of labels. The GET parameter labels=none
// leaves the labels out, and top=N keeps the largest N samples. No value is
// lost: the other samples are added up at the beginnings that their paths share
// with paths that are kept. Handlers call reductionOf before they record.
//
// turn.go bounds the memory that this takes.

package pprof

import (
	"cmp"
	"errors"
	"fmt"
	"internal/profile"
	"io"
	"net/http"
	"net/url"
	"runtime/pprof"
	"slices"
	"strconv"
)

// A reduction is the meaning of the parameters top and labels. The zero value
// changes nothing.
type reduction struct {
	top      int // number of samples that are kept, or 0 for all
	noLabels bool
}

// reducible has the profiles of pprof.Lookup that take the parameters. A
// program may have replaced them by profiles of its own, which do not take the
// parameters.
var reducible = map[handler]*pprof.Profile{"refs": pprof.Lookup("refs"), "inuse": pprof.Lookup("inuse")}

// isReducible reports whether the profile takes the parameters.
func (name handler) isReducible() bool {
	return reducible[name] != nil && reducible[name] == pprof.Lookup(string(name))
}

// reductionOf returns the reduction that the request asks for.
func reductionOf(r *http.Request) (reduction, error) {
	var red reduction
	r.FormValue("") // parses the form, and ignores errors, which ParseQuery returns
	if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
		return red, err
	}
	if r.Form.Has("top") {
		n, err := strconv.Atoi(r.Form.Get("top"))
		if err != nil || n <= 0 {
			return red, errors.New(`invalid value for "top" - must be a positive integer`)
		}
		red.top = n
	}
	if r.Form.Has("labels") {
		if r.Form.Get("labels") != "none" {
			return red, errors.New(`invalid value for "labels" - must be none`)
		}
		red.noLabels = true
	}
	return red, nil
}

// reduction returns the reduction that a request for this profile asks for.
// Profiles that are not recordings of references ignore the parameters.
func (name handler) reduction(r *http.Request) (reduction, error) {
	if !name.isReducible() {
		return reduction{}, nil
	}
	return reductionOf(r)
}

// of returns a writer of the profile p, reduced for the request.
func (red reduction) of(r *http.Request, name handler, p profileWriter) profileWriter {
	if red == (reduction{}) {
		return p
	}
	return reducedProfile{red, r, name, p}
}

// A reducedProfile writes a profile that has been reduced.
type reducedProfile struct {
	reduction
	request *http.Request
	name    handler
	source  profileWriter
}

func (p reducedProfile) WriteTo(w io.Writer, debug int) error {
	leave, err := takePlace()
	if err != nil {
		return err
	}
	defer leave()
	defer setRecording(setRecording(true))
	c, err := collect(p.request, p.source)
	if err != nil {
		return err
	}
	return p.write(p.request, w, debug, string(p.name), c.body)
}

// write writes the profile in body, but reduced for the request. With debug it
// writes the reduced profile as a tree, whose first line has the title.
func (red reduction) write(r *http.Request, w io.Writer, debug int, title string, body []byte) error {
	reduced, err := parseInTurn(r, body, func(w io.Writer, p *profile.Profile) error {
		p, err := red.reduce(p)
		if err == nil && debug != 0 {
			return writeAmounts(w, title, p)
		}
		if err == nil {
			err = p.Write(w)
		}
		return err
	})
	if err == nil {
		_, err = w.Write(reduced)
	}
	return err
}

// reduce returns the reduced profile. It may change p.
func (red reduction) reduce(p *profile.Profile) (*profile.Profile, error) {
	if red == (reduction{}) {
		return p, nil
	}
	if red.noLabels {
		for _, s := range p.Sample {
			s.Label, s.NumLabel, s.NumUnit = nil, nil, nil
		}
		var err error
		if p, err = profile.Merge([]*profile.Profile{p}); err != nil {
			return nil, err
		}
	}
	if red.top > 0 && red.top < len(p.Sample) {
		p.Comments = append(p.Comments, fmt.Sprintf("top=%d: %[1]d of %d samples have their whole path", red.top, len(p.Sample)))
		keepTop(p, red.top)
	}
	return profile.Merge([]*profile.Profile{p}) // drops what no sample refers to
}

// other is the name of the element to which keepTop adds the samples that it
// does not keep.
const other = "(other)"

// keepTop keeps the n samples of p with the largest values, or changes of
// values. It adds each remaining sample to a sample without labels. The path of
// that sample is the longest beginning that the path of the remaining sample
// shares with the path of a kept sample, followed by the element other. If
// there are more than n such beginnings, those with the smallest sums give
// their values to shorter ones. So at most 2n+1 samples are left.
func keepTop(p *profile.Profile, n int) {
	value := defaultValue(p)
	var samples []*ranked
	for i, s := range p.Sample {
		samples = append(samples, &ranked{i, s.Value[value]})
	}
	largestFirst(samples)
	var kept, small []*profile.Sample
	for i, r := range samples {
		if s := p.Sample[r.at]; i < n {
			kept = append(kept, s)
		} else {
			small = append(small, s)
		}
	}
	t := newBeginnings()
	for _, s := range kept {
		t.add(s)
	}
	sums := make([][]int64, len(t.all))
	for _, s := range small {
		addTo(&sums[t.longest(s)], s.Value)
	}
	var order []*ranked // beginnings that have a sum, except the empty one
	for i, sum := range sums {
		if i > 0 && sum != nil {
			order = append(order, &ranked{i, sum[value]})
		}
	}
	largestFirst(order)
	chosen := make([]bool, len(sums))
	for _, r := range order[:min(n, len(order))] {
		chosen[r.at] = true
	}
	for i := len(sums) - 1; i > 0; i-- { // a beginning before the shorter ones
		if sums[i] != nil && !chosen[i] {
			addTo(&sums[t.all[i].parent], sums[i])
			sums[i] = nil
		}
	}
	l := addName(p, other)
	p.Sample = kept
	for i, sum := range sums {
		if sum != nil {
			p.Sample = append(p.Sample, &profile.Sample{Value: sum, Location: append([]*profile.Location{l}, t.path(i)...)})
		}
	}
}

// defaultValue returns the index of the default sample type.
func defaultValue(p *profile.Profile) int {
	i := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == p.DefaultSampleType })
	if i < 0 {
		return len(p.SampleType) - 1
	}
	return i
}

// A ranked is the index of a sample or sum, and its value.
type ranked struct {
	at    int
	value int64
}

// largestFirst sorts by absolute values. It sorts pointers, because other sorts
// have their code.
func largestFirst(all []*ranked) {
	slices.SortFunc(all, func(x, y *ranked) int {
		return cmp.Or(cmp.Compare(max(y.value, -y.value), max(x.value, -x.value)), cmp.Compare(x.at, y.at))
	})
}

// addTo adds values to a sum, which is nil at first.
func addTo(sum *[]int64, values []int64) {
	if *sum == nil {
		*sum = make([]int64, len(values))
	}
	for i, v := range values {
		(*sum)[i] += v
	}
}

// addName adds a location that has a name and nothing else.
func addName(p *profile.Profile, name string) *profile.Location {
	f := &profile.Function{Name: name}
	for _, g := range p.Function {
		f.ID = max(f.ID, g.ID)
	}
	f.ID++
	l := &profile.Location{Line: []profile.Line{{Function: f}}}
	for _, m := range p.Location {
		l.ID = max(l.ID, m.ID)
	}
	l.ID++
	p.Function = append(p.Function, f)
	p.Location = append(p.Location, l)
	return l
}

// beginnings is a set of paths that has all beginnings of each of its paths.
type beginnings struct {
	all   []beginning // the empty path first
	index map[beginning]int
}

// A beginning is a path that extends the path all[parent], whose index is
// smaller, by one location.
type beginning struct {
	parent int
	last   *profile.Location
}

func newBeginnings() *beginnings {
	return &beginnings{all: make([]beginning, 1), index: make(map[beginning]int)}
}

// add adds the path of s.
func (t *beginnings) add(s *profile.Sample) {
	n := 0
	for _, l := range slices.Backward(s.Location) {
		b := beginning{n, l}
		next, ok := t.index[b]
		if !ok {
			next = len(t.all)
			t.all = append(t.all, b)
			t.index[b] = next
		}
		n = next
	}
}

// longest returns the index of the longest path with which the path of s
// begins.
func (t *beginnings) longest(s *profile.Sample) int {
	n := 0
	for _, l := range slices.Backward(s.Location) {
		next, ok := t.index[beginning{n, l}]
		if !ok {
			break
		}
		n = next
	}
	return n
}

// path returns the locations of path n, the last one first.
func (t *beginnings) path(n int) (locations []*profile.Location) {
	for ; n > 0; n = t.all[n].parent {
		locations = append(locations, t.all[n].last)
	}
	return locations
}
