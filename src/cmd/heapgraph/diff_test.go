// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"testing"
)

func TestDiff(t *testing.T) {
	old, new := (&server{sessions: 100}).file(t), (&server{sessions: 120}).file(t)
	checkLines(t, output(t, "diff", "-bytes", old, new),
		"Live: +21760 in +40 objects",
		"",
		"shallow retained objects type",
		"+20480 +20480 +20 []uint8",
		"+1280 +21760 +20 app.Session",
		"0 +21760 +0 []*app.Session",
		"",
		"shallow retained objects dominator path",
		"+20480 +20480 +20 app.sessions > []*app.Session > app.Session > []uint8",
		"+1280 +21760 +20 app.sessions > []*app.Session > app.Session",
		"0 +21760 +0 (all roots)",
		"0 +21760 +0 app.sessions",
		"0 +21760 +0 app.sessions > []*app.Session",
		"")
	checkLines(t, output(t, "diff", "-n=1", new, old), "-20.00kB -20.00kB -20 []uint8", "(2 more)")
	busy := (&server{sessions: 120, request: 7}).file(t)
	checkLines(t, output(t, "diff", "-bytes", "-n=1", old, busy),
		"Live: +28928 in +47 objects",
		"",
		"shallow retained objects type",
		"+20480 +20480 +20 []uint8",
		"(2 more)",
		"+7168 +7168 +7 (this request)",
		"",
		"shallow retained objects dominator path",
		"+20480 +20480 +20 app.sessions > []*app.Session > app.Session > []uint8",
		"(4 more)",
		"+7168 +7168 +7 (this request)",
		"")
	checkLines(t, output(t, "diff", "-bytes", new, busy),
		"shallow retained objects type",
		"+7168 +7168 +7 (this request)",
		"",
		"shallow retained objects dominator path",
		"0 +7168 +0 (all roots)",
		"+7168 +7168 +7 (this request)",
		"")
	checkLines(t, output(t, "diff", old, old), "No type differs.", "", "No dominator path differs.")
}
