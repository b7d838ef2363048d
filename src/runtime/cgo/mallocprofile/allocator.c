// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

// Calls by an allocator that is not the C library's, such as jemalloc. Its
// functions may call one another by their public names, and then the block is
// counted with the outer call, or is one that a function which is not
// interposed, such as operator delete, frees.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include "mallocprofile.h"

static struct range allocator; // the library, or nothing

// isIn sets *find to the library that has the address *find begins with.
static int isIn(struct dl_phdr_info *library, size_t size, void *find) {
	struct range *r = find;
	uintptr_t base = UINTPTR_MAX, limit = 0;
	for (int i = 0; i < library->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &library->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		uintptr_t at = library->dlpi_addr + p->p_vaddr;
		base = at < base ? at : base;
		limit = at + p->p_memsz > limit ? at + p->p_memsz : limit;
	}
	if (r->base < base || limit <= r->base)
		return 0;
	*r = (struct range){base, limit - base};
	return 1;
}

// mallocprofileFoundAllocator says which malloc will be called, before it is.
void mallocprofileFoundAllocator(void *(*malloc)(size_t)) {
	Dl_info its, libcs;
	struct range r = {(uintptr_t)malloc, 0};
	if (dladdr((void *)malloc, &its) && dladdr((void *)getenv, &libcs) && its.dli_fbase != libcs.dli_fbase && dl_iterate_phdr(isIn, &r))
		allocator = r;
}

// mallocprofileIsAllocators reports whether a call is the allocator's own.
int mallocprofileIsAllocators(uintptr_t caller) {
	return caller - allocator.base < allocator.size;
}
