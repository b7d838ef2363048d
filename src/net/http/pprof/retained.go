// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"errors"
	"io"
	"net/http"
	"runtime/pprof"
)

// Retained responds with the dominator tree of the live heap as a profile: see
// [pprof.RetainedProfile]. It runs a garbage collection. The GET parameter
// memory is the limit of memory for the analysis, in bytes. The GET parameters
// top and labels are as for the refs profile.
//
// If the analysis needs more memory than the limit, or than the system has, the
// response has status 507 (Insufficient Storage). If the estimated number of
// objects already shows this, no collection is run. While another profile of
// this kind or a heap graph is being made, the response has status 503 (Service
// Unavailable). [Index] serves Retained as /debug/pprof/retained.
func Retained(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	limit, err := heapGraphLimit(r.FormValue("memory"))
	if err == nil && r.FormValue("seconds") != "" {
		err = errors.New("retained does not support the seconds parameter: go tool heapgraph diff compares two heap graphs")
	}
	var red reduction
	if err == nil {
		red, err = reductionOf(r)
	}
	if err != nil {
		serveError(w, http.StatusBadRequest, err.Error())
		return
	}
	if !admit(w, r, "retained") {
		return
	}
	configureWriteDeadline(w, r, heapGraphSeconds)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="retained"`)
	body := bodyWriter{w: endIfStalled(w, r)}
	err = red.write(r, &body, 0, "retained", func(w io.Writer, _ int) error {
		return (&pprof.RetainedProfile{MemoryLimit: limit}).Write(w)
	})
	switch {
	case err == nil:
	case body.begun:
		panic(http.ErrAbortHandler)
	case errors.Is(err, pprof.ErrRetainedMemory):
		withdraw("retained")
		serveError(w, http.StatusInsufficientStorage, err.Error())
	case errors.Is(err, pprof.ErrHeapGraphBusy):
		withdraw("retained")
		serveError(w, http.StatusServiceUnavailable, err.Error())
	default:
		serveProfileError(w, "", err)
	}
}
