// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scanning without Green Tea: the work queue has no spans.

//go:build !goexperiment.greenteagc

package runtime

func refsScanSpan(p objptr, gcw *gcWork) {
	throw("runtime: span in the work queue")
}
