// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

// The allocation functions of the process. They stand in the executable, so
// that all libraries call them, and call the next ones in the search order:
// those of a preloaded library, or the C library's. In a library that dlopen
// opened, only the library's own C code calls them. They then call the process's,
// and sample nothing.
//
// A block that is not sampled costs malloc a subtraction and free a look into
// mallocprofileFilter. Both then jump to the real function, so that its caller
// is ours. What is sampled goes through a function that begins with "slow". Each
// of these has a frame, in which it finds the caller and its frame pointer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "mallocprofile.h"

// The bytes to allocate until the next slow call on this thread.
HIDDEN __thread uint64_t mallocprofileUntil __attribute__((tls_model("initial-exec")));

// What a block takes beside the bytes requested: about malloc's own, and more
// than 0, so that empty blocks are sampled, too.
#define OVERHEAD 16

// due counts a block of n bytes, and reports whether a slow call is due, which
// then calls record.
static inline int due(size_t n) {
	return UNLIKELY(__builtin_sub_overflow(mallocprofileUntil, (uint64_t)n + OVERHEAD, &mallocprofileUntil));
}

#define CALLER (uintptr_t)__builtin_return_address(0), *(uintptr_t *)__builtin_frame_address(0)
#define SLOW static __attribute__((noinline))

static void *firstMalloc(size_t);
static void *firstCalloc(size_t, size_t);
static void *firstRealloc(void *, size_t);
static void firstFree(void *);
static int firstPosixMemalign(void **, size_t, size_t);
static void *firstAlignedAlloc(size_t, size_t);
static void *firstMemalign(size_t, size_t);

static void *(*realMalloc)(size_t) = firstMalloc;
static void *(*realCalloc)(size_t, size_t) = firstCalloc;
static void *(*realRealloc)(void *, size_t) = firstRealloc;
static void (*realFree)(void *) = firstFree;
static int (*realPosixMemalign)(void **, size_t, size_t) = firstPosixMemalign;
static void *(*realAlignedAlloc)(size_t, size_t) = firstAlignedAlloc;
static void *(*realMemalign)(size_t, size_t) = firstMemalign;
static size_t (*realUsableSize)(void *);

// All ones if the real function calls another one of these functions, which
// counts the block again, as those of musl do. Otherwise 0.
static uint64_t nestedCalloc, nestedMemalign, nestedPosixMemalign;

// Takes back the count of a block that the real function counts, too.
#define COUNTED_ONCE(nested, n) (mallocprofileUntil += ((uint64_t)(n) + OVERHEAD) & nested)

// Memory for what dlsym allocates while it looks for the real functions. It is
// never freed.
static _Alignas(16) char early[16 << 10];
static size_t earlyUsed;
static __thread int finding __attribute__((tls_model("initial-exec")));

static void *earlyAlloc(size_t align, size_t n) {
	if (align < 16)
		align = 16;
	size_t room = n + align + 16, at = __atomic_fetch_add(&earlyUsed, (room + 15) & ~(size_t)15, __ATOMIC_RELAXED);
	if (n > sizeof early || at + room > sizeof early) {
		errno = ENOMEM;
		return NULL;
	}
	uintptr_t p = ((uintptr_t)early + at + 16 + align - 1) & ~(align - 1);
	((size_t *)p)[-1] = n;
	mallocprofileMark((void *)p);
	return (void *)p;
}

static int isEarly(const void *p) {
	return (uintptr_t)p - (uintptr_t)early < sizeof early;
}

// mallocprofileMalloc is the malloc of this file, whatever malloc is.
#pragma GCC diagnostic ignored "-Wmissing-attributes"
extern HIDDEN __typeof(malloc) mallocprofileMalloc __attribute__((alias("malloc")));

static void *libraryOf(void *f) {
	Dl_info info;
	return dladdr(f, &info) ? info.dli_fbase : NULL;
}

