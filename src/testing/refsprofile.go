// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Profiles that are recorded when the tests are over, of what is alive then: those of
// the flag -test.refsprofile and its like. Init defines the flags, writeProfiles calls
// here.

package testing

import (
	"fmt"
	"os"
)

// writeRecordedProfile writes a profile to a file, if that has a name. Like for other
// profiles, an error ends the test binary.
func (m *M) writeRecordedProfile(profile, file string) {
	if file == "" {
		return
	}
	f, err := os.Create(toOutputDir(file))
	if err != nil {
		fmt.Fprintf(os.Stderr, "testing: %s\n", err)
		os.Exit(2)
	}
	err = m.deps.WriteProfileTo(profile, f, 0)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "testing: can't write %s: %s\n", file, err)
		os.Exit(2)
	}
}
