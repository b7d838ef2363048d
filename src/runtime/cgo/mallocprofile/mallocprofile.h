// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What the parts of the profiler in C have in common.
//
// Rules for all functions that run in malloc and free: they take no lock,
// allocate only by the system call mmap, keep errno, and leave data that other
// threads, a signal handler and a forked child can use at each instruction.

#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// A site is a call stack with labels, and what was allocated there. Sites are
// never removed. Objects are counted in units of 1/OBJECT, because a sample
// stands for a number of objects that is no integer.
#define OBJECT 65536

enum root { ROOT_GO, ROOT_C_THREAD, ROOT_RUNTIME, ROOT_BEFORE, ROOT_LOST };

struct site {
	struct site *next; // in the hash table
	uint64_t hash;
	uint64_t allocs, allocBytes, frees, freeBytes; // atomic
	uint64_t mapped, unmapped, growths; // by malloc's mappings and heaps, atomic
	uint32_t root;
	uint32_t nC, nGo;     // numbers of return addresses, leaf first
	uint32_t nLabels;     // bytes after the addresses: each key and value after its length in 2 bytes
	uintptr_t pcs[];
};

// sampling.c
struct weight { double scale; }; // the number of blocks for which a sample stands
HIDDEN int mallocprofileChoose(size_t size, struct weight *w);
HIDDEN intptr_t mallocprofileRate(void);

// callstack.c
struct goLayout { // see runtime/callerofc_linux.s
	uintptr_t (*threadG)(void);
	uintptr_t g_m, g_stackLo, g_stackHi, g_bp, g_syscallsp, g_syscallbp, g_labels;
	uintptr_t m_g0, m_curg, m_procid, m_isExtraInC; // the last is the last in m, too
	uintptr_t text, etext, systemstackSwitch;
	const intptr_t *rate;
};
// It is weak, because cgo links the C code alone, too.
extern const struct goLayout mallocprofileGo __attribute__((weak));
enum { MAX_C = 32, MAX_GO = 128, MAX_LABELS = 1024 };
struct callstack {
	uint32_t root, nC, nGo, nLabels;
	uintptr_t pcs[MAX_C + MAX_GO];
	char labels[MAX_LABELS];
};
extern HIDDEN int mallocprofileStarted; // whether the Go package is initialized, atomic
extern HIDDEN int mallocprofileOff;     // whether another malloc is the process's, so that nothing is sampled, atomic
extern HIDDEN int mallocprofileLabels;   // whether samples have labels, atomic
HIDDEN void mallocprofileCallstack(struct callstack *s, uintptr_t caller, uintptr_t fp);
HIDDEN int mallocprofileCopy(void *to, uintptr_t from, size_t n);

// sites.c
HIDDEN struct site *mallocprofileSite(struct callstack *s);
HIDDEN void *mallocprofileMap(size_t size);
HIDDEN void mallocprofileUnmap(void *p, size_t size);
extern HIDDEN uint64_t mallocprofileMapped; // bytes that the profiler has mapped, atomic
struct site *mallocprofileNextSite(struct site *s);
extern HIDDEN struct site mallocprofileLost; // samples for which there is no room

// live.c
#define FILTER_BITS 18
extern HIDDEN uint8_t mallocprofileFilter[1 << FILTER_BITS]; // how many blocks of a hash are sampled; 255 stays
static inline uint32_t mallocprofileHash(const void *p) {
	return ((uint64_t)(uintptr_t)p * 0x9E3779B97F4A7C15ull) >> (64 - FILTER_BITS);
}
static inline int mallocprofileMaybeLive(const void *p) {
	return __atomic_load_n(&mallocprofileFilter[mallocprofileHash(p)], __ATOMIC_RELAXED) != 0;
}
struct range { uintptr_t base; size_t size; };
struct block { uintptr_t address; struct site *site; uint64_t objects, bytes; struct range own; }; // own is its mapping, if it has one
HIDDEN void mallocprofileInsert(const struct block *b);
HIDDEN int mallocprofileRemove(const void *p, struct block *b);
HIDDEN void mallocprofileMark(const void *p); // makes mallocprofileMaybeLive(p) true forever

// allocator.c
HIDDEN void mallocprofileFoundAllocator(void *(*malloc)(size_t));
HIDDEN int mallocprofileIsAllocators(uintptr_t caller);

// growth.c
HIDDEN void mallocprofileFoundMalloc(void *(*malloc)(size_t));
HIDDEN struct range mallocprofileOwnMapping(const void *p);
HIDDEN int64_t mallocprofileHeapGrowth(const void *p); // of heaps of more than a block, since it was last called
HIDDEN void mallocprofileCountGrowth(struct site *s, int64_t bytes);
size_t mallocprofileSpace(void);
size_t mallocprofileMappings(struct range *ranges, size_t n);
