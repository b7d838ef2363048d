// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file collects profiles that are parsed later, because requests share
// the bytes of a recording, and parse them one after another.

package pprof

import (
	"internal/profile"
	"io"
	"net/http"
	"time"
)

// A collectedProfile is the bytes of a profile and the time at which it was
// collected.
type collectedProfile struct {
	source profileWriter
	body   []byte
	nanos  int64
}

// collect collects a profile in the turn of the request. Requests share the
// bytes of profiles that are recordings.
func collect(r *http.Request, source profileWriter) (c collectedProfile, err error) {
	c.source = source
	if p, ok := source.(*limitedProfile); ok {
		c.body, err = p.take(0)
	} else {
		c.body, err = writeInTurn(r, source, 0)
	}
	c.nanos = time.Now().UnixNano()
	return c, err
}

// parse parses the profile.
func (c collectedProfile) parse() (*profile.Profile, error) { return collectProfile(c) }

// WriteTo writes the bytes, for collectProfile.
func (c collectedProfile) WriteTo(w io.Writer, _ int) error {
	_, err := w.Write(c.body)
	return err
}

// setTime sets the time of a profile that was collected from source. It leaves
// a profile of references unchanged, because the time of such a profile is that
// of its recording, which several requests may share.
func setTime(source profileWriter, p *profile.Profile, nanos int64) {
	if c, ok := source.(collectedProfile); ok {
		source, nanos = c.source, c.nanos
	}
	if _, ok := source.(*limitedProfile); !ok {
		p.TimeNanos = nanos
	}
}
