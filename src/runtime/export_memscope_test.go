// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What memscopehurry_test.go needs of the panics of memory scopes.

package runtime

const MemscopeHurry = memscopeHurry

// MemscopeHurried returns after which of the rounds of sysmon, in which goroutines were
// asked to panic or not, it stays at its shortest sleep.
func MemscopeHurried(asked []bool) (hurries []bool) {
	var n memscopeRounds
	for _, a := range asked {
		hurries = append(hurries, n.hurry(a))
	}
	return hurries
}
