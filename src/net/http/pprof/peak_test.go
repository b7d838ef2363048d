// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"net/http"
	"testing"
)

func TestPeakHandler(t *testing.T) {
	w := get(http.HandlerFunc(Index), "/debug/pprof/peak")
	p, err := profile.Parse(w.Body)
	if err != nil {
		t.Fatalf("status %d: %v", w.Code, err)
	}
	if p.DefaultSampleType != "peak_space" {
		t.Errorf("default sample type %q", p.DefaultSampleType)
	}
}
