// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"io"
	"reflect"
	. "runtime"
	"runtime/pprof"
	"testing"
)

// refsRetainedValues has the objects that the set of
// TestRefsMembersWithoutNodes retains.
var refsRetainedValues []any

// TestRefsMembersWithoutNodes checks that a set retains the same objects if
// there is no room for the nodes of their paths, or for the nodes of the
// members themselves.
func TestRefsMembersWithoutNodes(t *testing.T) {
	const types, limit = 3000, 512
	for i := range types {
		refsRetainedValues = append(refsRetainedValues, reflect.New(reflect.ArrayOf(16+i, reflect.TypeFor[int8]())).Interface())
	}
	defer func() { refsRetainedValues, refsGlobalValues = nil, nil }()
	set := pprof.Retained{Sets: []string{"runtime_test.refsRetainedValues"}}
	measure := func() pprof.RetainedStats {
		t.Helper()
		stats, err := set.Write(io.Discard, 0)
		if err != nil {
			t.Fatal(err)
		}
		return stats
	}
	want := measure()
	if n := want.Sets[0].Objects; n != types+1 || want.Lost.Objects != 0 {
		t.Fatalf("%d objects are retained and %d lost, want %d and 0", n, want.Lost.Objects, types+1)
	}
	RefsLimitNodes(limit)
	defer RefsLimitNodes(0)
	for _, when := range []string{"without room for paths", "without room for members"} {
		if got := measure(); got.Sets[0] != want.Sets[0] || got.Lost.Objects == 0 {
			t.Errorf("%s: %+v is retained, want %+v; lost is %+v", when, got.Sets[0], want.Sets[0], got.Lost)
		}
		refsGlobalValues = refsManyTypes(limit)
	}
}
