// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file takes the profiles of a running server. What disturbs least comes
// first: profiles that force nothing, before the first recording empties the
// pools. Then come the moments of the watch, between two recordings, and inuse
// at last, if there is a path of which a report has the code.

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// pprofPath is where net/http/pprof serves profiles by default.
	pprofPath = "/debug/pprof/"
	// heapStats is the page of the files heapText, whose end is runtime.MemStats.
	heapStats = "heap?debug=1"
	// spaced is the number of moments of the watch. A value that changes at
	// random grows from each of seven moments to the next once in 5,040
	// watches.
	spaced = 7
	// maxAnswer bounds an answer, which is compressed. Profiles of servers
	// with millions of objects have some hundred kilobytes.
	maxAnswer = 256 << 20
)

// collected are moments right after a collection, a third of the watch apart.
// Two recordings alone do not tell growth from what goes up and down.
var collected = [...]int{1, 3, 5, spaced + 1}

// A fetcher takes profiles of a server.
type fetcher struct {
	url     *url.URL
	ctx     context.Context // ends the watch early
	client  http.Client
	timeout time.Duration
	pause   time.Duration                    // before a request is repeated
	force   bool                             // ask for recordings near the limit of memory
	sites   bool                             // take inuse in any case, for comparisons
	graph   bool                             // take a heap graph
	say     func(format string, args ...any) // reports progress
	passed  func(moments int)                // reports it on a terminal
	take    *take

	collections int64 // of the process, so far
}

// add fetches a page and keeps it as a file of the take. The reason why a file
// is missing is kept, too.
func (f *fetcher) add(file, page string) {
	if err := f.addIfAny(file, page); err != nil {
		name, _, _ := strings.Cut(page, "?")
		f.take.Missing[name] = err.Error()
	}
}

// addAt adds a page at a moment, if no request for it has failed.
func (f *fetcher) addAt(page string, i int) {
	if !f.has(page) {
		return
	}
	if err := f.addIfAny(numbered(page, i), page); err != nil && !f.leaveGap(page, i, err) {
		f.take.Missing[page] = err.Error()
	}
}

// addHeapText adds what stands in for the profile memory. It is asked for again
// at the next moment in any case.
func (f *fetcher) addHeapText(i int) {
	if err := f.addIfAny(heapText(i), heapStats); err != nil && !f.leaveGap(heapStats, i, err) {
		f.take.Missing["heap"] = err.Error()
	}
}

// addIfAny is add for a page that is not missed.
func (f *fetcher) addIfAny(file, page string) error {
	body, err := f.fetch(page)
	if err == nil {
		err = checkAnswer(file, body)
	}
	if err == nil {
		f.take.files[file] = body
	}
	return f.unrouted(err)
}

// watch takes all profiles of a server.
func (f *fetcher) watch(watch time.Duration) (*take, error) {
	f.take = newTake()
	f.take.Time = time.Now().UTC()
	f.pause = min(watch/10, time.Second)
	public := *f.url
	public.User, public.RawQuery = nil, "" // secrets
	f.take.URL = public.String()
	if f.url.Scheme == insecure {
		f.trustAny()
	}
	if err := f.moments(watch); err == nil {
		f.take.measure()
	} else {
		err = fmt.Errorf("%s: %w", public.String(), err)
		if !f.take.cut(err) {
			return nil, err
		}
		if f.graph {
			f.take.Missing["heapgraph"] = err.Error()
		}
		f.say("%v: the report is of the %s before", err, formatTime(time.Duration(f.take.Seconds*float64(time.Second))))
	}
	return f.take, nil
}

// moments takes the profiles of all moments.
func (f *fetcher) moments(watch time.Duration) error {
	if err := f.moment(0); err != nil {
		return err
	}
	f.add("heap.txt", heapStats)
	f.add("peak.pb.gz", "peak")
	if command, err := f.fetch("cmdline"); err == nil && !isPage(command) {
		f.take.Program, _, _ = strings.Cut(string(command), "\x00")
	}
	f.say("watching %s for %v", f.take.URL, watch)
	if err := f.recording(1); err != nil {
		return err
	}
	for i := 1; i <= spaced; i++ {
		if i > 1 {
			f.sleep(watch / (spaced - 1))
		}
		if err := f.moment(i); err != nil {
			return err
		}
		f.passed(i)
	}
	f.say("taking the last profiles")
	if err := f.recording(2); err != nil {
		return err
	}
	if err := f.moment(spaced + 1); err != nil {
		return err
	}
	if f.has("refs") && (f.sites || f.graph || f.take.wantsSites()) {
		f.add("inuse.2.pb.gz", "inuse")
	}
	f.add("goroutineleak.pb.gz", "goroutineleak")
	if f.graph {
		f.add(graphName, "heapgraph")
	}
	return nil
}

// moment takes the profiles that force nothing, in two moments memory after a
// collection. It returns an error if the server does not have the profile
// goroutine, which all servers have, or if another process answers.
func (f *fetcher) moment(i int) error {
	f.take.Moments = append(f.take.Moments, time.Since(f.take.Time).Seconds())
	body, err := f.fetch("goroutine")
	if err == nil {
		if err = checkAnswer("goroutine.pb.gz", body); err != nil && err != errIndex {
			err = fmt.Errorf("what answers is not net/http/pprof: %w", err)
		}
	}
	if f.leaveGap("goroutine", i, err) {
		return nil
	}
	if err != nil {
		return f.unusable(err)
	}
	f.take.files[numbered("goroutine", i)] = body
	f.addAt("growth", i)
	f.momentOfC(i)
	if slices.Contains(collected[1:3], i) {
		if _, err := f.fetch("heap?gc=1"); err != nil { // else its answer is not of use
			f.take.Missing["a collection in the watch"] = err.Error()
		}
	}
	f.addAt("memory", i)
	if f.ctx.Err() != nil {
		return errInterrupted
	}
	if !f.has("memory") {
		f.addHeapText(i)
	}
	return f.sameProcess(i)
}

// unusable explains why a server did not answer with a profile.
func (f *fetcher) unusable(err error) error {
	var status *statusError
	var dial *net.OpError
	switch {
	case errors.As(err, &status) && status.code == http.StatusNotFound && !status.pprof:
		return fmt.Errorf("%w: the server has no net/http/pprof there", err)
	case errors.As(err, &dial) && dial.Op == "dial":
		return fmt.Errorf("%w: does the server run, and serve net/http/pprof there?", err)
	case errors.As(err, &status) && status.code == http.StatusNotFound:
		return fmt.Errorf("%w: the URL must be that above all profiles", err)
	case errors.As(err, &status):
		return fmt.Errorf("goroutine: %w", err)
	}
	return err
}

// wantsSites reports whether findings of a take are about paths, and so have
// the code that allocated what the paths hold, or depend on the ages of objects.
func (t *take) wantsSites() bool {
	f := newFacts(t)
	return f.mayBeState() || len(findLive(f))+len(findLiveWhole(f))+len(findUnused(f))+len(findFinalizers(f)) > 0
}

// has reports whether no request for a page has failed.
func (f *fetcher) has(page string) bool { return f.take.Missing[page] == "" }

func numbered(name string, i int) string { return fmt.Sprintf("%s.%d.pb.gz", name, i) }
