// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package iterate

import "testing"

func TestRun(t *testing.T) {
	var got int
	bodies := map[string]Body{"walk": func(n int) { got = n }}
	if err := run(bodies, []string{"walk", "7"}); err != nil || got != 7 {
		t.Fatalf("run: n = %d, err = %v, want 7 and none", got, err)
	}
	for _, bad := range [][]string{nil, {"walk"}, {"swim", "7"}, {"walk", "x"}, {"walk", "-1"}} {
		if run(bodies, bad) == nil {
			t.Errorf("run(%q) succeeded", bad)
		}
	}
}
