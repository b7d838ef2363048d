// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

extern int threads(int n, int rounds);
extern long chains(int n);
extern int forks(int n);
extern int opens(const char *file, int n);
extern void back(int depth);
extern void *keep(unsigned long n);
extern void clearSlots(void);
