// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const waitingText = "time: 2026-11-28T03:52:15.8Z\n\nallocations that have waited for this set:\n" +
	"\t73000000 bytes\n\t\tbytes.growSlice /go/src/bytes/buffer.go:236\n\t\tio.ReadAll /go/src/io/io.go:746\n\t\tmain.upload[go.shape.struct { main.x int }] /my src/server/main.go:68\n" +
	"\t1000000 bytes\n\t\tmain.serve /src/server/main.go:9\n" +
	"\t7000000 bytes\n\t\tmain.upload[go.shape.struct { main.x int }] /my src/server/main.go:68\n" +
	"\nrefs: no memory\n"

func TestReadWaiting(t *testing.T) {
	upload := site{Code: "main.upload[go.shape.struct { main.x int }] server/main.go:68", Bytes: 80 * mb}
	serve := site{Code: "main.serve server/main.go:9", Bytes: mb}
	for _, test := range []struct {
		name, text string
		want       []site
	}{
		{"two places", waitingText, []site{upload, serve}},
		{"none", "time: 2026-11-28T03:52:15.8Z\n", nil},
		{"damaged", "\nallocations that have waited for this set:\n\tmany bytes\n", nil},
		{"cut", waitingText[:strings.Index(waitingText, "\t7000000")], []site{{Code: upload.Code, Bytes: 73 * mb}, serve}},
		{"cut in a line", "\nallocations that have waited for this set:\n\t7 bytes\n\t\tmain.f", []site{{Code: "main.f", Bytes: 7}}},
	} {
		if got := readWaiting(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestKilledEarly reads a set of a process that was killed before it recorded
// references: one that was about to allocate much, and one that was not.
func TestKilledEarly(t *testing.T) {
	k := makeTake(t, sizes{})
	for _, name := range []string{"refs.2.pb.gz", "inuse.2.pb.gz"} {
		delete(k.files, name)
	}
	k.files["heap.2.pb.gz"] = encode(t, makeProfile("inuse_space", nil,
		row{[]int64{80 * mb}, "main.upload@/m/a.go", ""}, row{[]int64{20 * mb}, "main.keep@/m/a.go", ""}))
	dir := storeEvidence(t, k)
	_, text, _ := invoke(dir)
	for _, want := range []string{"\nmost was allocated by main.upload m/a.go:7: 80 MB of 100 MB (estimated)\n", "\nNo finding: what has grown is not known"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q:\n%s", want, text)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "evidence.txt"), []byte("reason: 73 MB to be allocated\n"+waitingText), 0o666); err != nil {
		t.Fatal(err)
	}
	_, text, _ = invoke(dir)
	want := `
1. 80 MB were about to be allocated at one place, and waited for this set.
   main.upload[go.shape.struct { main.x int }] server/main.go:68
   evidence: 73 MB to be allocated
   more: less ` + quote(filepath.Join(dir, "evidence.txt")) + "\n"
	if !strings.HasSuffix(text, want) {
		t.Errorf("the report does not end with %q:\n%s", want, text)
	}
}
