// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build amd64 || arm64

#include "go_asm.h"
#include "go_tls.h"
#include "textflag.h"

#ifdef GOARCH_amd64
// C calls cgoThreadG, which changes no register but AX.
TEXT ·cgoThreadG(SB),NOSPLIT|NOFRAME,$0-0
	get_tls(AX)
	MOVQ	g(AX), AX
	RET
#endif

#ifdef GOARCH_arm64
// C calls cgoThreadG. load_g changes R0, R27 and g, and the last two are C's.
TEXT ·cgoThreadG(SB),NOSPLIT|NOFRAME,$0-0
	MOVD	R27, R1
	MOVD	g, R2
	MOVD	R30, R3
	BL	runtime·load_g(SB)
	MOVD	g, R0
	MOVD	R1, R27
	MOVD	R2, g
	MOVD	R3, R30
	RET
#endif

// callerOfC is where C finds the Go call stack that called it. Package
// runtime/cgo/mallocprofile samples malloc, in C, on any thread and at any
// moment, so it can call nothing of Go: it reads the thread's g and follows
// frame pointers, with the offsets in this table, which has the order of its
// struct goLayout. It is assembly because a program that lacks the package has
// no byte of it, and each Go file has an entry in the program's table of files.
DATA ·callerOfC+0x00(SB)/8, $·cgoThreadG(SB)
DATA ·callerOfC+0x08(SB)/8, $g_m
DATA ·callerOfC+0x10(SB)/8, $(g_stack+stack_lo)
DATA ·callerOfC+0x18(SB)/8, $(g_stack+stack_hi)
DATA ·callerOfC+0x20(SB)/8, $(g_sched+gobuf_bp)
DATA ·callerOfC+0x28(SB)/8, $g_syscallsp
DATA ·callerOfC+0x30(SB)/8, $g_syscallbp
DATA ·callerOfC+0x38(SB)/8, $g_labels
DATA ·callerOfC+0x40(SB)/8, $m_g0
DATA ·callerOfC+0x48(SB)/8, $m_curg
DATA ·callerOfC+0x50(SB)/8, $m_procid
DATA ·callerOfC+0x58(SB)/8, $m_isExtraInC
DATA ·callerOfC+0x60(SB)/8, $runtime·text(SB)
DATA ·callerOfC+0x68(SB)/8, $runtime·etext(SB)
DATA ·callerOfC+0x70(SB)/8, $·systemstack_switch(SB)
DATA ·callerOfC+0x78(SB)/8, $·MemProfileRate(SB)
GLOBL ·callerOfC(SB), NOPTR, $0x80
