// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package limit is an example of how an HTTP server can limit the memory that
// requests allocate.
package limit

import (
	"context"
	"errors"
	"log"
	"net/http"
	"runtime"
	"runtime/memscope"
)

// Handler returns a handler that runs each request of h in a scope of its own.
// If a request crosses a limit, the answer is 503 Service Unavailable. If h has
// already begun to answer, the answer is cut off, so that the client sees that
// it is incomplete.
//
// Loops of h that may allocate much must check [memscope.Err] or the request's
// context, and return. Work that is not for the request alone belongs in
// [memscope.Detach].
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

// where returns the name of the function in which the limit was found crossed.
func where(limit *memscope.LimitError) string {
	f, _ := runtime.CallersFrames(limit.Stack).Next()
	return f.Function
}

// An answer records whether it has begun, and does not begin or go on after the
// request has crossed a limit. [http.ResponseController] finds the writer's other
// abilities by Unwrap.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(status int) {
	if memscope.Err() != nil {
		return
	}
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if err := memscope.Err(); err != nil {
		return 0, err
	}
	a.begun = true
	return a.ResponseWriter.Write(b)
}

func (a *answer) FlushError() error {
	a.begun = true
	return http.NewResponseController(a.ResponseWriter).Flush()
}
