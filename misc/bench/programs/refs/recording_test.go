// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"
)

func TestReadComments(t *testing.T) {
	const (
		live     = "\x32\x1eGC cycle 17: 500 bytes live"
		recorded = "\x32\x4aGC cycle 17: recorded in 1.2ms, added stop-the-world time 3.5µs"
		memory   = "\x32\x32GC cycle 17: memory used for recording: 4096 bytes"
		lost     = "\x32\x3bGC cycle 17: lost for want of memory: 16 bytes in 1 objects"
	)
	tests := []struct {
		profile string
		want    comments // if all comments are there
	}{
		{live + recorded + memory + lost, comments{3500 * time.Nanosecond, 4096, 16}},
		{live + memory + lost, comments{}},
		{live + recorded + lost, comments{}},
		{live + recorded + memory, comments{}},
	}
	for _, test := range tests {
		var profile bytes.Buffer
		zip := gzip.NewWriter(&profile)
		zip.Write([]byte(test.profile))
		zip.Close()
		got, err := readComments(&profile)
		if wantErr := test.want == (comments{}); (err != nil) != wantErr || !wantErr && got != test.want {
			t.Errorf("readComments(%q) = %+v, %v, want %+v, error %v", test.profile, got, err, test.want, wantErr)
		}
	}
	if _, err := readComments(bytes.NewReader(nil)); err == nil {
		t.Error("no error for an empty profile")
	}
}
