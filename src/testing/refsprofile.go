// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Profiles of the objects that are alive when the tests have ended, such as the
// profile of the flag -test.refsprofile. Init defines the flags, and
// writeProfiles calls writeRecordedProfile.

package testing

import (
	"fmt"
	"os"
)

// writeRecordedProfile writes a profile to a file, unless the name of the file
// is empty. An error ends the test binary, as for other profiles.
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
