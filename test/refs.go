// runindir -gomodversion 1.27

//go:build !js && !plan9 && !wasip1 && !windows

// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Checks the refs profile of heaps of known shape; the program is in refs.dir.

package ignored
