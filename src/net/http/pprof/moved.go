// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file refuses requests for retained sizes, which go tool heapgraph
// computes from a snapshot.

package pprof

import "net/http"

// retainedMoved refuses a request for the former profile retained.
func retainedMoved(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	serveError(w, http.StatusNotFound, "Retained sizes are computed from a snapshot: go tool heapgraph export -o retained.pb.gz pprof http://HOST/debug/pprof/heapgraph")
}

// refuseSets refuses a request for what sets retain. It reports whether r is
// such a request.
func refuseSets(w http.ResponseWriter, r *http.Request) bool {
	if r.FormValue("retained") == "" && len(r.Form["retained"]) == 0 {
		return false
	}
	serveError(w, http.StatusBadRequest, "What sets retain is computed from a snapshot: go tool heapgraph retained SET http://HOST/debug/pprof/heapgraph")
	return true
}
