// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

// What malloc maps. There is nothing to intercept, because the C library calls
// its own mmap and brk. But what they did can be seen in malloc's slow calls,
// without a lock:
//
//   - The program break, if the block may be from there.
//   - With glibc, a block's header says whether the block has a mapping of its
//     own, and of which size. A block of 128 KiB always makes a slow call, so
//     that all of these blocks are counted, but for those that are so large only
//     because of an alignment, and smaller ones that M_MMAP_THRESHOLD lets have
//     one.
//   - With glibc, the header says whether the block is in an arena other than
//     the main one. Such an arena consists of heaps, which begin at multiples of
//     their largest size with their present size. A tunable for huge pages
//     changes the largest size, and then nothing may be mapped there.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mallocprofile.h"

enum { HAS_MAPPING = 2, IN_ARENA = 4, FLAGS = 7 }; // in the word before a block
enum { PAGE = 4096 }; // at least

static int isGlibc;
static uintptr_t programBreak; // when it was last looked at, atomic

// mallocprofileFoundMalloc says which malloc will be called, before it is.
void mallocprofileFoundMalloc(void *(*malloc)(size_t)) {
	Dl_info its, libcs;
	void *version = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
	uintptr_t none = 0;
	__atomic_compare_exchange_n(&programBreak, &none, (uintptr_t)sbrk(0), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	isGlibc = version != NULL && dladdr((void *)malloc, &its) && dladdr(version, &libcs) && its.dli_fbase == libcs.dli_fbase;
}

// header returns the word before a block, or 0 if malloc has another form.
static size_t header(const void *p) {
	return isGlibc && (uintptr_t)p >> 56 == 0 ? ((const size_t *)p)[-1] : 0; // a tag of arm64's is not the header's
}

struct range mallocprofileOwnMapping(const void *p) {
	size_t size = header(p);
	if (!(size & HAS_MAPPING))
		return (struct range){0, 0};
	size_t before = ((const size_t *)p)[-2] & ~(size_t)1; // because of an alignment; new versions have a flag there
	uintptr_t base = (uintptr_t)p - 2 * sizeof(size_t) - before;
	return (struct range){base, (before + (size & ~(size_t)FLAGS) + PAGE - 1) & ~(uintptr_t)(PAGE - 1)}; // new versions leave the header out
}

// difference returns by how much a size differs from the one that was last
// seen. Of several threads that see it at once, one returns it.
static int64_t difference(uintptr_t *last, uintptr_t old, uintptr_t now) {
	return now != old && __atomic_compare_exchange_n(last, &old, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? (int64_t)(now - old) : 0;
}

#define LARGEST_HEAP ((uintptr_t)64 << 20)
struct heap { void *arena; struct heap *previous; size_t size; }; // how glibc's heaps begin

// Heaps that have had a block when one was looked at. One that is unmapped may
// come back at its address.
static struct { uintptr_t base, size; } heaps[4096];

// lastSize returns where the size of the heap at base is kept.
static uintptr_t *lastSize(uintptr_t base) {
	size_t n = sizeof heaps / sizeof heaps[0];
	for (size_t i = base / LARGEST_HEAP, end = i + 16; i < end; i++) { // far enough, unless most are used
		uintptr_t *at = &heaps[i % n].base, found = __atomic_load_n(at, __ATOMIC_RELAXED);
		if (found == base || (found == 0 && (__atomic_compare_exchange_n(at, &found, base, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || found == base)))
			return &heaps[i % n].size;
	}
	return NULL;
}

static int64_t heapGrowth(const void *p) {
	uintptr_t base = (uintptr_t)p & ~(LARGEST_HEAP - 1), *last = lastSize(base);
	if (last == NULL)
		return 0;
	uintptr_t old = __atomic_load_n(last, __ATOMIC_RELAXED);
	struct heap h;
	if (!mallocprofileCopy(&h, base, sizeof h) || h.arena == NULL || h.size % PAGE != 0 || h.size > LARGEST_HEAP || (uintptr_t)p - base >= h.size)
		return 0;
	return difference(last, old, h.size);
}

int64_t mallocprofileHeapGrowth(const void *p) {
	switch (header(p) & (HAS_MAPPING | IN_ARENA)) {
	case 0: { // of the program break, or unknown
		uintptr_t old = __atomic_load_n(&programBreak, __ATOMIC_RELAXED);
		return difference(&programBreak, old, (uintptr_t)sbrk(0));
	}
	case IN_ARENA:
		return heapGrowth(p);
	}
	return 0;
}

void mallocprofileCountGrowth(struct site *s, int64_t n) {
	if (n > 0) {
		__atomic_fetch_add(&s->mapped, n, __ATOMIC_RELAXED);
		__atomic_fetch_add(&s->growths, 1, __ATOMIC_RELAXED);
	} else if (n < 0) {
		__atomic_fetch_add(&s->unmapped, -n, __ATOMIC_RELAXED);
	}
}

// mallocprofileSpace returns what malloc has mapped and not unmapped, or 0 if it
// does not tell. It takes malloc's locks, so only the reader of a profile calls
// it.
size_t mallocprofileSpace(void) {
	struct info { size_t heaps, other[3], mappings, more[5]; };
	struct info (*mallinfo2)(void) = (struct info (*)(void))dlsym(RTLD_DEFAULT, "mallinfo2");
	if (!isGlibc || mallinfo2 == NULL)
		return 0;
	struct info i = mallinfo2();
	return i.heaps + i.mappings;
}
