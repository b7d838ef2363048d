// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A library to preload, whose functions that call the kernel allocate.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static void *next(const char *name) {
	void *volatile p = malloc(100);
	free(p);
	return dlsym(RTLD_NEXT, name);
}

long syscall(long n, ...) {
	__builtin_va_list args;
	long a[6];
	__builtin_va_start(args, n);
	for (int i = 0; i < 6; i++)
		a[i] = __builtin_va_arg(args, long);
	__builtin_va_end(args);
	long (*f)(long, ...) = (long (*)(long, ...))next("syscall");
	return f(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void *mmap(void *p, size_t n, int protection, int flags, int file, off_t offset) {
	void *(*f)(void *, size_t, int, int, int, off_t) = (void *(*)(void *, size_t, int, int, int, off_t))next("mmap");
	return f(p, n, protection, flags, file, offset);
}

int clock_gettime(clockid_t clock, struct timespec *t) {
	int (*f)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))next("clock_gettime");
	return f(clock, t);
}
