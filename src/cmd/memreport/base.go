// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A base is the older one of two takes that are compared. Nothing is said to have
// grown if the base does not have it, and the report says so: evidence has no
// profile goroutineleak, for example.

package main

import (
	"fmt"
	"strings"
	"time"
)

// comparedProfiles are those by whose difference something has grown.
var comparedProfiles = [...]string{"memory", "growth", "cmemory", "refs", "inuse", "heap"}

// last returns the name of the last file of a profile. Of a watch that was cut it
// is another one than of a whole watch, and of evidence again another one.
func (t *take) last(name string) string {
	n := len(t.Moments) - 1
	for i := max(n, 2); i >= 0; i-- { // recordings are 1 and 2
		if t.files[numbered(name, i)] != nil {
			return numbered(name, i)
		}
	}
	return numbered(name, n)
}

// lacks returns what the base t does not have, and why.
func (t *take) lacks(newer *take) map[string]string {
	missing := make(map[string]string)
	for _, name := range comparedProfiles {
		if name == "heap" && newer.files[newer.last("refs")] != nil {
			continue // paths are compared
		}
		if newer.files[newer.last(name)] == nil || t.files[t.last(name)] != nil {
			continue
		}
		missing[name] = "not in the folder"
		if why := t.Missing[name]; why != "" {
			missing[name] = why
		}
	}
	return missing
}

// checkBase returns an error if a base is newer than what is compared with it, or
// of another program: all that either has would have come or gone.
func checkBase(base, t *take) error {
	if a, b := base.program(), t.program(); programName(a) != programName(b) && a != unknownProgram && b != unknownProgram {
		return fmt.Errorf("-base: %s is of the program %s, and %s is of %s: two takes of one program are compared", base.dir, a, t.dir, b)
	}
	if !base.Time.After(t.Time) {
		return nil
	}
	at := func(t time.Time) string { return t.UTC().Format(time.DateTime) }
	return fmt.Errorf("-base: %s is of %s, and newer than %s, which is of %s: the base is the older one", base.dir, at(base.Time), t.dir, at(t.Time))
}

// programName returns the name of an executable without what differs between
// systems.
func programName(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".exe") }
