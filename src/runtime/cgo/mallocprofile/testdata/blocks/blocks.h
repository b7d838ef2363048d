// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

#include <stddef.h>

struct truth { long allocs, allocBytes, inuse, inuseBytes; };

#ifdef __cplusplus
extern "C" {
#endif
extern void *allocated(struct truth *t, void *p);
extern void freed(struct truth *t, void *p);
extern void ofC(struct truth *t);
extern void ofCpp(struct truth *t);
extern void ofThread(struct truth *t);
extern void ofDepths(struct truth *t);
extern void ofRegister(struct truth *t);
extern void allocateAtExit(struct truth *t);
extern int exiting(void);
extern int exited(void);
extern int isMainThread(void);
extern void beforeMain(struct truth *t);
extern void callGo(void);
extern void callGoFromThread(struct truth *t);
extern void ofLibrary(struct truth *t, const char *file);
extern void churn(int threads, int seconds, struct truth *t);
extern int forkAndExec(int children);
extern long mixed(int blocks);
extern void blocksWithoutMemory(struct truth *t);
extern long space(void);
extern long mappings(void);
extern long programBreak(void);
extern void mapSmall(void);
extern void mapLarge(void);
extern void remapLarge(void);
extern void unmapLarge(void);
extern long touchLarge(void);
extern void growBreak(void);
extern void growArena(void);
#ifdef __cplusplus
}
#endif
