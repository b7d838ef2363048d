// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file limits the recordings of references that requests cause, because
// each recording is a garbage collection and takes memory. Programs that call
// runtime/pprof, and package runtime/evidence, are not limited.
//
// Near the memory limit, recordings are refused, and profiles are not parsed
// for seconds, top, labels or debug. If an interval is set, all requests for refs within
// an interval share one profile, and so do all requests for inuse. A shared
// profile is kept as the bytes that runtime/pprof has written. Other recordings
// are not shared, because their results depend on the parameters of the
// requests. A request for such a recording is refused until the interval has
// passed since the last recording of its kind began.

package pprof

import (
	"bytes"
	"errors"
	"fmt"
	"internal/godebug"
	"internal/profile"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "unsafe" // for linkname
)

func init() {
	admitRecording, withdrawRecording = admit, withdraw
}

// pprofrecording is a list of options with colons between them, such as
// interval=5m:share=80.
var pprofrecording = godebug.New("pprofrecording")

// recordingLimits are the limits that a request is subject to.
type recordingLimits struct {
	interval time.Duration // between two recordings of a kind, or 0
	share    int           // percentage of the memory limit from which on nothing is recorded, or 0
}

// limitsOf returns the limits for a request. With the parameter force=1 there is
// no limit of memory.
func limitsOf(r *http.Request) (recordingLimits, error) {
	l, err := parseLimits(pprofrecording.Value())
	if err != nil {
		return l, err
	}
	if force := r.FormValue("force"); force == "1" {
		l.share = 0
	} else if force != "" {
		return l, &refusal{status: http.StatusBadRequest, text: `invalid value for "force" - must be 1`}
	}
	return l, nil
}

// parseLimits parses the value of pprofrecording.
func parseLimits(value string) (l recordingLimits, err error) {
	l.share = 90
	if value == "" {
		return l, nil
	}
	for option := range strings.SplitSeq(value, ":") {
		key, v, _ := strings.Cut(option, "=")
		switch key {
		case "interval":
			l.interval, err = time.ParseDuration(v)
			if l.interval < 0 {
				err = errors.New("negative")
			}
		case "share":
			l.share, err = strconv.Atoi(strings.TrimSuffix(v, "%"))
			if l.share < 0 || l.share > 100 {
				err = errors.New("not a percentage")
			}
		default:
			return l, fmt.Errorf("GODEBUG=pprofrecording=%s: unknown option %q: the options are interval and share", value, key)
		}
		if err != nil {
			return l, fmt.Errorf("GODEBUG=pprofrecording=%s: option %s has the malformed value %q", value, key, v)
		}
	}
	return l, nil
}

// hasRoom returns an error if memory in use is so near the memory limit that a
// request may not take n bytes more, or if limitsOf returns an error.
func hasRoom(r *http.Request, n int64) error {
	l, err := limitsOf(r)
	if err != nil {
		return err
	}
	return l.roomFor(n)
}

// roomFor returns an error if room does, or if n bytes more would exceed the
// memory limit.
func (l recordingLimits) roomFor(n int64) error {
	if err := l.room(); err != nil || l.share == 0 {
		return err
	}
	inUse, _, limit, source := memoryInUse(l.share)
	if limit == 0 || inUse+n <= limit {
		return nil
	}
	return &refusal{status: http.StatusServiceUnavailable, text: fmt.Sprintf(
		"refused, because %d bytes of memory are in use, the profile needs about %d, and the memory limit (%s) is %d: add force=1 to take it anyway",
		inUse, n, source, limit)}
}

// room returns an error if memory in use has reached the share of the limit.
// Memory in use includes all objects that were alive at the latest collection,
// even if they are garbage now. The next collection may be far away or, with
// GOGC=off, may never come. Therefore room collects garbage before it returns
// an error, at most once a minute.
func (l recordingLimits) room() error {
	if l.share == 0 {
		return nil
	}
	inUse, due, limit, source := memoryInUse(l.share)
	if limit > 0 && inUse >= due && collectDue() {
		runtime.GC()
		inUse, due, limit, source = memoryInUse(l.share)
	}
	if limit == 0 || inUse < due {
		return nil
	}
	return &refusal{status: http.StatusServiceUnavailable, text: fmt.Sprintf(
		"refused, because %d bytes of memory are in use, which is %d%% of the memory limit (%s), and the profile needs more: add force=1 to take it anyway",
		inUse, inUse/max(limit/100, 1), source)}
}

// collected is the time of the last collection by room.
var collected struct {
	mu   sync.Mutex
	time time.Time
}

// collectDue reports whether room may collect garbage now. If so, it counts
// this as the last collection by room.
func collectDue() bool {
	collected.mu.Lock()
	defer collected.mu.Unlock()
	due := realTime().Sub(collected.time) >= time.Minute
	if due {
		collected.time = realTime()
	}
	return due
}

