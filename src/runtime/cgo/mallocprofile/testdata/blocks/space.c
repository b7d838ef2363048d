// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What malloc maps, by the C library's own count.

#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "blocks.h"

#ifdef __GLIBC__
long space(void) {
	struct mallinfo2 m = mallinfo2();
	return m.arena + m.hblkhd;
}

long mappings(void) { return mallinfo2().hblkhd; }
#else
long space(void) { return 0; }
long mappings(void) { return 0; }
#endif

long programBreak(void) { return (long)sbrk(0); }

enum { LARGE = 1 << 20, ODD = 12345 };
static void *large[12], *small[12];

void mapSmall(void) {
	for (int i = 0; i < 12; i++)
		small[i] = malloc(100);
}

// mapLarge makes blocks with mappings of their own, in all ways, and no others.
void mapLarge(void) {
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); // so that pages are touched one by one
	for (int i = 0; i < 12; i++) {
		size_t n = LARGE + (size_t)i * ODD;
		switch (i % 6) {
		case 0: large[i] = malloc(n); break;
		case 1: large[i] = calloc(n, 1); break;
		case 2: large[i] = realloc(small[i], n); break;
		case 3: if (posix_memalign(&large[i], 1 << 16, n)) abort(); break;
		case 4: large[i] = malloc(131049 + 16 * (i / 6)); break; // the smallest ones
		case 5: large[i] = realloc(realloc(malloc(1 << 18), 1 << 19), n); break;
		}
		if (large[i] == NULL)
			abort();
	}
}

// remapLarge makes blocks larger and smaller.
void remapLarge(void) {
	large[0] = realloc(large[0], 7 * LARGE);
	large[0] = realloc(large[0], 3 * LARGE);
	large[5] = realloc(large[5], 200);
	if (realloc(large[6], (size_t)-1 >> 2) != NULL)
		abort();
}

// unmapLarge frees blocks. From then on, malloc takes larger ones from its heaps.
void unmapLarge(void) {
	for (int i = 1; i < 12; i += 5) {
		free(large[i]);
		large[i] = NULL;
	}
	large[2] = realloc(large[2], 0);
	large[7] = realloc(large[7], 3 << 20); // copied or not, as malloc likes
}

// touchLarge writes to each page of some of the blocks, and returns how much of
// all has pages. Of the others, malloc has written to the first page, and to the
// one before an aligned block.
long touchLarge(void) {
	long sum = 0;
	for (int i = 0; i < 12; i++) {
		size_t n = malloc_usable_size(large[i]);
		if (i % 2 == 0)
			memset(large[i], 1, n);
		sum += i % 2 == 0 ? (n + 4095) & ~4095ul : i % 6 == 3 ? 8192 : 4096;
	}
	return sum;
}

static void *manyBlocks(void *unused) {
	for (int i = 0; i < 60000; i++)
		if (malloc(1000) == NULL)
			abort();
	return NULL;
}

void growBreak(void) { manyBlocks(NULL); }

void growArena(void) {
	pthread_t thread;
	if (pthread_create(&thread, NULL, manyBlocks, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
}
