// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file ends a response that sends a heap graph if the client has stopped
// reading, or reads very slowly. While a heap graph is sent, no other heap graph
// can be made, and references that wait to be sent take memory.

package pprof

import (
	"net/http"
	"time"
)

// stalledAfter is the time that a client has to accept a part of the response,
// of at most maxPart bytes. After that time, the client has stalled. Tests
// change it. The time is long, because Linux lets a write continue only when
// about a third of the send buffer is free, which may be more than a megabyte.
var stalledAfter = heapGraphSeconds * time.Second

// maxPart is the largest part of a response, in bytes, for which a client has
// the time stalledAfter. For all parts together it has this time and partTime for
// each part that it has accepted, so that a client that reads a part every few
// minutes does not keep a response for days.
const (
	maxPart  = 64 << 10
	partTime = time.Second
)

// endIfStalled returns a writer of the response's body that returns an error
// when the client stalls. It replaces a write deadline that the program has set
// for the response. If the server has a WriteTimeout, endIfStalled returns w,
// because the timeout ends the response. If w does not allow a write deadline,
// the response is not ended.
func endIfStalled(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && srv.WriteTimeout > 0 {
		return w
	}
	return &stallingResponse{ResponseWriter: w, controller: http.NewResponseController(w)}
}

// A stallingResponse gives each part of the body a write deadline of its own.
type stallingResponse struct {
	http.ResponseWriter
	controller *http.ResponseController
	written    int64         // bytes
	waited     time.Duration // for the client
}

// left returns the time in which the client has to accept the next part.
func (w *stallingResponse) left() time.Duration {
	return stalledAfter + min(0, time.Duration(w.written/maxPart)*partTime-w.waited)
}

// Write leaves the connection without a deadline, as the server expects.
func (w *stallingResponse) Write(p []byte) (n int, err error) {
	defer w.controller.SetWriteDeadline(time.Time{})
	for len(p) > 0 && err == nil {
		start := time.Now()
		w.controller.SetWriteDeadline(start.Add(w.left()))
		var written int
		written, err = w.ResponseWriter.Write(p[:min(len(p), maxPart)])
		w.waited += time.Since(start)
		w.written += int64(written)
		n, p = n+written, p[written:]
	}
	return n, err
}
