// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package time

import "internal/memscope"

// inMemscope returns a function that runs f in the memory scope of the caller
// of AfterFunc.
func inMemscope(f func()) func() { return memscope.Bind(f) }
