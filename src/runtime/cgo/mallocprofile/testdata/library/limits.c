// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A C program with more call stacks and blocks than the profiler has room for.
// Its tables are small, and each block is sampled. It prints how many blocks
// were lost when there was no memory, when there was again, and when the tables
// were full.

#include <alloca.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "../../mallocprofile.h"

static uintptr_t noG(void) { return 0; }
static const intptr_t rate = 1;
const struct goLayout mallocprofileGo = {.threadG = noG, .rate = &rate};

enum { DEPTH = 12, STACKS = 1 << DEPTH };

static void *zero(int path, int depth), *one(int path, int depth);

static inline __attribute__((always_inline)) void *next(int path, int depth) {
	void *volatile p = depth == 0 ? malloc(16) : (path & 1 ? one : zero)(path >> 1, depth - 1);
	return p;
}

// Each bit of path makes another call stack.
static void *zero(int path, int depth) {
	char *volatile room = alloca(depth + 1); // needs a frame pointer
	void *volatile p = next(path, depth);
	room[0] = 0;
	return p;
}

static void *one(int path, int depth) {
	char *volatile room = alloca(depth + 2);
	void *volatile p = next(path, depth);
	room[1] = 0;
	return p;
}

static void atAllStacks(void) {
	for (int path = 0; path < STACKS; path++)
		if (zero(path, DEPTH) == NULL)
			abort();
}

static void printLost(const char *when) {
	static uint64_t before;
	uint64_t now = mallocprofileLost.allocs / OBJECT;
	printf("%s %d\n", when, (int)(now - before));
	before = now;
}

static void *churn(void *unused) {
	for (int i = 0; i < 20000; i++) {
		void *volatile p = malloc(16);
		free(p);
	}
	return NULL;
}

// reserve gives malloc a heap for all blocks of the program.
static int reserve(void) {
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 32 << 20);
	void *volatile p = malloc(4 << 20);
	free(p);
	return 1;
#else
	return 0;
#endif
}

static int mayMap(void) { return mallocprofileMap(1) != NULL; }

int main(void) {
	struct rlimit limit, none;
	pthread_t threads[4];
	if (!reserve() || getrlimit(RLIMIT_AS, &limit) != 0)
		return 0;
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_AS, &none);
	if (mayMap())
		return 0; // an emulator
	for (int i = 0; i < 4; i++)
		atAllStacks();
	setrlimit(RLIMIT_AS, &limit);
	printLost("without");

	for (int i = 0; i < 100; i++)
		if (malloc(16) == NULL)
			abort();
	printLost("with");

	for (int i = 0; i < 4; i++)
		atAllStacks();
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, churn, NULL) != 0)
			abort();
	for (int i = 0; i < 2000; i++) {
		struct range ranges[100];
		mallocprofileMappings(ranges, 100);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printLost("full");
	return 0;
}
