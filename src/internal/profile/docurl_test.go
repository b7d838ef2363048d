// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profile

import (
	"bytes"
	"testing"
)

// TestDocURL checks that writing, reading and merging profiles keep the URL.
func TestDocURL(t *testing.T) {
	newProfile := func(url string) *Profile {
		return &Profile{SampleType: []*ValueType{{Type: "n", Unit: "count"}}, DocURL: url}
	}
	for _, test := range []struct{ first, second, merged string }{
		{"", "", ""},
		{"https://a", "", "https://a"},
		{"", "https://b", "https://b"},
		{"https://a", "https://b", "https://a"},
	} {
		var read []*Profile
		for _, url := range []string{test.first, test.second} {
			var buf bytes.Buffer
			if err := newProfile(url).Write(&buf); err != nil {
				t.Fatal(err)
			}
			p, err := Parse(&buf)
			if err != nil {
				t.Fatal(err)
			}
			if p.DocURL != url {
				t.Errorf("read %q, want %q", p.DocURL, url)
			}
			read = append(read, p)
		}
		merged, err := Merge(read)
		if err != nil {
			t.Fatal(err)
		}
		if merged.DocURL != test.merged {
			t.Errorf("%q and %q are %q, want %q", test.first, test.second, merged.DocURL, test.merged)
		}
	}
}
