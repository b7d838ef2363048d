// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file checks retained sizes.

package heaptest

import (
	"debug/heapgraph"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// MaxRetained makes the test fail if a holder retains more than a number of
// bytes. A holder retains the objects that would be free without it. Its name is
// that of a [heapgraph.Set]: a type, a variable, or another reference. Objects
// are counted in the bytes of their size classes.
//
// Where an object is does not matter: if the linker has allocated it, as for
// var shared = &Cache{}, it counts with its own size and with what it refers
// to. The reason is that the same Cache may be in the heap tomorrow.
//
// A global variable that refers to nothing retains nothing. If the holder is
// not a global variable, and nothing in the heap has its name, MaxRetained
// fails, because the name may be wrong.
func MaxRetained(t testing.TB, holder string, bytes int64) {
	t.Helper()
	var failure string
	runtime_outside(func() { failure = tooMuch(holder, bytes) })
	if failure != "" {
		t.Errorf("heaptest.MaxRetained: %s", failure)
	}
}

// tooMuch returns the reason why the test fails, or "" if a holder retains at
// most the given number of bytes. Two collections before the snapshot empty the
// pools.
func tooMuch(holder string, most int64) string {
	collect()
	collect()
	s, err := takeSnapshot()
	if err != nil {
		return fmt.Sprintf("no snapshot: %v", err)
	}
	objects := staticObjects(holder)
	var heap heapgraph.RetainedSet
	r, err := s.Retained(heapgraph.Set{Name: holder})
	switch {
	case err == nil:
		heap = r.Sets[0]
	case !errors.Is(err, heapgraph.ErrSet) || !objects.named:
		return strings.TrimPrefix(err.Error(), "heapgraph: ")
	}
	if heap.Bytes+objects.bytes <= most {
		return ""
	}
	return fmt.Sprintf("%s retains %d bytes in %d objects; the limit is %d bytes:\n%s%s",
		holder, heap.Bytes+objects.bytes, heap.Objects+objects.n, most, objects, paths(&heap))
}

// paths returns the largest paths of a set, one to a line.
func paths(s *heapgraph.RetainedSet) string {
	const most = 20
	var b strings.Builder
	fmt.Fprintf(&b, "\t%10s %8s  path (type of the objects)", "bytes", "objects")
	for _, p := range s.Paths[:min(most, len(s.Paths))] {
		fmt.Fprintf(&b, "\n\t%10d %8d  %s (%s)", p.Bytes, p.Objects, heapgraph.JoinPath(p.Path), p.Type)
	}
	return b.String()
}
