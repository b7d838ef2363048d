// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

void call_back(int depth);
void sleep_briefly(int microseconds);
int call_from_threads(int threads, int calls);
