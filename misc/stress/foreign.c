// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build cgo

// C threads that call Go, each for the first time in its life, and again, and end.

#include <pthread.h>
#include <unistd.h>
#include "_cgo_export.h"
#include "foreign.h"

void sleep_briefly(int microseconds) { usleep(microseconds); }

void call_back(int depth) { goCalled(depth); }

static void *run(void *calls) {
	for (long i = 0; i < (long)calls; i++) {
		goCalled(i % 3);
		if (i % 4 == 3) {
			usleep(50);
		}
	}
	return 0;
}

// call_from_threads returns the number of threads that it could start.
int call_from_threads(int threads, int calls) {
	pthread_t ids[16];
	int n = 0;
	while (n < threads && n < 16 && pthread_create(&ids[n], 0, run, (void *)(long)calls) == 0) {
		n++;
	}
	for (int i = 0; i < n; i++) {
		pthread_join(ids[i], 0);
	}
	return n;
}
