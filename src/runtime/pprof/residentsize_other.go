// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !linux

package pprof

// residentSize returns the zero value. On this system, the profile does not
// have the resident size.
func residentSize() residentMemory { return residentMemory{} }

// A pagemap knows nothing on this system.
type pagemap struct{}

func (p *pagemap) open() (close func(), err error) { return func() {}, nil }

func (p *pagemap) fill(base, n uintptr, present []byte) bool { return false }
