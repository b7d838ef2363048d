// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "_cgo_export.h"
#include "threads.h"

enum { SLOTS = 1 << 12 };
static unsigned char *slots[SLOTS]; // blocks that any thread may free

// filled returns p with its size in its first and last bytes.
static void *filled(unsigned char *p, size_t n) {
	if (p != NULL && n > 8) {
		memcpy(p, &n, 8);
		p[n - 1] = n;
	}
	return p;
}

static void check(unsigned char *p) {
	size_t n;
	memcpy(&n, p, 8);
	if (p[n - 1] != (unsigned char)n)
		abort();
}

static void put(void *p, unsigned at) {
	unsigned char *old = __atomic_exchange_n(&slots[at % SLOTS], p, __ATOMIC_ACQ_REL);
	if (old != NULL)
		check(old);
	free(old);
}

void clearSlots(void) {
	for (int i = 0; i < SLOTS; i++)
		put(NULL, i);
}

static void allocate(unsigned *seed) {
	size_t n = 16 + ((size_t)rand_r(seed) % 16 << rand_r(seed) % 11);
	if (rand_r(seed) % 500 == 0)
		n = (1 << 17) + (size_t)rand_r(seed) % (1 << 20); // a mapping of its own
	void *p = NULL;
	switch (rand_r(seed) % 6) {
	case 0: p = malloc(n); break;
	case 1: p = calloc(n, 1); break;
	case 2: p = realloc(malloc(n / 2), n); break;
	case 3: if (posix_memalign(&p, 64, n)) p = NULL; break;
	case 4: p = aligned_alloc(4096, (n + 4095) & ~4095ul); break;
	case 5: p = memalign(256, n); break;
	}
	put(filled(p, n), rand_r(seed));
}

static pthread_key_t atExit;
static void exiting(void *value) {
	unsigned seed = (unsigned)(size_t)value;
	for (int i = 0; i < 20; i++)
		allocate(&seed);
}
__attribute__((constructor)) static void makeKey(void) { pthread_key_create(&atExit, exiting); }

static void *run(void *arg) {
	unsigned seed = (unsigned)(size_t)arg;
	pthread_setspecific(atExit, arg);
	for (int i = 0; i < (int)(seed % 64); i++) {
		allocate(&seed);
		if (i % 8 == 3)
			back(i % 3);
		if (i % 16 == 7)
			usleep(1000);
	}
	return NULL;
}

// threads starts n threads, some on small stacks, which allocate, call Go, and
// exit.
int threads(int n, int seed) {
	pthread_t all[n];
	pthread_attr_t small;
	int started = 0;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	while (started < n && pthread_create(&all[started], started % 2 ? &small : NULL, run, (void *)(size_t)(seed + started * 7919 + 1)) == 0)
		started++;
	for (int i = 0; i < started; i++)
		pthread_join(all[i], NULL);
	return started;
}

// back calls Go, which calls back, and allocates before and after.
void back(int depth) {
	unsigned seed = depth + 1;
	allocate(&seed);
	goBack(depth);
	allocate(&seed);
}

// chains reallocates n blocks to other sizes many times.
long chains(int n) {
	unsigned seed = n;
	long steps = 0;
	for (int i = 0; i < n; i++) {
		unsigned char *p = NULL;
		for (int j = 0; j < 40; j++, steps++) {
			size_t size = 8 + ((size_t)rand_r(&seed) % 64 << rand_r(&seed) % (j == 20 ? 14 : 9));
			unsigned char *q = realloc(p, size);
			if (q == NULL || j > 0 && *q != (unsigned char)j - 1)
				abort();
			p = q;
			*p = j;
		}
		free(p);
	}
	return steps;
}

// forks makes n children, which allocate and free the parent's blocks. Every
// other one runs a program.
int forks(int n) {
	for (int i = 0; i < n; i++) {
		pid_t pid = i % 4 == 3 ? vfork() : fork();
		if (pid < 0)
			return -1;
		if (pid == 0) {
			if (i % 4 != 3) {
				unsigned seed = i;
				alarm(60);
				for (int j = 0; j < 200; j++)
					allocate(&seed);
				for (int j = 0; j < SLOTS; j += 3)
					put(NULL, j);
			}
			if (i % 2)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		int status;
		if (waitpid(pid, &status, 0) != pid)
			return -2;
		if (status != 0)
			return status;
	}
	return 0;
}

// opens opens the library, lets it allocate, and closes it.
int opens(const char *file, int n) {
	for (int i = 0; i < n; i++) {
		void *lib = dlopen(file, i % 2 ? RTLD_NOW : RTLD_LAZY);
		if (lib == NULL)
			return 0;
		void *(*f)(size_t) = (void *(*)(size_t))dlsym(lib, "libraryAllocate");
		size_t size = 32 + i * 40;
		put(filled(f(size), size), i * 77);
		dlclose(lib);
	}
	return 1;
}

__attribute__((noinline)) void *keep(unsigned long n) { return malloc(n); }
