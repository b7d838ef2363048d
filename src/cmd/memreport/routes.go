// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Servers that route the pages of net/http/pprof one by one, or elsewhere, answer
// without some of them, or with others.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/pprof/profile"
)

var errIndex = errors.New("pprof.Index gave its list; it has profiles below /debug/pprof/ alone: use http.StripPrefix")

// checkAnswer returns an error if an answer is not what a file should have.
func checkAnswer(file string, body []byte) error {
	if bytes.Contains(body, []byte("<title>/debug/pprof/</title>")) {
		return errIndex
	}
	return checkFile(file, body)
}

// isPage reports whether an answer is HTML.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// unrouted adds to an error how the server is made to have a page, if its
// toolchain has it.
func (f *fetcher) unrouted(err error) error {
	var status *statusError
	if !errors.As(err, &status) || status.code != http.StatusNotFound || status.pprof || !f.take.hasRefs() {
		return err
	}
	return fmt.Errorf("%w: route %s* to pprof.Index", err, pprofPath)
}

// hasRefs reports whether the toolchain of a server has profiles such as refs, by
// a sample type that came with them.
func (t *take) hasRefs() bool {
	p := t.profile(numbered("goroutine", 0))
	return p != nil && slices.ContainsFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type == "stack_space" })
}
