// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file collects the two profiles of a difference, for the handler in
// pprof.go. Between the two, the first one is kept as bytes, because it is a
// hundred times larger when it is parsed, and the second refs profile would show
// that memory. Both are parsed and subtracted in the request's turn (turn.go).

package pprof

import (
	"bytes"
	"internal/profile"
	"net/http"
	_ "unsafe" // for linkname
)

// A delta is a request for a difference.
type delta struct {
	w       http.ResponseWriter
	r       *http.Request
	source  profileWriter
	first   collectedProfile
	leave   func()
	endTurn func() // nil before the turn
	header  int    // status, or 0 for OK
	body    bytes.Buffer
}

// beginDelta collects the first profile. The caller must call end unless there
// is an error.
func beginDelta(w http.ResponseWriter, r *http.Request, source profileWriter) (*delta, error) {
	d := &delta{w: w, r: r, source: source, leave: func() {}}
	if _, ok := source.(*limitedProfile); ok { // others are small, and have no limits in Go
		leave, err := takePlace()
		if err != nil {
			return nil, err
		}
		was := setRecording(true)
		d.leave = func() {
			setRecording(was)
			leave()
		}
	}
	begun := false
	defer func() {
		if !begun {
			d.leave()
		}
	}()
	var err error
	if d.first, err = collect(r, source); err != nil {
		return nil, err
	}
	begun = true
	return d, nil
}

// setRecording sets whether the calling goroutine is at work for a recording, and
// returns the previous value. A request is as long as it has bytes of a profile:
// other recordings then do not take these for memory of the program. The caller
// restores the value.
//
//go:linkname setRecording runtime.pprof_setRecording
func setRecording(on bool) (was bool)

// profiles collects the second profile, waits for the turn, and parses both
// profiles. What the caller writes to the response w is sent by end.
func (d *delta) profiles() (w http.ResponseWriter, p0, p1 *profile.Profile, err error) {
	w = deltaResponse{d.w, d}
	second, err := collect(d.r, d.source)
	if err != nil {
		return w, nil, nil, err
	}
	ctx := d.r.Context()
	if d.endTurn, err = takeTurn(ctx); err != nil {
		return w, nil, nil, err
	}
	if p, ok := d.source.(*limitedProfile); ok {
		if err := p.roomFor(parsedFactor * int64(len(d.first.body)+len(second.body))); err != nil {
			return w, nil, nil, err
		}
	}
	if p0, err = d.first.parse(); err == nil {
		err = ctx.Err()
	}
	d.first.body = nil
	if err == nil {
		p1, err = second.parse()
	}
	if err == nil {
		err = ctx.Err()
	}
	return w, p0, p1, err
}

// end ends the turn, and then sends the response.
func (d *delta) end() {
	defer d.leave()
	if d.endTurn != nil {
		d.endTurn()
	}
	if d.header != 0 {
		d.w.WriteHeader(d.header)
	}
	if d.body.Len() > 0 {
		d.w.Write(d.body.Bytes())
	}
}

// A deltaResponse keeps a response until the turn is over.
type deltaResponse struct {
	http.ResponseWriter
	d *delta
}

func (w deltaResponse) Write(p []byte) (int, error) { return w.d.body.Write(p) }
func (w deltaResponse) WriteHeader(status int)      { w.d.header = status }
