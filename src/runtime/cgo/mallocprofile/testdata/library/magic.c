// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// An allocator, to preload or to link into a program, that aborts when it is to
// free another allocator's block.

#include <stdlib.h>
#include <string.h>

enum { ROOM = 16 }; // before a block
static const unsigned long magic = 0x6d616c6c6f63;
extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

void *malloc(size_t n) {
	unsigned long *p = __libc_malloc(n + ROOM);
	if (p == NULL)
		return NULL;
	p[0] = magic;
	p[1] = n;
	return (char *)p + ROOM;
}

void free(void *p) {
	if (p == NULL)
		return;
	unsigned long *start = (unsigned long *)((char *)p - ROOM);
	if (start[0] != magic)
		abort();
	start[0] = 0;
	__libc_free(start);
}

void *calloc(size_t n, size_t size) {
	void *p = malloc(n * size);
	return p ? memset(p, 0, n * size) : NULL;
}

void *realloc(void *p, size_t n) {
	void *q = malloc(n);
	if (p != NULL && q != NULL) {
		size_t old = ((unsigned long *)p)[-1];
		memcpy(q, p, old < n ? old : n);
		free(p);
	}
	return q;
}