// mustFind finds a function in the next library, or in the program. The program
// may have an allocator that lacks some of the functions, and this library the
// next ones.
static void *mustFind(void *program, const char *name) {
	void *f = dlsym(mallocprofileOff ? program : RTLD_NEXT, name);
	if (f != NULL && mallocprofileOff && libraryOf(f) == libraryOf((void *)mallocprofileMalloc))
		f = dlsym(RTLD_NEXT, name);
	if (f == NULL) {
		static const char prefix[] = "runtime/cgo/mallocprofile: not available in a statically linked program: no other function ";
		struct iovec text[] = {{(void *)prefix, sizeof prefix - 1}, {(void *)name, strlen(name)}, {"\n", 1}};
		if (writev(2, text, 3)) {}
		abort();
	}
	return f;
}

// isNested returns all ones if the real function that has made p has called one
// of these functions, and frees p.
static uint64_t isNested(void *p, void (*realFree)(void *)) {
	if (isEarly(p))
		return ~0ull;
	realFree(p);
	return 0;
}

// isProcessMalloc reports whether the program's malloc leads to this file's,
// which counts. Its address need not be that of this file's: in an executable
// that takes it, it may be that of a stub.
static int isProcessMalloc(void *program) {
	void *(*m)(size_t) = dlsym(program, "malloc");
	void (*f)(void *) = dlsym(program, "free");
	if (m == NULL || f == NULL)
		return 1;
	uint64_t until = mallocprofileUntil;
	mallocprofileUntil = UINT64_MAX / 2;
	void *p = m(1);
	int counted = mallocprofileUntil != UINT64_MAX / 2;
	f(p);
	mallocprofileUntil = until;
	return counted;
}

// find looks for the real functions. Several threads may do it at once.
static void find(void) {
	int saved = errno;
	finding++;
	void *program = dlopen(NULL, RTLD_LAZY);
	if (program != NULL && !isProcessMalloc(program))
		__atomic_store_n(&mallocprofileOff, 1, __ATOMIC_RELAXED);
	void *(*m)(size_t) = mustFind(program, "malloc");
	void *(*c)(size_t, size_t) = mustFind(program, "calloc");
	void *(*r)(void *, size_t) = mustFind(program, "realloc");
	void (*f)(void *) = mustFind(program, "free");
	int (*pm)(void **, size_t, size_t) = mustFind(program, "posix_memalign");
	void *(*aa)(size_t, size_t) = mustFind(program, "aligned_alloc");
	void *(*ma)(size_t, size_t) = mustFind(program, "memalign");
	if (!mallocprofileOff) {
		void *p = NULL;
		mallocprofileFoundMalloc(m);
		mallocprofileFoundAllocator(m);
		realUsableSize = mustFind(program, "malloc_usable_size");
		nestedCalloc |= isNested(c(1, 1), f);
		if (libraryOf((void *)ma) == libraryOf((void *)m))
			nestedMemalign |= isNested(ma(16, 1), f);
		if (libraryOf((void *)pm) == libraryOf((void *)m))
			nestedPosixMemalign |= pm(&p, 16, 1) == 0 ? isNested(p, f) : 0;
	}
	realPosixMemalign = pm;
	realAlignedAlloc = aa;
	realMemalign = ma;
	realCalloc = c;
	realRealloc = r;
	realFree = f;
	realMalloc = m;
	finding--;
	errno = saved;
}

// findEarly runs before Go does, and calls dlsym while the thread that may have
// called dlopen has its lock. Go's own thread would wait for this lock, and a
// constructor that calls Go for Go.
__attribute__((constructor(101))) static void findEarly(void) {
	if (realMalloc == firstMalloc)
		find();
}

static void *firstMalloc(size_t n) {
	if (finding)
		return earlyAlloc(16, n);
	find();
	return realMalloc(n);
}

static void *firstCalloc(size_t n, size_t size) {
	if (finding) {
		size_t bytes;
		if (__builtin_mul_overflow(n, size, &bytes))
			return NULL;
		return earlyAlloc(16, bytes); // of zeros, because used once
	}
	find();
	return realCalloc(n, size);
}

