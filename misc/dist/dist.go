// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package dist has tests only: of dist.bash, of install.bash, and of the toolchain
// that they make and install, as a user selects it.
package dist
