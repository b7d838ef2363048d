// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A C program whose first samples are on small stacks: that of the smallest
// thread, and one of as many bytes as its argument says. It prints how many blocks
// were sampled.

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "../../mallocprofile.h"

static uintptr_t noG(void) { return 0; }
static intptr_t rate = (intptr_t)1 << 40;
const struct goLayout mallocprofileGo = {.threadG = noG, .rate = &rate};

static void *twoBlocks(void *unused) {
	for (int i = 0; i < 2; i++) {
		void *volatile p = malloc(200 << 10); // makes a slow call
		free(p);
	}
	return NULL;
}

static void onContext(void) { twoBlocks(NULL); }

// lowest returns an address above which a stack is, below which nothing is.
static char *lowest(size_t size) {
	size_t page = sysconf(_SC_PAGESIZE), room = (size + page - 1) / page * page;
	char *p = mmap(NULL, page + room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p, page, PROT_NONE) != 0)
		abort();
	return p + page;
}

int main(int argc, char **argv) {
	static ucontext_t before, other;
	size_t size = atol(argv[1]);
	getcontext(&other);
	other.uc_stack.ss_sp = lowest(size);
	other.uc_stack.ss_size = size;
	other.uc_link = &before;
	makecontext(&other, onContext, 0);
	mallocprofileStarted = 1;
	rate = 1;
	swapcontext(&before, &other);

	pthread_t thread;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
	if (pthread_create(&thread, &small, twoBlocks, NULL) != 0)
		abort();
	pthread_join(thread, NULL);

	uint64_t sampled = 0;
	for (struct site *s = mallocprofileNextSite(NULL); s != NULL; s = mallocprofileNextSite(s))
		sampled += s->allocs / OBJECT;
	printf("%d\n", (int)sampled);
	return 0;
}
