// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profilerecord"
	"io"
)

// writeHeapProto writes records without labels, for upstream's tests.
func writeHeapProto(w io.Writer, p []profilerecord.MemProfileRecord, rate int64, defaultSampleType string) error {
	labelled := make([]profilerecord.LabelledMemRecord, len(p))
	for i, r := range p {
		labelled[i].MemProfileRecord = r
	}
	return writeLabelledHeapProto(w, labelled, rate, defaultSampleType)
}
