// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A C program that is linked with a library in Go, and takes the address of
// malloc.

#include <stdlib.h>
#include <unistd.h>

extern void printProfile(void);

int main(void) {
	void *p, *(*volatile allocate)(size_t) = malloc;
	alarm(60);
	if (allocate(1) == NULL || posix_memalign(&p, 64, 1) != 0)
		return 1;
	printProfile();
	return 0;
}
