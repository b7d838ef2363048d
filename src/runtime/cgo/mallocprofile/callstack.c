// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

// The call stack of a thread in malloc: frames of C as far as frame pointers
// lead, then those of the goroutine that called C.
//
// Go compiles all functions with frame pointers, and entersyscall saves that of
// the function that calls C. C's frame pointers may be any value. They are
// followed only upwards on this thread's stack, to pages that exist, and to what
// returns to the instruction after a call.

#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "mallocprofile.h"

int mallocprofileStarted, mallocprofileOff, mallocprofileLabels;

extern char **environ;

// readable reports whether the n bytes at p are mapped. The system call copies
// a mask from there before it finds that ~0 is no way to change a mask.
static int readable(uintptr_t p, size_t n) {
	if (p + n < p)
		return 0;
	for (uintptr_t page = p & ~(uintptr_t)4095; page < p + n; page += 4096) {
		if (syscall(SYS_rt_sigprocmask, ~0, page, NULL, 8) == 0)
			return 0;
		if (errno == EFAULT)
			return 0;
	}
	return 1;
}

// stackEnd returns an address to which the stack that contains sp may reach.
// The thread's own data stands above its stack, and the environment above that
// of the first thread.
static uintptr_t stackEnd(uintptr_t sp) {
#ifdef __x86_64__
	uintptr_t self;
	__asm__("mov %%fs:0, %0" : "=r"(self));
#else
	uintptr_t self = (uintptr_t)__builtin_thread_pointer();
#endif
	uintptr_t env = (uintptr_t)environ;
	if (sp < self && self - sp < (uintptr_t)1 << 30)
		return self;
	if (sp < env && env - sp < (uintptr_t)1 << 30)
		return env;
	return sp + (64 << 10);
}

static int isGo(uintptr_t pc) {
	return mallocprofileGo.text <= pc && pc < mallocprofileGo.etext;
}

// mallocprofileCopy copies memory, if it is mapped. The kernel does it, because
// another thread may be unmapping it, such as what is above a stack that C made
// itself.
int mallocprofileCopy(void *to, uintptr_t from, size_t n) {
	struct iovec local = {to, n}, remote = {(void *)from, n};
	if (syscall(SYS_process_vm_readv, getpid(), &local, 1, &remote, 1, 0) == (long)n)
		return 1;
	if (errno == EFAULT || !readable(from, n))
		return 0;
	memcpy(to, (void *)from, n); // in a sandbox
	return 1;
}

// isAfterCall reports whether the instruction before pc is a call.
static int isAfterCall(uintptr_t pc) {
#ifdef __x86_64__
	uint8_t code[7]; // the longest call, but for prefixes
	if (!mallocprofileCopy(code, pc - sizeof code, sizeof code))
		return 0;
	if (code[2] == 0xE8)
		return 1;
	for (size_t i = 0; i < sizeof code - 1; i++) { // FF /2 with i bytes before it
		if (i != 2 && code[i] == 0xFF && (code[i + 1] >> 3 & 7) == 2)
			return 1;
	}
	return 0;
#else
	uint32_t code;
	if (pc % sizeof code != 0 || !mallocprofileCopy(&code, pc - sizeof code, sizeof code))
		return 0;
	return code >> 26 == 0x25 || (code & 0xFEFFF000) == 0xD63F0000; // BL; BLR, with or without authentication
#endif
}

// followsCall is isAfterCall, and asks the kernel only once for most addresses.
static int followsCall(uintptr_t pc) {
	static uintptr_t known[1 << 10]; // atomic
	uintptr_t *last = &known[(uint64_t)pc * 0x9E3779B97F4A7C15ull >> 54];
	if (__atomic_load_n(last, __ATOMIC_RELAXED) == pc)
		return pc != 0;
	if (!isAfterCall(pc))
		return 0;
	__atomic_store_n(last, pc, __ATOMIC_RELAXED);
	return 1;
}

// unsignedAddress returns a return address without the signature that arm64 may
// have put into its upper bits.
static uintptr_t unsignedAddress(uintptr_t pc) {
#ifdef __aarch64__
	register uintptr_t x30 __asm__("x30") = pc;
	__asm__("hint #7" : "+r"(x30)); // XPACLRI, which old processors ignore
	return x30;
#else
	return pc;
#endif
}

static void walkC(struct callstack *s, uintptr_t pc, uintptr_t fp) {
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0), end = stackEnd(sp), record[2];
	while (s->nC < MAX_C && !isGo(pc)) {
		s->pcs[s->nC++] = pc;
		if (fp <= sp || fp >= end - 16 || fp % sizeof(uintptr_t) != 0 || !mallocprofileCopy(record, fp, sizeof record))
			return;
		sp = fp;
		fp = record[0];
		pc = unsignedAddress(record[1]);
		if (!followsCall(pc))
			return;
	}
}

