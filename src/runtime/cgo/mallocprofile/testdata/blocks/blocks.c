// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "blocks.h"

void *allocated(struct truth *t, void *p) {
	if (p == NULL)
		abort();
	t->allocs++;
	t->allocBytes += malloc_usable_size(p);
	t->inuse++;
	t->inuseBytes += malloc_usable_size(p);
	return p;
}

void freed(struct truth *t, void *p) {
	t->inuse--;
	t->inuseBytes -= malloc_usable_size(p);
}

static void *reallocated(struct truth *t, void *p, size_t n) {
	freed(t, p);
	return allocated(t, realloc(p, n));
}

// ofC calls each function that allocates, and frees some of the blocks.
void ofC(struct truth *t) {
	for (size_t n = 0; n < 3000; n += 7) {
		void *p = allocated(t, malloc(n));
		if (n % 3 == 0) {
			freed(t, p);
			free(p);
		} else if (n % 3 == 1) {
			reallocated(t, p, n * 2 + 1);
		}
		allocated(t, calloc(n, 3));
		void *q = allocated(t, realloc(NULL, n + 1));
		if (realloc(q, (size_t)-1 >> 2) != NULL)
			abort();
		reallocated(t, q, 500000);
		allocated(t, reallocarray(NULL, n, 5));
		allocated(t, strdup("C has strings, too"));
	}
	void *p;
	if (posix_memalign(&p, 3, 100) == 0 || posix_memalign(&p, 4096, 100) != 0)
		abort();
	allocated(t, p);
	allocated(t, aligned_alloc(64, 640));
	allocated(t, memalign(256, 1000));
#ifdef __GLIBC__
	allocated(t, valloc(1000));
	allocated(t, pvalloc(1000));
#endif
	volatile size_t most = -1; // volatile, so that the compiler does not warn
	if (malloc(most >> 1) != NULL || malloc(most) != NULL || calloc(most, 2) != NULL)
		abort();
	free(NULL);
}

static struct truth early;

__attribute__((constructor)) static void beforeGo(void) {
	allocated(&early, malloc(12345));
}

void beforeMain(struct truth *t) { *t = early; }

static void *cThread(void *t) {
	for (int i = 1; i <= 100; i++) {
		void *p = allocated(t, malloc(i * 10));
		if (i % 4 == 0) {
			freed(t, p);
			free(p);
		}
	}
	return NULL;
}

void ofThread(struct truth *t) {
	pthread_t thread;
	if (pthread_create(&thread, NULL, cThread, t) != 0)
		abort();
	pthread_join(thread, NULL);
}

// mallocOfRegister calls malloc when the register of the frame pointer has
// another value, as in C that is compiled without frame pointers.
extern void *mallocOfRegister(size_t n, void *value);
__asm__(
	".text\n"
	".type mallocOfRegister, %function\n"
	"mallocOfRegister:\n"
#ifdef __x86_64__
	"push %rbp\n"
	"mov %rsi, %rbp\n"
	"call malloc@PLT\n"
	"pop %rbp\n"
#else
	"stp x29, x30, [sp, #-16]!\n"
	"mov x29, x1\n"
	"bl malloc\n"
	"ldp x29, x30, [sp], #16\n"
#endif
	"ret\n"
	".size mallocOfRegister, .-mallocOfRegister\n"
);

// ofRegister has numbers in the place of return addresses.
void ofRegister(struct truth *t) {
	for (uintptr_t i = 0; i < 10000; i++) {
		uintptr_t numbers[2] = {0, 0x10000 + i * 8};
		allocated(t, mallocOfRegister(100, numbers));
	}
}

#ifdef __aarch64__
#define SIGNED __attribute__((target("branch-protection=pac-ret")))
#else
#define SIGNED
#endif

SIGNED static __attribute__((noinline)) void *atDepth(size_t depth) {
	char *volatile room = alloca(depth); // needs a frame pointer
	void *volatile p = malloc(100);
	room[0] = 0;
	return p;
}

static __attribute__((noinline)) void *fromDepth(size_t depth) {
	char *volatile room = alloca(depth);
	void *volatile p = atDepth(1);
	room[0] = 0;
	return p;
}

// ofDepths calls malloc through a function whose return address is signed by the
// stack pointer, if the processor does that.
void ofDepths(struct truth *t) {
	for (size_t i = 1; i <= 100; i++)
		allocated(t, fromDepth(i * 16));
}

static pthread_key_t atExit;
static int isExiting, mayExit, isExited;

// atThreadExit runs when a thread has left Go for good.
static void atThreadExit(void *t) {
	__atomic_store_n(&isExiting, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&mayExit, __ATOMIC_SEQ_CST))
		usleep(1000);
	cThread(t);
	__atomic_store_n(&isExited, 1, __ATOMIC_SEQ_CST);
}

__attribute__((constructor)) static void makeKey(void) { pthread_key_create(&atExit, atThreadExit); }