static void *firstRealloc(void *p, size_t n) {
	if (finding) {
		void *q = earlyAlloc(16, n);
		if (p && q)
			memcpy(q, p, ((size_t *)p)[-1] < n ? ((size_t *)p)[-1] : n);
		return q;
	}
	find();
	return realRealloc(p, n);
}

static void firstFree(void *p) {
	if (finding)
		return;
	find();
	realFree(p);
}

static int firstPosixMemalign(void **p, size_t align, size_t n) {
	if (finding)
		return (*p = earlyAlloc(align, n)) ? 0 : ENOMEM;
	find();
	return realPosixMemalign(p, align, n);
}

static void *firstAlignedAlloc(size_t align, size_t n) {
	if (finding)
		return earlyAlloc(align, n);
	find();
	return realAlignedAlloc(align, n);
}

static void *firstMemalign(size_t align, size_t n) {
	if (finding)
		return earlyAlloc(align, n);
	find();
	return realMemalign(align, n);
}

// A call is a slow call, with what it does besides a block.
struct call {
	uintptr_t caller, fp;
	int isDue;      // due was true for the block, which may be its turn
	size_t unmapped; // the mapping of the block before, or 0
};

// site returns the site of a call.
static struct site *site(const struct call *c) {
	struct callstack s;
	mallocprofileCallstack(&s, c->caller, c->fp);
	return mallocprofileSite(&s);
}

// recordCall counts block p of n bytes as a sample if it is its turn, and what
// malloc has mapped. If p is NULL, it undoes what due did. A library may have
// taken the place of system calls, and allocate in them: on this thread, no slow
// call is due until the end.
static void *recordCall(void *p, size_t n, const struct call *c) {
	struct weight w = {0};
	struct range own = {0};
	int isSample = 0, isBlock = p != NULL && !isEarly(p) && realUsableSize != NULL, saved = errno;
	int64_t grown = -(int64_t)c->unmapped;
	if (__atomic_load_n(&mallocprofileOff, __ATOMIC_RELAXED))
		return p;
	if (isBlock) {
		isSample = c->isDue && mallocprofileChoose(n + OVERHEAD, &w);
		if (mallocprofileIsAllocators(c->caller))
			isBlock = isSample = 0;
	} else if (c->isDue)
		mallocprofileUntil += (uint64_t)n + OVERHEAD;
	uint64_t until = mallocprofileUntil;
	mallocprofileUntil = UINT64_MAX / 2;
	if (isBlock) {
		own = mallocprofileOwnMapping(p);
		grown += (int64_t)own.size + mallocprofileHeapGrowth(p);
	}
	if (isSample || own.size != 0 || grown != 0) {
		struct block b = {(uintptr_t)p, site(c), (uint64_t)(w.scale * OBJECT), 0, own};
		mallocprofileCountGrowth(b.site, grown);
		if (isSample)
			b.bytes = (uint64_t)(w.scale * realUsableSize(p));
		if (isSample || own.size != 0)
			mallocprofileInsert(&b);
	}
	mallocprofileUntil = until;
	errno = saved;
	return p;
}

static void *record(void *p, size_t n, uintptr_t caller, uintptr_t fp) {
	struct call c = {caller, fp, 1, 0};
	return recordCall(p, n, &c);
}

SLOW void *slowMalloc(size_t n) { return record(realMalloc(n), n, CALLER); }

SLOW void *slowCalloc(size_t n, size_t size) {
	void *p = realCalloc(n, size);
	COUNTED_ONCE(nestedCalloc, n * size);
	return record(p, n * size, CALLER);
}

SLOW void *slowAlignedAlloc(size_t align, size_t n) { return record(realAlignedAlloc(align, n), n, CALLER); }

