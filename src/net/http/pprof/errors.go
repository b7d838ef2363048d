// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file serves the errors of profiles over HTTP. The handler in pprof.go
// calls writeProfile.

package pprof

import (
	"io"
	"net/http"
)

// writeProfile writes a profile as the response. If that fails before anything
// is written, for example because the recording failed, it serves the error.
func writeProfile(w http.ResponseWriter, p profileWriter, debug int) {
	body := bodyWriter{w: w}
	if err := p.WriteTo(&body, debug); err != nil && !body.begun {
		serveProfileError(w, "", err)
	}
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
