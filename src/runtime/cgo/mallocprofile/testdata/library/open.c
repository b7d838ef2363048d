// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A C program that opens the library that its argument names. It ends if that
// takes forever.

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
	alarm(60);
	void *lib = dlopen(argv[1], RTLD_NOW);
	void (*f)(void) = lib ? (void (*)(void))dlsym(lib, "printProfile") : 0;
	if (f == 0) {
		puts(dlerror());
		return 1;
	}
	f();
	return 0;
}
