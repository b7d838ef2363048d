// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

#include <map>
#include <new>
#include <string>
#include "blocks.h"

struct message {
	char text[123];
};

extern "C" void ofCpp(struct truth *t) {
	for (int i = 1; i < 200; i++) {
		message *m = new message;
		allocated(t, m);
		char *a = new char[i];
		allocated(t, a);
		if (i % 2) {
			freed(t, a);
			delete[] a;
		}
	}
	try {
		volatile size_t n = (size_t)-1 >> 2;
		delete[] new char[n];
	} catch (const std::bad_alloc &) {
	}
}
