// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Packages of the standard library, which have a flag in their objects.

package loader

// StdPackages returns the paths of the packages of the standard library that
// are linked.
func (l *Loader) StdPackages() map[string]bool {
	std := make(map[string]bool)
	for _, r := range l.objs {
		if r != nil && r.Reader != nil && r.unit != nil && r.Std() {
			std[r.unit.Lib.Pkg] = true
		}
	}
	return std
}
