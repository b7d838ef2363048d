// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports of the panics of memory scopes for tests of package runtime.

package runtime

const MemscopeHurry = memscopeHurry

var MayBeStd = mayBeStd

// MemscopeHurried returns the result of hurry for each round of sysmon. asked
// says for each round whether a goroutine was asked to panic.
func MemscopeHurried(asked []bool) (hurries []bool) {
	var n memscopeRounds
	for _, a := range asked {
		hurries = append(hurries, n.hurry(a))
	}
	return hurries
}
