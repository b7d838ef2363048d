// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A library to preload, in the way of jemalloc. It counts.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static long mallocs;
extern void *__libc_malloc(size_t);

void *malloc(size_t n) {
	__atomic_fetch_add(&mallocs, 1, __ATOMIC_RELAXED);
	return __libc_malloc(n);
}

long preloadedMallocs(void) { return mallocs; }

// preloadedNew and preloadedDelete are in the way of operators. The first one
// calls a function by its public name, and the second one does not.
void *preloadedNew(size_t n) { return aligned_alloc(64, n); }
extern void __libc_free(void *);
void preloadedDelete(void *p) { __libc_free(p); }