// memoryInUse is defined in runtime/evidence/share.go.
//
//go:linkname memoryInUse
func memoryInUse(share int) (inUse, due, limit int64, source string)

// limited returns a writer of the profile p, subject to the limits of the
// request. Profiles that are not recordings have no limits, but some take turns.
func (name handler) limited(r *http.Request, p profileWriter) (profileWriter, error) {
	shared := sharedProfiles[name]
	if shared == nil || !name.isReducible() {
		if turnProfiles[name] == p {
			return turnProfile{r, p}, nil
		}
		return p, nil
	}
	l, err := limitsOf(r)
	if err != nil {
		return nil, err
	}
	if sec, err := strconv.ParseInt(r.FormValue("seconds"), 10, 64); err == nil && sec > 0 && float64(sec) < l.interval.Seconds() {
		return nil, &refusal{status: http.StatusBadRequest, text: fmt.Sprintf(
			"seconds=%d is less than the interval between recordings, %v, of GODEBUG=pprofrecording", sec, l.interval)}
	}
	return &limitedProfile{l, r, name, p, shared}, nil
}

// A limitedProfile writes a profile of references, subject to limits.
type limitedProfile struct {
	recordingLimits
	request *http.Request
	name    handler
	source  profileWriter
	shared  *sharedProfile
}

func (p *limitedProfile) WriteTo(w io.Writer, debug int) error {
	defer setRecording(setRecording(true))
	take := 0
	if p.interval == 0 && debug != 0 {
		take = 1
	}
	body, err := p.take(take)
	if err != nil {
		return err
	}
	if debug != 0 && take == 0 {
		body, err = parseInTurn(p.request, body, func(w io.Writer, parsed *profile.Profile) error {
			return writeAmounts(w, string(p.name), parsed)
		})
	}
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}

// sharedProfiles has an element for each profile of pprof.Lookup that is a
// recording.
var sharedProfiles = map[handler]*sharedProfile{"refs": {}, "inuse": {}}

// A sharedProfile makes a profile for several requests at once. While an
// interval is set, it keeps the latest one.
type sharedProfile struct {
	flights [2]flights // by debug

	mu    sync.Mutex // protects begun and body
	begun time.Time
	body  []byte
}

// take returns the bytes of the profile: the latest ones if it was begun less
// than an interval ago, and otherwise those of a profile that begins now.
func (p *limitedProfile) take(debug int) ([]byte, error) {
	s := p.shared
	if body := s.latest(p.interval); body != nil {
		return body, nil
	}
	ready := func() ([]byte, error) {
		if body := s.latest(p.interval); body != nil {
			return body, nil
		}
		return nil, p.room()
	}
	return s.flights[debug].take(p.request.Context(), ready, func() ([]byte, error) {
		s.keep(time.Time{}, nil)
		begun := realTime()
		var b bytes.Buffer
		if err := p.source.WriteTo(&b, debug); err != nil {
			return nil, err
		}
		body := bytes.Clone(b.Bytes())
		if p.interval > 0 {
			s.keep(begun, body)
		}
		return body, nil
	})
}

// latest returns the bytes that are kept, or nil if there are none or they are
// older than an interval.
func (s *sharedProfile) latest(interval time.Duration) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if realTime().Sub(s.begun) < interval {
		return s.body
	}
	return nil
}

func (s *sharedProfile) keep(begun time.Time, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun, s.body = begun, body
}

// lastRecordings has the times at which recordings that are not shared were
// begun, by kind.
var lastRecordings struct {
	mu    sync.Mutex
	times map[string]time.Time
}

// admit reports whether the request may cause a recording of a kind that is not
// shared. If not, it has served an error.
func admit(w http.ResponseWriter, r *http.Request, kind string) bool {
	l, err := limitsOf(r)
	if err == nil {
		err = l.admit(kind)
	}
	if err != nil {
		serveProfileError(w, "", err)
		return false
	}
	return true
}

func (l recordingLimits) admit(kind string) error {
	if err := l.room(); err != nil || l.interval == 0 {
		return err
	}
	last := &lastRecordings
	last.mu.Lock()
	defer last.mu.Unlock()
	now := realTime()
	if t, ok := last.times[kind]; ok && now.Sub(t) < l.interval {
		return &refusal{http.StatusTooManyRequests, fmt.Sprintf(
			"the last recording for %s began %v ago, and the interval of GODEBUG=pprofrecording is %v",
			kind, now.Sub(t).Round(time.Millisecond), l.interval), l.interval - now.Sub(t)}
	}
	if last.times == nil {
		last.times = make(map[string]time.Time)
	}
	last.times[kind] = now
	return nil
}

// withdraw undoes admit for a kind, because another recording was under way or
// the profile would have taken too much memory.
func withdraw(kind string) {
	lastRecordings.mu.Lock()
	defer lastRecordings.mu.Unlock()
	delete(lastRecordings.times, kind)
}
