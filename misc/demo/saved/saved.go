// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package saved reads profiles from files, for the programs of misc/demo.
package saved

import (
	"fmt"
	"os"

	"github.com/google/pprof/profile"
)

// Read reads a profile. Errors name the file.
func Read(file string) (*profile.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}