void allocateAtExit(struct truth *t) { pthread_setspecific(atExit, t); }
int exiting(void) { return __atomic_load_n(&isExiting, __ATOMIC_SEQ_CST); }
int isMainThread(void) { return syscall(SYS_gettid) == getpid(); }

// exited lets the thread exit, and reports whether it has.
int exited(void) {
	__atomic_store_n(&mayExit, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&isExited, __ATOMIC_SEQ_CST);
}

extern void callback(void);
void callGo(void) { callback(); }

static void *callGoThread(void *arg) {
	callback();
	allocated(arg, malloc(54321));
	callback();
	return NULL;
}

void callGoFromThread(struct truth *t) {
	pthread_t thread;
	if (pthread_create(&thread, NULL, callGoThread, t) != 0)
		abort();
	pthread_join(thread, NULL);
}

void ofLibrary(struct truth *t, const char *file) {
	void *lib = dlopen(file, RTLD_NOW);
	if (lib == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		abort();
	}
	void *(*f)(size_t) = (void *(*)(size_t))dlsym(lib, "libraryAllocate");
	for (int i = 1; i <= 100; i++)
		allocated(t, f(i * 10));
}

enum { SLOTS = 1 << 12 };
static void *slots[SLOTS]; // blocks that any thread may free
static volatile int stop;

static void put(void *p) {
	static unsigned long at;
	free(__atomic_exchange_n(&slots[__atomic_fetch_add(&at, 2654435761ul, __ATOMIC_RELAXED) % SLOTS], p, __ATOMIC_ACQ_REL));
}

static void *churner(void *arg) {
	unsigned int seed = (unsigned int)(unsigned long)arg;
	while (!stop) {
		for (int i = 0; i < 100; i++) {
			size_t n = (size_t)rand_r(&seed) % 2000;
			put(i % 3 == 0 ? calloc(n, 1) : i % 3 == 1 ? realloc(malloc(n), n * 2) : malloc(n));
		}
	}
	return NULL;
}

// A thread that lives for one block.
static void *shortLived(void *arg) {
	put(malloc(100));
	return NULL;
}

// churn has many threads that free each other's blocks, and counts what is left.
void churn(int threads, int seconds, struct truth *t) {
	pthread_t all[threads];
	for (int i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, churner, (void *)(unsigned long)(i + 1)) != 0)
			abort();
	for (time_t end = time(NULL) + seconds; time(NULL) < end;) {
		pthread_t one;
		if (pthread_create(&one, NULL, shortLived, NULL) == 0)
			pthread_join(one, NULL);
	}
	stop = 1;
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		if (slots[i] != NULL)
			allocated(t, slots[i]);
}

// forkAndExec forks while other threads allocate. Children allocate and free
// what their parent allocated. Every other one runs a program.
int forkAndExec(int children) {
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();
		if (pid < 0)
			return 1;
		if (pid == 0) {
			alarm(60);
			for (int j = 0; j < SLOTS; j++)
				put(malloc(100 + j));
			if (i % 2)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		int status;
		if (waitpid(pid, &status, 0) != pid || status != 0)
			return 2;
	}
	return 0;
}

#ifdef __GLIBC__
static struct truth lost;

// withoutMemory allocates more blocks than there is room for in the profiler,
// when nothing can be mapped, and frees half of them. Go does not run yet.
__attribute__((constructor)) static void withoutMemory(void) {
	enum { BLOCKS = 20000 };
	static void *all[BLOCKS];
	struct rlimit limit, none;
	if (getenv("BLOCKS_WITHOUT_MEMORY") == NULL)
		return;
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 32 << 20);
	void *p = allocated(&lost, malloc(4 << 20));
	freed(&lost, p);
	free(p);
	if (getrlimit(RLIMIT_AS, &limit) != 0)
		abort();
	none = limit;
	none.rlim_cur = 0;
	if (setrlimit(RLIMIT_AS, &none) != 0)
		abort();
	if (mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
		lost = (struct truth){0}; // by an emulator
		return;
	}
	for (int i = 0; i < BLOCKS; i++)
		all[i] = allocated(&lost, malloc(40));
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		abort();
	for (int i = 0; i < BLOCKS; i += 2) {
		freed(&lost, all[i]);
		free(all[i]);
	}
}

void blocksWithoutMemory(struct truth *t) { *t = lost; }
#else
void blocksWithoutMemory(struct truth *t) {}
#endif

// mixed allocates blocks of 16 bytes to 4 KiB, frees half of them, and returns
// by how many bytes in use that made the C library's heap larger.
long mixed(int blocks) {
#ifdef __GLIBC__
	struct mallinfo2 before = mallinfo2();
	void **all = malloc(blocks * sizeof *all);
	unsigned int seed = 1;
	for (int i = 0; i < blocks; i++)
		all[i] = malloc((16 + (size_t)rand_r(&seed) % 16) << rand_r(&seed) % 8);
	for (int i = 0; i < blocks; i += 2)
		free(all[i]);
	struct mallinfo2 after = mallinfo2();
	return after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
#else
	return 0;
#endif
}
