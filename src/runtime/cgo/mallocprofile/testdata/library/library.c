// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

#include <stdlib.h>

// No call in the last place, so that the function has a frame.
void *libraryAllocate(size_t n) {
	void *volatile p = malloc(n);
	return p;
}
