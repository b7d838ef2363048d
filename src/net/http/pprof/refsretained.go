// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file serves retained sizes over HTTP: the refs profile with the GET
// parameter retained, which names a set and may be given several times. The
// handler in pprof.go calls serveRetained.

package pprof

import (
	"errors"
	"io"
	"net/http"
	"runtime/pprof"
	"strconv"
)

// serveRetained responds with a profile of what the sets in the request retain
// (see [pprof.Retained]). It reports whether the request has sets. While
// another measurement runs, the response has status 503 (Service Unavailable).
func serveRetained(w http.ResponseWriter, r *http.Request) bool {
	if r.FormValue("retained") == "" && len(r.Form["retained"]) == 0 {
		return false
	}
	if r.FormValue("seconds") != "" {
		serveError(w, http.StatusBadRequest, "seconds and retained params are incompatible")
		return true
	}
	red, err := reductionOf(r)
	if err != nil {
		serveError(w, http.StatusBadRequest, err.Error())
		return true
	}
	if !admit(w, r, "sets") {
		return true
	}
	debug, _ := strconv.Atoi(r.FormValue("debug"))
	if debug != 0 {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	} else {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", `attachment; filename="retained"`)
	}
	body := bodyWriter{w: endIfStalled(w, r)}
	retained := pprof.Retained{Sets: r.Form["retained"]}
	err = red.write(r, &body, debug, "retained", func(w io.Writer, debug int) error {
		_, err := retained.Write(w, debug)
		return err
	})
	switch {
	case err == nil || body.begun:
	case errors.Is(err, pprof.ErrRetainedBusy):
		withdraw("sets")
		serveError(w, http.StatusServiceUnavailable, err.Error())
	case errors.Is(err, pprof.ErrRetainedSets):
		serveError(w, http.StatusBadRequest, err.Error())
	default:
		serveProfileError(w, "", err)
	}
	return true
}
