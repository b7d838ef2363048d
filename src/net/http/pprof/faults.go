// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"
)

// Faults responds with the pprof-formatted page fault profile: see
// [pprof.StartPageFaultProfile]. Profiling lasts for the number of seconds that
// the GET parameter seconds gives, or for 30 seconds without the parameter. If
// the parameter is not a positive integer, the response is an error. If the
// profile is not possible, for example on systems other than Linux, the
// response is an error that gives the reason. [Index] serves Faults as
// /debug/pprof/faults.
func Faults(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	sec, ok := faultSeconds(r.FormValue("seconds"))
	if !ok {
		serveError(w, http.StatusBadRequest, `invalid value for "seconds" - must be a positive integer`)
		return
	}
	configureWriteDeadline(w, r, float64(sec))
	// StartPageFaultProfile writes nothing before the profile ends.
	if err := pprof.StartPageFaultProfile(w); err != nil {
		serveError(w, http.StatusInternalServerError, fmt.Sprintf("Could not enable page fault profiling: %s", err))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="faults"`)
	sleep(r, time.Duration(sec)*time.Second)
	pprof.StopPageFaultProfile()
}

// faultSeconds returns the duration, in seconds, that the parameter gives. ok
// is false if the parameter is not valid.
func faultSeconds(parameter string) (sec int64, ok bool) {
	if parameter == "" {
		return 30, true
	}
	sec, err := strconv.ParseInt(parameter, 10, 64)
	return sec, err == nil && isDuration(sec)
}
