// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import vars "example.com/refs/vars.v1"

var Own = new(int)

// Check compares the variables that the plugin shares with its host with the
// table of globals.
func Check() error { return vars.Check() }
