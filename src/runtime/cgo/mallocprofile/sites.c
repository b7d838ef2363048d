// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

// The table of sites: a hash table of lists to which sites are only added.

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mallocprofile.h"

enum { HEADS = 4096, ARENA = 256 << 10, MAX_LABELLED = 16 << 10 };
#ifndef MAX_BYTES // a test has less
#define MAX_BYTES (64ul << 20)
#endif

static struct site *heads[HEADS];
static uint32_t labelled; // sites with labels
static uint64_t siteBytes;
uint64_t mallocprofileMapped;

struct site mallocprofileLost = {.root = ROOT_LOST};

// mallocprofileMap returns zeroed memory.
void *mallocprofileMap(size_t size) {
	long p = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L);
	if (p == -1)
		return NULL;
	__atomic_fetch_add(&mallocprofileMapped, size, __ATOMIC_RELAXED);
	return (void *)p;
}

void mallocprofileUnmap(void *p, size_t size) {
	syscall(SYS_munmap, p, size);
	__atomic_fetch_sub(&mallocprofileMapped, size, __ATOMIC_RELAXED);
}

// An arena is memory from which sites are cut.
struct arena { size_t used; };
static struct arena *current;

// cut returns a part of an arena.
static void *cut(size_t size) {
	for (;;) {
		struct arena *a = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		if (a != NULL) {
			size_t at = __atomic_fetch_add(&a->used, size, __ATOMIC_RELAXED) + 16;
			if (at + size <= ARENA)
				return (char *)a + at;
		}
		struct arena *b = mallocprofileMap(ARENA);
		if (b == NULL)
			return NULL;
		if (!__atomic_compare_exchange_n(&current, &a, b, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			mallocprofileUnmap(b, ARENA);
	}
}

static void *newSite(size_t size) {
	size = (size + 15) & ~(size_t)15;
	void *site = __atomic_fetch_add(&siteBytes, size, __ATOMIC_RELAXED) + size > MAX_BYTES ? NULL : cut(size);
	if (site == NULL)
		__atomic_fetch_sub(&siteBytes, size, __ATOMIC_RELAXED);
	return site;
}

static uint64_t hashBytes(uint64_t h, const char *p, size_t n) {
	for (; n > 0; p++, n--)
		h = (h ^ (uint8_t)*p) * 0x100000001B3ull;
	return h;
}

static struct site *findSite(struct site *list, uint64_t hash, const struct callstack *s, size_t nPCs) {
	for (; list != NULL; list = list->next) {
		if (list->hash == hash && list->root == s->root && list->nC == s->nC && list->nGo == s->nGo && list->nLabels == s->nLabels &&
			memcmp(list->pcs, s->pcs, nPCs) == 0 && memcmp((char *)list->pcs + nPCs, s->labels, s->nLabels) == 0)
			return list;
	}
	return NULL;
}

// mallocprofileSite returns the site of a call stack, or, if there is no room,
// one for all such samples. It removes the labels of s if too many sites have
// some.
struct site *mallocprofileSite(struct callstack *s) {
	size_t nPCs = (s->nC + s->nGo) * sizeof s->pcs[0];
	for (;;) {
		uint64_t hash = hashBytes(hashBytes(0xCBF29CE484222325ull ^ s->root, (char *)s->pcs, nPCs), s->labels, s->nLabels);
		struct site **head = &heads[hash % HEADS], *first = __atomic_load_n(head, __ATOMIC_ACQUIRE);
		struct site *site = findSite(first, hash, s, nPCs);
		if (site != NULL)
			return site;
		if (s->nLabels > 0 && __atomic_fetch_add(&labelled, 1, __ATOMIC_RELAXED) >= MAX_LABELLED) {
			__atomic_fetch_sub(&labelled, 1, __ATOMIC_RELAXED);
			s->nLabels = 0;
			continue;
		}
		site = newSite(sizeof *site + nPCs + s->nLabels);
		if (site == NULL) {
			__atomic_fetch_sub(&labelled, s->nLabels > 0, __ATOMIC_RELAXED);
			return &mallocprofileLost;
		}
		site->hash = hash;
		site->root = s->root;
		site->nC = s->nC;
		site->nGo = s->nGo;
		site->nLabels = s->nLabels;
		memcpy(site->pcs, s->pcs, nPCs);
		memcpy((char *)site->pcs + nPCs, s->labels, s->nLabels);
		// Another thread may add the same site at the same time. Then there
		// are two.
		do
			site->next = first;
		while (!__atomic_compare_exchange_n(head, &first, site, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
		return site;
	}
}

// mallocprofileNextSite returns the site after s, or the first one after NULL.
struct site *mallocprofileNextSite(struct site *s) {
	if (s == &mallocprofileLost)
		return NULL;
	if (s != NULL && s->next != NULL)
		return s->next;
	for (size_t h = s == NULL ? 0 : s->hash % HEADS + 1; h < HEADS; h++) {
		struct site *first = __atomic_load_n(&heads[h], __ATOMIC_ACQUIRE);
		if (first != NULL)
			return first;
	}
	return &mallocprofileLost;
}
