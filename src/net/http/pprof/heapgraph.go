// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"errors"
	"net/http"
	"runtime/pprof"
	"strconv"
)

func init() {
	pages["heapgraph"] = HeapGraph
	pages["retained"] = retainedMoved
}

// HeapGraph responds with a snapshot of the heap graph: see [pprof.HeapGraph].
// It runs a garbage collection. If the GET parameter labels is 1, the snapshot
// has the labels of goroutines. The GET parameter memory is the limit of memory
// for references that wait to be sent, in bytes.
//
// While another snapshot is being written, the response has status 503 (Service
// Unavailable). If a snapshot fails after a part of it has been sent, the
// response is aborted, so that the client sees an error. The response is also
// aborted if the client does not accept a part of at most 64 KiB within five
// minutes, or if it lets the server wait more than five minutes longer than all
// parts take at 64 KiB a second. If the server has a WriteTimeout, the response is instead aborted
// five minutes after the end of that time. [Index] serves HeapGraph as
// /debug/pprof/heapgraph.
func HeapGraph(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	limit, err := heapGraphLimit(r.FormValue("memory"))
	if err != nil {
		serveError(w, http.StatusBadRequest, err.Error())
		return
	}
	if !admitRecording(w, r, "heapgraph") {
		return
	}
	configureWriteDeadline(w, r, heapGraphSeconds)
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", `attachment; filename="heapgraph"`)
	body := bodyWriter{w: endIfStalled(w, r)}
	g := pprof.HeapGraph{MemoryLimit: limit, Labels: r.FormValue("labels") == "1"}
	_, err = g.Write(&body)
	switch {
	case err == nil:
	case body.begun:
		panic(http.ErrAbortHandler)
	case errors.Is(err, pprof.ErrHeapGraphBusy):
		withdrawRecording("heapgraph")
		serveError(w, http.StatusServiceUnavailable, err.Error())
	default:
		serveError(w, http.StatusInternalServerError, err.Error())
	}
}

// admitRecording reports whether a request may cause a recording. If not, it has
// served an error. withdrawRecording undoes it. limits.go sets both.
var (
	admitRecording    = func(w http.ResponseWriter, r *http.Request, kind string) bool { return true }
	withdrawRecording = func(kind string) {}
)

// heapGraphSeconds is the time, in seconds, by which the server's WriteTimeout
// is extended, because a snapshot may be large.
const heapGraphSeconds = 300

// heapGraphLimit returns the limit that the parameter gives, or 0 if the
// parameter is empty.
func heapGraphLimit(parameter string) (int64, error) {
	if parameter == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(parameter, 10, 64)
	if err != nil || n <= 0 {
		return 0, errors.New(`invalid value for "memory" - must be a positive number of bytes`)
	}
	return n, nil
}
