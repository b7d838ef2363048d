// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file checks retained sizes.

package heaptest

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"
)

// MaxRetained makes the test fail if a holder retains more than a number of
// bytes. A holder retains the objects that would be free without it: see
// [pprof.Retained]. The name of the holder is written as a set in
// Retained.Sets. Objects are counted in the bytes of their size classes.
//
// Where an object is does not matter: if the linker has allocated it, as for
// var shared = &Cache{}, it counts with its own size and with what it refers
// to. The reason is that the same Cache may be in the heap tomorrow.
//
// A global variable that refers to nothing retains nothing. If the holder is
// not a global variable, and the measurement finds nothing with its name,
// MaxRetained fails, because the name may be wrong. This also happens if the
// holder is a reference, and other references reach all objects to which it
// leads before it does.
func MaxRetained(t testing.TB, holder string, bytes int64) {
	t.Helper()
	var failure string
	runtime_outside(func() { failure = tooMuch(holder, bytes) })
	if failure != "" {
		t.Errorf("heaptest.MaxRetained: %s", failure)
	}
}

// measuring is held while retained sizes are measured, one at a time.
var measuring sync.Mutex

// tooMuch returns the reason why the test fails, or "" if a holder retains at
// most the given number of bytes. Two collections before the measurement empty
// the pools.
func tooMuch(holder string, most int64) string {
	measuring.Lock()
	defer measuring.Unlock()
	collect()
	collect()
	var text bytes.Buffer
	set := pprof.Retained{Sets: []string{holder}}
	stats, err := set.Write(&text, 1)
	for errors.Is(err, pprof.ErrRetainedBusy) {
		time.Sleep(time.Millisecond)
		text.Reset()
		stats, err = set.Write(&text, 1)
	}
	objects := staticObjects(holder)
	if err != nil && !(errors.Is(err, pprof.ErrRetainedSets) && objects.named) {
		return err.Error()
	}
	var heap pprof.RetainedSize
	if err == nil {
		heap = stats.Sets[0]
	}
	if heap.Bytes+objects.bytes <= most {
		return ""
	}
	return fmt.Sprintf("%s retains %d bytes in %d objects; the limit is %d bytes:\n%s%s",
		holder, heap.Bytes+objects.bytes, heap.Objects+objects.n, most, objects, paths(text.String()))
}

// paths returns the first lines of the table in the text of a profile.
func paths(text string) string {
	const most = 20
	_, table, _ := strings.Cut(text, "\n\n")
	all := strings.SplitAfter(strings.TrimRight(table, "\n"), "\n")
	return "\t" + strings.Join(all[:min(most, len(all))], "\t")
}
