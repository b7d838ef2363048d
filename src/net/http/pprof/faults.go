// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"fmt"
	"math"
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"
)

// Faults responds with the pprof-formatted page fault profile, see
// [pprof.StartPageFaultProfile]. Profiling lasts for duration specified in seconds GET
// parameter, or for 30 seconds if not specified; what is no positive number of seconds is
// an error. Where it is not possible, as on systems other than Linux, the response is an
// error that says why.
// The package initialization registers it as /debug/pprof/faults.
func Faults(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	sec, ok := faultSeconds(r.FormValue("seconds"))
	if !ok {
		serveError(w, http.StatusBadRequest, `invalid value for "seconds" - must be a positive integer`)
		return
	}
	configureWriteDeadline(w, r, float64(sec))
	// Nothing is written before the profile ends.
	if err := pprof.StartPageFaultProfile(w); err != nil {
		serveError(w, http.StatusInternalServerError, fmt.Sprintf("Could not enable page fault profiling: %s", err))
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="faults"`)
	sleep(r, time.Duration(sec)*time.Second)
	pprof.StopPageFaultProfile()
}

// faultSeconds returns the duration of a profile by its parameter, and whether that is one.
func faultSeconds(parameter string) (sec int64, ok bool) {
	if parameter == "" {
		return 30, true
	}
	sec, err := strconv.ParseInt(parameter, 10, 64)
	return sec, err == nil && 0 < sec && sec <= math.MaxInt64/int64(time.Second)
}
