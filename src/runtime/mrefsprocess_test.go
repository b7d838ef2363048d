// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"runtime"
	"slices"
	"testing"
)

// TestRefsModuleTypes reads the name of whatever could be a type, because an
// integer that is taken for an interface's type may lead anywhere.
func TestRefsModuleTypes(t *testing.T) {
	names := runtime.RefsModuleTypes()
	for _, name := range []string{"*int", "map[string]int", "*testing.T", "func(*testing.T)", "*runtime.moduledata"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is no type", name)
		}
	}
}
