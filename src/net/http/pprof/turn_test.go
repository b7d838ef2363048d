// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A countingProfile counts how often it is written, and how often at once.
type countingProfile struct {
	body         []byte
	takes        time.Duration
	written, now atomic.Int32
	most         atomic.Int32
}

func (p *countingProfile) WriteTo(w io.Writer, debug int) error {
	p.written.Add(1)
	n := p.now.Add(1)
	defer p.now.Add(-1)
	p.most.Store(max(p.most.Load(), n))
	time.Sleep(p.takes)
	_, err := w.Write(p.body)
	return err
}

// newCountingProfile returns a profile, and a function that returns a source of
// it for a request, as handler.limited does.
func newCountingProfile(t *testing.T) (*countingProfile, func(*http.Request) *limitedProfile) {
	var b bytes.Buffer
	if err := makeReduceProfile(t, []reduceSample{{"T", "a/b", [2]int64{1, 100}}}).Write(&b); err != nil {
		t.Fatal(err)
	}
	p, shared := &countingProfile{body: b.Bytes(), takes: time.Second}, new(sharedProfile)
	return p, func(r *http.Request) *limitedProfile { return &limitedProfile{recordingLimits{}, r, "refs", p, shared} }
}

// useTurn gives the test a turn and places of its own, because channels of a
// bubble cannot be used outside.
func useTurn(t *testing.T) {
	oldTurn, oldPlaces := turn, places
	turn, places = make(chan struct{}, 1), make(chan struct{}, maxPlaces)
	t.Cleanup(func() { turn, places = oldTurn, oldPlaces })
}

// serveCounted serves a request as the handler does.
func serveCounted(r *http.Request, source *limitedProfile) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	red, err := reductionOf(r)
	if err != nil {
		panic(err)
	}
	if sec := r.FormValue("seconds"); sec != "" {
		handler("refs").serveDeltaProfile(w, r, source, sec, red)
	} else {
		writeProfile(w, red.of(r, "refs", source), 0)
	}
	return w
}

// TestTurnShared makes 200 requests at once for each parameter. They share
// recordings, which are made one after another. Requests that hold bytes are
// limited in number.
func TestTurnShared(t *testing.T) {
	for _, test := range []struct {
		parameters       string
		recordings, most int
	}{
		{"", 2, 200}, // the first one begins before all requests have come
		{"top=1", 2, maxPlaces},
		{"labels=none", 2, maxPlaces},
		{"seconds=5", 5, maxPlaces},
		{"seconds=5&debug=1", 5, maxPlaces},
	} {
		synctest.Test(t, func(t *testing.T) {
			useTurn(t)
			p, source := newCountingProfile(t)
			var served, refused atomic.Int32
			var wg sync.WaitGroup
			for range 200 {
				wg.Go(func() {
					r := httptest.NewRequest("GET", "/debug/pprof/refs?"+test.parameters, nil)
					switch w := serveCounted(r, source(r)); w.Code {
					case http.StatusOK:
						served.Add(1)
					case http.StatusServiceUnavailable:
						refused.Add(1)
						if w.Header().Get("Retry-After") == "" {
							t.Errorf("%s: no Retry-After", test.parameters)
						}
					default:
						t.Errorf("%s: status %d: %s", test.parameters, w.Code, w.Body)
					}
				})
			}
			wg.Wait()
			if n := int(served.Load()); n < test.most || n+int(refused.Load()) != 200 {
				t.Errorf("%s: %d served, %d refused, want at least %d served", test.parameters, n, refused.Load(), test.most)
			}
			if n := int(p.written.Load()); n > test.recordings || p.most.Load() != 1 {
				t.Errorf("%s: %d recordings, %d at once, want at most %d", test.parameters, n, p.most.Load(), test.recordings)
			}
			if len(turn)+len(places) != 0 {
				t.Errorf("%s: %d turns and %d places are taken for ever", test.parameters, len(turn), len(places))
			}
		})
	}
}

// TestTurnGone checks that a request whose client goes while it waits does
// nothing more: while it waits for its turn before the recording, and while it
// waits between recordings and before parsing.
func TestTurnGone(t *testing.T) {
	for _, test := range []struct {
		parameters   string
		taken, after float64 // seconds until another request wants the turn, and until the client goes
		recordings   int32
	}{
		{"", 0, 1, 0},
		{"top=1", 0, 1, 0},
		{"seconds=5", 0, 1, 0},
		{"top=1", 0.5, 1.5, 1},
		{"seconds=5", 0.5, 2, 1},
		{"seconds=5", 0.5, 6.5, 1},
		{"seconds=5", 6.5, 7.5, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			useTurn(t)
			p, source := newCountingProfile(t)
			p.body = []byte("no profile") // parsing it fails
			ctx, gone := context.WithCancelCause(t.Context())
			r := httptest.NewRequestWithContext(ctx, "GET", "/debug/pprof/refs?"+test.parameters, nil)
			done := make(chan *httptest.ResponseRecorder)
			start := time.Now()
			sleepUntil := func(seconds float64) {
				time.Sleep(time.Until(start.Add(time.Duration(seconds * float64(time.Second)))))
			}
			go func() {
				sleepUntil(test.taken)
				turn <- struct{}{}
			}()
			synctest.Wait()
			go func() { done <- serveCounted(r, source(r)) }()
			sleepUntil(test.after)
			synctest.Wait()
			gone(errors.New("the client has gone"))
			if w := <-done; !strings.Contains(w.Body.String(), context.Canceled.Error()) {
				t.Errorf("%s after %gs: status %d: %s", test.parameters, test.after, w.Code, w.Body)
			}
			if n := p.written.Load(); n != test.recordings {
				t.Errorf("%s after %gs: %d recordings, want %d", test.parameters, test.after, n, test.recordings)
			}
			if len(places) != 0 {
				t.Errorf("%s after %gs: a place is taken for ever", test.parameters, test.after)
			}
			<-turn
		})
	}
}

// TestTurnRoom checks that no profile is parsed that would exceed the memory
// limit, although memory in use is far from it.
func TestTurnRoom(t *testing.T) {
	setLimits(t, "")
	const limit = 1 << 30
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	p, source := newCountingProfile(t)
	p.body, p.takes = make([]byte, limit/parsedFactor), 0
	for url, want := range map[string]int{
		"refs?top=1":             http.StatusServiceUnavailable,
		"refs?seconds=1&debug=1": http.StatusServiceUnavailable,
		"refs":                   http.StatusOK,
	} {
		r := httptest.NewRequest("GET", "/debug/pprof/"+url, nil)
		s := source(r)
		s.share = 90
		if w := serveCounted(r, s); w.Code != want || want != http.StatusOK && !strings.Contains(w.Body.String(), "the profile needs about") {
			t.Errorf("%s: status %d, want %d: %.200s", url, w.Code, want, w.Body)
		}
	}
}
