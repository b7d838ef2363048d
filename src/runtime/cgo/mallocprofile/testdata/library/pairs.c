// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A C program that calls malloc and free as often as its argument says. In the
// place of Go's table it has one with which no thread has a g.

#include <stdlib.h>
#include "../../mallocprofile.h"

static uintptr_t noG(void) { return 0; }
const struct goLayout mallocprofileGo = {.threadG = noG};

int main(int argc, char **argv) {
	for (long n = atol(argv[1]); n > 0; n--) {
		void *volatile p = malloc(64);
		free(p);
	}
	return 0;
}
