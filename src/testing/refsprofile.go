// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The flag -test.refsprofile, for the profile of what retains the live heap when
// the tests are over. Init defines the flag, writeProfiles calls here.

package testing

import (
	"fmt"
	"os"
)

// writeRefsProfile writes the refs profile if the flag asks for it. Like for other
// profiles, an error ends the test binary.
func (m *M) writeRefsProfile() {
	if *refsProfile == "" {
		return
	}
	f, err := os.Create(toOutputDir(*refsProfile))
	if err != nil {
		fmt.Fprintf(os.Stderr, "testing: %s\n", err)
		os.Exit(2)
	}
	err = m.deps.WriteProfileTo("refs", f, 0)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "testing: can't write %s: %s\n", *refsProfile, err)
		os.Exit(2)
	}
}
