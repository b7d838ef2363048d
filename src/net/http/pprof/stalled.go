// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file ends a response that sends a heap graph if the client has stopped
// reading. While a heap graph is sent, no other heap graph can be made.

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
// the time stalledAfter.
const maxPart = 64 << 10

// endIfStalled returns a writer of the response's body that returns an error
// when the client stalls. It replaces a write deadline that the program has set
// for the response. If the server has a WriteTimeout, endIfStalled returns w,
// because the timeout ends the response. If w does not allow a write deadline,
// the response is not ended.
func endIfStalled(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if srv, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && srv.WriteTimeout > 0 {
		return w
	}
	return &stallingResponse{w, http.NewResponseController(w)}
}

// A stallingResponse gives each part of the body a write deadline of its own.
type stallingResponse struct {
	http.ResponseWriter
	controller *http.ResponseController
}

// Write leaves the connection without a deadline, as the server expects.
func (w *stallingResponse) Write(p []byte) (n int, err error) {
	defer w.controller.SetWriteDeadline(time.Time{})
	for len(p) > 0 && err == nil {
		w.controller.SetWriteDeadline(time.Now().Add(stalledAfter))
		var written int
		written, err = w.ResponseWriter.Write(p[:min(len(p), maxPart)])
		n, p = n+written, p[written:]
	}
	return n, err
}
