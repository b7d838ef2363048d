// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profile

import (
	"bytes"
	"slices"
	"testing"
)

// TestComments checks that writing and reading a profile keep its comments.
func TestComments(t *testing.T) {
	for _, comments := range [][]string{nil, {"one"}, {"one", "two", "three"}} {
		p := &Profile{SampleType: []*ValueType{{Type: "a", Unit: "count"}}, Comments: comments}
		for range 2 { // writing must not change the profile
			var buf bytes.Buffer
			if err := p.Write(&buf); err != nil {
				t.Fatal(err)
			}
			got, err := Parse(&buf)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Comments, comments) {
				t.Errorf("comments %q, want %q", got.Comments, comments)
			}
		}
	}
}