SLOW void *slowMemalign(size_t align, size_t n) {
	void *p = realMemalign(align, n);
	COUNTED_ONCE(nestedMemalign, n);
	return record(p, n, CALLER);
}

SLOW int slowPosixMemalign(void **p, size_t align, size_t n) {
	int err = realPosixMemalign(p, align, n);
	COUNTED_ONCE(nestedPosixMemalign, n);
	record(err == 0 ? *p : NULL, n, CALLER);
	return err;
}

// freed counts block p as freed if it was sampled. It runs before the real
// free, after which another thread may have a block at this address.
static void freed(void *p, struct block *b) {
	if (mallocprofileRemove(p, b)) {
		__atomic_fetch_add(&b->site->frees, b->objects, __ATOMIC_RELAXED);
		__atomic_fetch_add(&b->site->freeBytes, b->bytes, __ATOMIC_RELAXED);
	}
}

SLOW void slowFree(void *p) {
	struct block b = {0};
	if (isEarly(p))
		return;
	freed(p, &b);
	if (b.own.size != 0) {
		struct call c = {CALLER, 0, b.own.size};
		recordCall(NULL, 0, &c);
	}
	realFree(p);
}

SLOW void *slowRealloc(void *p, size_t n, int isDue) {
	struct block b = {0};
	struct call c = {CALLER, isDue, 0};
	if (isEarly(p)) {
		size_t old = ((size_t *)p)[-1];
		void *q = realMalloc(n);
		if (q)
			memcpy(q, p, old < n ? old : n);
		return recordCall(q, n, &c);
	}
	if (p != NULL)
		freed(p, &b);
	void *q = realRealloc(p, n);
	if (q == NULL && n != 0 && b.site != NULL) {
		// p is still there.
		__atomic_fetch_sub(&b.site->frees, b.objects, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&b.site->freeBytes, b.bytes, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&b.site->allocs, b.objects, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&b.site->allocBytes, b.bytes, __ATOMIC_RELAXED);
		mallocprofileInsert(&b);
	} else {
		c.unmapped = b.own.size;
	}
	return recordCall(q, n, &c);
}

void *malloc(size_t n) {
	return due(n) ? slowMalloc(n) : realMalloc(n);
}

void *calloc(size_t n, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		return realCalloc(n, size);
	if (due(bytes))
		return slowCalloc(n, size);
	COUNTED_ONCE(nestedCalloc, bytes);
	return realCalloc(n, size);
}

void *realloc(void *p, size_t n) {
	int isDue = due(n);
	return UNLIKELY(isDue | mallocprofileMaybeLive(p)) ? slowRealloc(p, n, isDue) : realRealloc(p, n);
}

void free(void *p) {
	if (UNLIKELY(mallocprofileMaybeLive(p)))
		slowFree(p);
	else
		realFree(p);
}

// The C libraries that have these call their own free in them.
void free_sized(void *p, size_t n) { free(p); }
void free_aligned_sized(void *p, size_t align, size_t n) { free(p); }

int posix_memalign(void **p, size_t align, size_t n) {
	if (due(n))
		return slowPosixMemalign(p, align, n);
	COUNTED_ONCE(nestedPosixMemalign, n);
	return realPosixMemalign(p, align, n);
}

void *aligned_alloc(size_t align, size_t n) {
	return due(n) ? slowAlignedAlloc(align, n) : realAlignedAlloc(align, n);
}

void *memalign(size_t align, size_t n) {
	if (due(n))
		return slowMemalign(align, n);
	COUNTED_ONCE(nestedMemalign, n);
	return realMemalign(align, n);
}

// Not every library has valloc and pvalloc. What malloc's library does not
// have, another one must not allocate.
void *valloc(size_t n) { return memalign(sysconf(_SC_PAGESIZE), n); }

void *pvalloc(size_t n) {
	size_t page = sysconf(_SC_PAGESIZE);
	return memalign(page, n > SIZE_MAX - page ? n : (n + page - 1) & ~(page - 1));
}
