// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A fakeProfile writes its body and returns its error.
type fakeProfile struct {
	body string
	err  error
}

func (p fakeProfile) WriteTo(w io.Writer, debug int) error {
	if p.body != "" {
		io.WriteString(w, p.body)
	}
	return p.err
}

// TestWriteProfile checks that an error is served if nothing was written before
// it.
func TestWriteProfile(t *testing.T) {
	failed := errors.New("nothing recorded")
	for _, tt := range []struct {
		p    fakeProfile
		code int
		body string
	}{
		{fakeProfile{"profile", nil}, http.StatusOK, "profile"},
		{fakeProfile{"", failed}, http.StatusInternalServerError, "nothing recorded\n"},
		{fakeProfile{"pro", failed}, http.StatusOK, "pro"},
		{fakeProfile{"", nil}, http.StatusOK, ""},
	} {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Disposition", "attachment")
		writeProfile(w, tt.p, 0)
		if w.Code != tt.code || w.Body.String() != tt.body {
			t.Errorf("%+v: status %d, body %q, want %d, %q", tt.p, w.Code, w.Body, tt.code, tt.body)
		}
		if isError := w.Header().Get("X-Go-Pprof") != ""; isError != (tt.code != http.StatusOK) {
			t.Errorf("%+v: headers %v", tt.p, w.Header())
		}
	}
}