static uintptr_t word(uintptr_t base, uintptr_t offset) { return *(uintptr_t *)(base + offset); }

// outerRecord returns the frame record of the asmcgocall that led to the
// callback above fp, or 0. cgocallback runs on the goroutine's stack in a frame
// that begins below the stack pointer that asmcgocall saved. It copies the
// saved program counter to that frame, which always is in systemstack_switch.
static uintptr_t outerRecord(uintptr_t fp, uintptr_t hi) {
#ifdef __x86_64__
	const uintptr_t toRecord = 8;
#else
	const uintptr_t toRecord = 40;
#endif
	for (uintptr_t p = fp + 8; p < fp + 1024 && p + toRecord < hi; p += 8) {
		if (word(p, 0) - mallocprofileGo.systemstackSwitch < 32)
			return p + toRecord;
	}
	return 0;
}

static void walkGo(struct callstack *s, uintptr_t g, uintptr_t fp) {
	uintptr_t lo = word(g, mallocprofileGo.g_stackLo), hi = word(g, mallocprofileGo.g_stackHi);
	while (s->nGo < MAX_GO && fp >= lo && fp < hi - 16 && fp % sizeof(uintptr_t) == 0) {
		uintptr_t pc = word(fp, 8), next = word(fp, 0);
		if (pc == 0)
			return;
		s->pcs[s->nC + s->nGo++] = pc;
		if (next != 0 && (next <= fp || next >= hi))
			next = outerRecord(fp, hi); // next is in C
		lo = fp + 1;
		fp = next;
	}
}

// appendText adds a string after its length.
static int appendText(struct callstack *s, uintptr_t p, uintptr_t n) {
	uint16_t length = n;
	if (n > MAX_LABELS || n + sizeof length > MAX_LABELS - s->nLabels || !readable(p, n))
		return 0;
	memcpy(s->labels + s->nLabels, &length, sizeof length);
	memcpy(s->labels + s->nLabels + sizeof length, (void *)p, n);
	s->nLabels += sizeof length + n;
	return 1;
}

// copyLabels copies what package internal/runtime/pprof/label keeps: a slice of
// pairs of strings. A program may have put another value there.
static void copyLabels(struct callstack *s, uintptr_t set) {
	if (set == 0 || set % sizeof(uintptr_t) != 0 || !readable(set, 16))
		return;
	uintptr_t list = word(set, 0), n = word(set, 8);
	if (n > MAX_LABELS / 2 || list % sizeof(uintptr_t) != 0 || !readable(list, n * 32))
		return;
	for (; n > 0; n--, list += 32) {
		uint32_t before = s->nLabels;
		if (!appendText(s, word(list, 0), word(list, 8)) || !appendText(s, word(list, 16), word(list, 24)))
			s->nLabels = before;
	}
}

// isOurs reports whether this thread's m is still its own. When a thread of Go's
// exits, C's destructors run after the m, whose memory may by then be anything.
static int isOurs(uintptr_t m) {
	return readable(m, mallocprofileGo.m_isExtraInC + 1) && word(m, mallocprofileGo.m_procid) == (uintptr_t)syscall(SYS_gettid);
}

// findRoot finds the goroutine that called C, or what else the stack begins
// with.
static enum root findRoot(uintptr_t *gp) {
	uintptr_t g = mallocprofileGo.threadG(), m;
	if (g == 0)
		return __atomic_load_n(&mallocprofileStarted, __ATOMIC_RELAXED) ? ROOT_C_THREAD : ROOT_BEFORE;
	m = word(g, mallocprofileGo.g_m);
	if (m == 0)
		return ROOT_C_THREAD;
	if (!isOurs(m))
		return ROOT_RUNTIME;
	if (*(uint8_t *)(m + mallocprofileGo.m_isExtraInC))
		return ROOT_C_THREAD;
	if (g != word(m, mallocprofileGo.m_g0) || (*gp = word(m, mallocprofileGo.m_curg)) == 0)
		return ROOT_RUNTIME;
	return ROOT_GO;
}

void mallocprofileCallstack(struct callstack *s, uintptr_t caller, uintptr_t fp) {
	uintptr_t g = 0;
	s->nC = s->nGo = s->nLabels = 0;
	s->root = findRoot(&g);
	walkC(s, caller, fp);
	if (s->root != ROOT_GO)
		return;
	int inSyscall = word(g, mallocprofileGo.g_syscallsp) != 0;
	walkGo(s, g, word(g, inSyscall ? mallocprofileGo.g_syscallbp : mallocprofileGo.g_bp));
	if (s->nGo == 0)
		s->root = ROOT_RUNTIME;
	if (__atomic_load_n(&mallocprofileLabels, __ATOMIC_RELAXED) != 0)
		copyLabels(s, word(g, mallocprofileGo.g_labels));
}
