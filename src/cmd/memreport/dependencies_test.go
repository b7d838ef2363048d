// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"maps"
	"testing"
)

func TestDependencies(t *testing.T) {
	k := makeTake(t, sizes{leak: 8 * mb})
	if got := newFacts(k).Dependencies; len(got) != 0 {
		t.Errorf("of the program and the standard library: %v", got)
	}
	k.files["inuse.2.pb.gz"] = encode(t, makeProfile("inuse_objects inuse_space", nil,
		row{[]int64{1, 2}, "github.com/a/mux.(*Router).Handle@/root/go/pkg/mod/github.com/a/mux@v1.8.1/mux.go < example.com/app.main@/home/a@b/app/main.go", ""},
		row{[]int64{1, 2}, "gopkg.in/log%2ev2.Open[go.shape.int]@gopkg.in/log.v2@v2.0.0/open.go", ""},
		row{[]int64{1, 2}, `example.com/w.F@C:\app\vendor\example.com\w\f.go`, ""}))
	if got, want := newFacts(k).Dependencies, set("github.com/a/mux gopkg.in/log%2ev2 example.com/w"); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
