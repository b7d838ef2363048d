// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file serves the errors of profiles over HTTP. The handler in pprof.go
// calls writeProfile.

package pprof

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// writeProfile writes a profile as the response. If that fails before anything
// is written, for example because the recording failed, it serves the error.
func writeProfile(w http.ResponseWriter, p profileWriter, debug int) {
	body := bodyWriter{w: w}
	if err := p.WriteTo(&body, debug); err != nil && !body.begun {
		serveProfileError(w, "", err)
	}
}

// A refusal is the error of a request that is refused with a status of its own,
// because of limits for example.
type refusal struct {
	status int
	text   string
	wait   time.Duration // after which the client may try again, if known
}

func (e *refusal) Error() string { return e.text }

// serveProfileError serves an error of a profile, after a prefix.
func serveProfileError(w http.ResponseWriter, prefix string, err error) {
	status := http.StatusInternalServerError
	if e, ok := errors.AsType[*refusal](err); ok {
		status = e.status
		if e.wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((e.wait+time.Second-1)/time.Second)))
		}
	}
	serveError(w, status, prefix+err.Error())
}

// A profileWriter writes a profile, as a *pprof.Profile does.
type profileWriter interface {
	WriteTo(w io.Writer, debug int) error
}

// A bodyWriter records whether the body of a response has begun.
type bodyWriter struct {
	w     http.ResponseWriter
	begun bool
}

func (b *bodyWriter) Write(p []byte) (int, error) {
	b.begun = true
	return b.w.Write(p)
}
