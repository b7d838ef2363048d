// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestOtherProcess watches servers of which another process answers from some
// request on: it has made fewer collections.
func TestOtherProcess(t *testing.T) {
	for _, test := range []struct {
		name    string
		page    string
		at      int // the first request for page that another process answers
		comment string
		rest    string // what the report does not have, or the error
	}{
		{"none", "memory", 99, "", ""},
		{"at once", "memory", 2, "after GC cycle 3: x", errOtherProcess.Error()},
		{"in the watch", "memory", 5, "after GC cycle 3: x", "the rest of the watch"},
		{"without a collection", "memory", 5, "before the first GC cycle: x", "the rest of the watch"},
		{"right before the last recording", "refs", 2, "GC cycle 3: x", "the rest of the watch"},
		{"right after it", "memory", 9, "after GC cycle 3: x", "the rest of the watch"},
		{"the same process", "memory", 5, "after GC cycle 4: x", ""},
	} {
		s := &fakeServer{take: makeTake(t, sizes{leak: 40 * mb, mapStep: 4 * mb})}
		other := encode(t, makeProfile("memory_space live_space", []string{test.comment}))
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
			if page != test.page || n < test.at {
				return false
			}
			w.Write(other)
			return true
		}
		if test.rest == errOtherProcess.Error() {
			wantError(t, test.rest, "-seconds=0.01", fake(t, s))
			continue
		}
		status, text, stderr := invoke("-seconds=0.01", "-graph", fake(t, s))
		cut := strings.Contains(text, "not seen: heapgraph, the rest of the watch: ") && strings.Contains(stderr, errOtherProcess.Error()+": the report is of the ")
		if status != 0 || cut != (test.rest != "") || !strings.Contains(text, "Mapped memory grows by ") {
			t.Errorf("%s: status %d, %s\n%s", test.name, status, stderr, text)
		}
		if !strings.Contains(text, "not seen: heapgraph") {
			t.Errorf("%s: the report does not say that there is no graph:\n%s", test.name, text)
		}
		if last := s.asked[len(s.asked)-1]; cut && last != test.page {
			t.Errorf("%s: asked for %s after the other process had answered", test.name, last)
		}
	}
}

// TestRemoved checks that a folder has no files of another process.
func TestRemoved(t *testing.T) {
	k := makeTake(t, sizes{})
	k.files[heapText(8)], k.files["heap.2.pb.gz"] = nil, nil
	k.remove(8)
	for _, name := range []string{"goroutine.8.pb.gz", "growth.8.pb.gz", "memory.8.pb.gz", "heap.8.txt", "refs.2.pb.gz", "heap.2.pb.gz"} {
		if _, ok := k.files[name]; ok {
			t.Errorf("%s is there", name)
		}
	}
	for i := range 8 {
		if !k.complete(i) || k.files["refs.1.pb.gz"] == nil {
			t.Errorf("moment %d is not complete", i)
		}
	}
}

// TestCollections has a server with runtime.MemStats alone.
func TestCollections(t *testing.T) {
	stats := func(n int) []byte { return fmt.Appendf(nil, "heap profile\n\n# runtime.MemStats\n# NumGC = %d\n", n) }
	f := &fetcher{take: newTake()}
	var got []bool
	for i, n := range []int{3, 3, 7, 6, 7} {
		f.take.files[heapText(i)] = stats(n)
		got = append(got, f.sameProcess(i) == nil)
	}
	if want := []bool{true, true, true, false, true}; !slices.Equal(got, want) {
		t.Errorf("the same process: %v, want %v", got, want)
	}
}
