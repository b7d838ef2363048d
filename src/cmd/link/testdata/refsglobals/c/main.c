// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These variables are between Go's sections.
static void *data = &data;
static void *bss;

extern int CheckGlobals(void);

int main(void) {
	if (data == bss) {
		return 2;
	}
	return CheckGlobals();
}
