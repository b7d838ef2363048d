// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build ignore

// Host loads the C library that the folder shared makes, and calls it on threads.
//
//	host FILE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int (*add)(char *);

static void *call(void *result) {
	*(int *)result = add("line");
	return NULL;
}

int main(int argc, char **argv) {
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (lib == NULL) {
		fprintf(stderr, "dlopen: %s\n", dlerror());
		return 1;
	}
	add = (int (*)(char *))dlsym(lib, "Add");
	for (int i = 1; add != NULL && i <= 8; i++) {
		pthread_t thread;
		int n = 0;
		if (pthread_create(&thread, NULL, call, &n) != 0 || pthread_join(thread, NULL) != 0 || n != i) {
			fprintf(stderr, "call %d returned %d\n", i, n);
			return 1;
		}
	}
	puts(add != NULL ? "ok" : "no symbol Add");
	return add == NULL;
}
