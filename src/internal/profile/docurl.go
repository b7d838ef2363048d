// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profile

// docURLOf returns the first DocURL in profiles that is not empty. Merge calls
// it through combineHeaders.
func docURLOf(profiles []*Profile) string {
	for _, p := range profiles {
		if p.DocURL != "" {
			return p.DocURL
		}
	}
	return ""
}
