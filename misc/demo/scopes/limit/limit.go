// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package limit is an example of how an HTTP server limits what requests allocate.
package limit

import (
	"context"
	"errors"
	"log"
	"net/http"
	"runtime"
	"runtime/memscope"
)

// Handler returns a handler that runs each request of h in a scope of its own. One that
// crosses a limit is answered with 503 Service Unavailable, or, if h has begun to answer,
// is cut off, so that the client sees that the answer is not whole.
//
// Set limits.Panic to stop code that does not look at the request's context. What h starts
// that is to outlive the request, and what is not for it alone, belongs into
// [memscope.Detach]; goroutines of the request that allocate much have to recover.
func Handler(h http.Handler, limits memscope.Limits) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w}
		err := memscope.Run(r.Context(), limits, func(ctx context.Context) error {
			h.ServeHTTP(a, r.WithContext(ctx))
			return nil
		})
		var limit *memscope.LimitError
		if !errors.As(err, &limit) {
			return
		}
		log.Printf("%s %s: %v, in %s", r.Method, r.URL.Path, limit, where(limit))
		if a.begun {
			panic(http.ErrAbortHandler)
		}
		http.Error(w, "the request needs too much memory", http.StatusServiceUnavailable)
	})
}

// where names the function that crossed the limit.
func where(limit *memscope.LimitError) string {
	f, _ := runtime.CallersFrames(limit.Stack).Next()
	return f.Function
}

// An answer knows whether it has begun. [http.ResponseController] finds what else the
// writer can do by Unwrap.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(b)
}
