// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refpath

import "testing"

func TestRootText(t *testing.T) {
	if got, want := RootText("global", nil), "global"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := RootText("stack", [][2]string{{"user", "gopher"}, {"b", ""}}), `stack {"b":"", "user":"gopher"}`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWithLine(t *testing.T) {
	if got, want := withLine("main.f", "/src/main.go", 17), "main.f main.go:17"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := withLine("app.server", "", 0), "app.server"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
