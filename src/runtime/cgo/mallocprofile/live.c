// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

// The blocks that are not freed and either sampled or have a mapping of their
// own: a hash table by address. Each list only grows. An entry whose block is
// freed is used again in the same list, so there are as many entries as the list
// has had blocks at once.
//
// A block's address belongs to whoever allocated it until the real free, so no
// two threads add or remove the same address at once.

#include "mallocprofile.h"

enum { HEADS = 1 << 16, CHUNK = 1 << 12 };
#ifndef CHUNKS // a test has fewer
#define CHUNKS (1 << 14)
#endif

// Addresses of an entry without a block. NULL, which may be freed, is neither.
enum { FREE = 1, TAKEN = 2 };

struct entry {
	uintptr_t address; // atomic
	struct site *site;
	uint64_t objects, bytes;
	struct range own;
	uint32_t next; // number of an entry, or 0
};

uint8_t mallocprofileFilter[1 << FILTER_BITS];
static uint32_t heads[HEADS];
static struct entry *chunks[CHUNKS];
static uint32_t entries; // numbers given out, from 1 on, all of which have a chunk

static struct entry *at(uint32_t i) {
	return &__atomic_load_n(&chunks[i / CHUNK], __ATOMIC_ACQUIRE)[i % CHUNK];
}

static uint32_t *head(const void *p) { return &heads[mallocprofileHash(p) >> (FILTER_BITS - 16)]; }

// count adds d to the filter's number for p. A number of 255 stays.
static void count(const void *p, int d) {
	uint8_t *n = &mallocprofileFilter[mallocprofileHash(p)], old = __atomic_load_n(n, __ATOMIC_RELAXED);
	while (old != 255 && !__atomic_compare_exchange_n(n, &old, old + d, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
}

void mallocprofileMark(const void *p) { __atomic_store_n(&mallocprofileFilter[mallocprofileHash(p)], 255, __ATOMIC_RELAXED); }

// hasChunk reports whether there is memory for chunk c.
static int hasChunk(uint32_t c) {
	struct entry *none = NULL;
	if (__atomic_load_n(&chunks[c], __ATOMIC_ACQUIRE) != NULL)
		return 1;
	struct entry *new = mallocprofileMap(CHUNK * sizeof *new);
	if (new == NULL)
		return 0;
	if (!__atomic_compare_exchange_n(&chunks[c], &none, new, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		mallocprofileUnmap(new, CHUNK * sizeof *new);
	return 1;
}

// newEntry returns the number of an entry that is TAKEN, or 0.
static uint32_t newEntry(void) {
	uint32_t last = __atomic_load_n(&entries, __ATOMIC_RELAXED);
	do {
		if (last + 1 == CHUNK * CHUNKS || !hasChunk((last + 1) / CHUNK))
			return 0;
	} while (!__atomic_compare_exchange_n(&entries, &last, last + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	at(last + 1)->address = TAKEN;
	return last + 1;
}

// take returns an entry of p's list, which is TAKEN, or NULL.
static struct entry *take(const void *p) {
	uint32_t *h = head(p), first = __atomic_load_n(h, __ATOMIC_ACQUIRE);
	for (uint32_t i = first; i != 0; i = at(i)->next) {
		uintptr_t empty = FREE;
		struct entry *e = at(i);
		if (__atomic_load_n(&e->address, __ATOMIC_RELAXED) == FREE &&
			__atomic_compare_exchange_n(&e->address, &empty, TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return e;
	}
	uint32_t i = newEntry();
	if (i == 0)
		return NULL;
	do
		at(i)->next = first;
	while (!__atomic_compare_exchange_n(h, &first, i, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	return at(i);
}

// mallocprofileInsert adds a block, and counts it as allocated. One for which
// there is no room counts as lost, and as freed at once, because free will not
// find it.
void mallocprofileInsert(const struct block *b) {
	struct block stale;
	if (mallocprofileMaybeLive((void *)b->address) && mallocprofileRemove((void *)b->address, &stale)) {
		// Freed past free, by a function that is not interposed.
		__atomic_fetch_add(&stale.site->frees, stale.objects, __ATOMIC_RELAXED);
		__atomic_fetch_add(&stale.site->freeBytes, stale.bytes, __ATOMIC_RELAXED);
	}
	struct entry *e = take((void *)b->address);
	if (e == NULL) {
		__atomic_fetch_add(&mallocprofileLost.allocs, b->objects, __ATOMIC_RELAXED);
		__atomic_fetch_add(&mallocprofileLost.allocBytes, b->bytes, __ATOMIC_RELAXED);
		__atomic_fetch_add(&mallocprofileLost.frees, b->objects, __ATOMIC_RELAXED);
		__atomic_fetch_add(&mallocprofileLost.freeBytes, b->bytes, __ATOMIC_RELAXED);
		return;
	}
	e->site = b->site;
	e->objects = b->objects;
	e->bytes = b->bytes;
	e->own = b->own;
	__atomic_fetch_add(&b->site->allocs, b->objects, __ATOMIC_RELAXED);
	__atomic_fetch_add(&b->site->allocBytes, b->bytes, __ATOMIC_RELAXED);
	count((void *)b->address, 1);
	__atomic_store_n(&e->address, b->address, __ATOMIC_RELEASE);
}

// mallocprofileRemove removes the block at p, if there is one.
int mallocprofileRemove(const void *p, struct block *b) {
	for (uint32_t i = __atomic_load_n(head(p), __ATOMIC_ACQUIRE); i != 0; i = at(i)->next) {
		struct entry *e = at(i);
		uintptr_t address = (uintptr_t)p;
		if (__atomic_load_n(&e->address, __ATOMIC_ACQUIRE) == address &&
			__atomic_compare_exchange_n(&e->address, &address, TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			*b = (struct block){(uintptr_t)p, e->site, e->objects, e->bytes, e->own};
			count(p, -1);
			__atomic_store_n(&e->address, FREE, __ATOMIC_RELEASE);
			return 1;
		}
	}
	return 0;
}

// mallocprofileMappings puts up to n mappings that blocks have of their own into
// ranges, and returns their number. A range may be an old one.
size_t mallocprofileMappings(struct range *ranges, size_t n) {
	size_t found = 0;
	for (uint32_t i = 1, last = __atomic_load_n(&entries, __ATOMIC_ACQUIRE); i <= last; i++) {
		struct entry *e = at(i);
		uintptr_t address = __atomic_load_n(&e->address, __ATOMIC_ACQUIRE);
		struct range own = {__atomic_load_n(&e->own.base, __ATOMIC_ACQUIRE), __atomic_load_n(&e->own.size, __ATOMIC_ACQUIRE)};
		if (address > TAKEN && own.size != 0 && __atomic_load_n(&e->address, __ATOMIC_RELAXED) == address) {
			if (found < n)
				ranges[found] = own;
			found++;
		}
	}
	return found;
}
