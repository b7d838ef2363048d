// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

#include <stdlib.h>
#include <string.h>
#include "opened.h"
#include "_cgo_export.h"

__attribute__((constructor)) static void callGoEarly(void) { beforeDlopenReturns(); }

void freeOfLibc(void) { free(strdup("allocated by libc, freed here")); }
