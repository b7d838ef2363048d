// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file bounds the memory of requests. A parsed profile may take a hundred
// times the memory of its compressed bytes, and a server may have hundreds of
// clients. Therefore requests do one after another what is more than writing a
// recording (turn), their number is limited while they hold bytes (places), and
// requests that come at the same time share a recording (flights).
//
// A request does nothing more when its client has gone. Nothing is sent during
// a turn, so that slow clients do not delay others.

package pprof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"internal/profile"
	"io"
	"net/http"
	"runtime/pprof"
	"sync"
	"time"
)

// turn has a value while a request has its turn.
var turn = make(chan struct{}, 1)

// takeTurn waits for the turn of a request. The caller must call end unless
// there is an error.
func takeTurn(ctx context.Context) (end func(), err error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case turn <- struct{}{}:
	}
	if err := ctx.Err(); err != nil {
		<-turn
		return nil, err
	}
	return func() { <-turn }, nil
}

// writeInTurn returns the bytes of a profile, which it writes in the turn of the
// request.
func writeInTurn(r *http.Request, p profileWriter, debug int) ([]byte, error) {
	if x, ok := p.(turnProfile); ok {
		p = x.source
	}
	end, err := takeTurn(r.Context())
	if err != nil {
		return nil, err
	}
	defer end()
	var b bytes.Buffer
	err = p.WriteTo(&b, debug)
	return b.Bytes(), err
}

// parseInTurn parses a profile, in the turn of the request, and returns the
// bytes that the function write makes of the profile. It returns an error if the
// client has gone, or if memory in use is near the memory limit.
func parseInTurn(r *http.Request, compressed []byte, write func(w io.Writer, p *profile.Profile) error) ([]byte, error) {
	end, err := takeTurn(r.Context())
	if err != nil {
		return nil, err
	}
	defer end()
	if err := hasRoom(r, parsedFactor*int64(len(compressed))); err != nil {
		return nil, err
	}
	p, err := profile.Parse(bytes.NewReader(compressed))
	if err == nil {
		err = r.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = write(&b, p)
	return b.Bytes(), err
}

// turnProfiles has the other profiles that are written in turn.
var turnProfiles = map[handler]*pprof.Profile{"growth": pprof.Lookup("growth"), "memory": pprof.Lookup("memory"), "peak": pprof.Lookup("peak")}

// A turnProfile is a profile that is written in the turn of the request.
type turnProfile struct {
	request *http.Request
	source  profileWriter
}

func (p turnProfile) WriteTo(w io.Writer, debug int) error {
	body, err := writeInTurn(p.request, p.source, debug)
	if err == nil {
		_, err = w.Write(body)
	}
	return err
}

// maxPlaces is the number of requests that may hold the bytes of a profile until
// their turn comes, or until a second profile is due.
const maxPlaces = 32

var places = make(chan struct{}, maxPlaces)

// takePlace takes a place, or returns an error if none is free. The caller must
// call leave unless there is an error.
func takePlace() (leave func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	default:
		return nil, &refusal{http.StatusServiceUnavailable, fmt.Sprintf(
			"refused, because %d requests for profiles with the parameters seconds, top or labels are under way", maxPlaces), time.Second}
	}
}

// parsedFactor is the memory for parsing, merging and writing a profile, as a
// multiple of its compressed bytes.
const parsedFactor = 100

// A flight is a profile that is being made, and the requests that share it.
type flight struct {
	done chan struct{} // closed when body and err are set
	body []byte
	err  error
}

// flights makes one profile after another. All requests that come before one is
// begun share it, so each gets a profile that began after the request.
type flights struct {
	mu   sync.Mutex
	next *flight
}

// take returns the next profile. One of the requests that share it makes it, in
// its turn: with the function write, if ready returns no body and no error.
func (q *flights) take(ctx context.Context, ready, write func() ([]byte, error)) ([]byte, error) {
	f := q.join()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-f.done:
		return f.body, f.err
	case turn <- struct{}{}:
	}
	defer func() { <-turn }()
	select {
	case <-f.done:
		return f.body, f.err
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if body, err := ready(); body != nil || err != nil {
		return body, err
	}
	q.begin(f, write)
	return f.body, f.err
}

// join returns the next flight.
func (q *flights) join() *flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = &flight{done: make(chan struct{})}
	}
	return q.next
}

// begin makes the profile of f, which must be the next flight.
func (q *flights) begin(f *flight, write func() ([]byte, error)) {
	q.mu.Lock()
	q.next = nil
	q.mu.Unlock()
	defer close(f.done)
	f.err = errors.New("making the profile panicked") // remains if it does
	f.body, f.err = write()
}
