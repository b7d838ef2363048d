// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	. "debug/heapgraph"
	"reflect"
	"testing"
	"time"
)

func TestMeta(t *testing.T) {
	s := new(snapshot)
	s.meta = map[string]string{
		"go.version": "go1.27", "go.os": "plan9", "go.arch": "386", "pointer.size": "4", "main.path": "example.com/app",
		"time": "2026-11-24T10:00:00.5Z", "gc.cycle": "7", "live.bytes": "100", "live.objects": "10",
		"allocated.bytes": "20", "allocated.objects": "2", "lost.bytes": "30", "lost.objects": "3",
		"truncated": "references", "dropped": "5", "mark.ns": "1000", "memory.bytes": "4096",
	}
	f, err := open(s.encode(t))
	if err != nil {
		t.Fatal(err)
	}
	want := Meta{GoVersion: "go1.27", OS: "plan9", Arch: "386", PointerSize: 4, MainPath: "example.com/app",
		Time: time.Date(2026, 11, 24, 10, 0, 0, 5e8, time.UTC), Cycle: 7, Live: Amount{10, 100},
		Allocated: Amount{2, 20}, Lost: Amount{3, 30}, Truncated: "references", Dropped: 5,
		MarkTime: 1000, Memory: 4096, Values: s.meta}
	if !reflect.DeepEqual(f.Meta, want) {
		t.Errorf("got  %v\nwant %v", f.Meta, want)
	}
	for key, value := range map[string]string{"pointer.size": "2", "live.bytes": "-1", "time": "now", "truncated": "yes", "dropped": "x"} {
		s := snapshot{meta: map[string]string{key: value}}
		if _, err := open(s.encode(t)); err == nil {
			t.Errorf("%s %s: no error", key, value)
		}
	}
}
