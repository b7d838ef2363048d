// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package buildcfg

import "testing"

func TestReleaseFirst(t *testing.T) {
	for _, test := range []struct{ version, want string }{
		{"go1.27.4-refs-5dcfd7b6", "go1.27.4 X:refs-5dcfd7b6"},
		{"go1.27.4-refs-5dcfd7b6 X:arenas,simd", "go1.27.4 X:refs-5dcfd7b6,arenas,simd"},
		{"go1.28rc1-refs-00000000", "go1.28rc1 X:refs-00000000"},
		{"go1.27.4", "go1.27.4"},
		{"go1.27.4-X:arenas", "go1.27.4-X:arenas"},
		{"devel go1.28-abcdef Thu Aug 6", "devel go1.28-abcdef Thu Aug 6"},
		{"", ""},
	} {
		if got := ReleaseFirst(test.version); got != test.want {
			t.Errorf("ReleaseFirst(%q) = %q, want %q", test.version, got, test.want)
		}
	}
}
