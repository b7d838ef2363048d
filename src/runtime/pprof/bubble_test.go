// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Profiles that are taken in a bubble of testing/synctest. A profile takes real
// time, so the bubble's clock must stand still, and a bubble that waits for one
// must not count as blocked.

package pprof_test

import (
	"bytes"
	"debug/heapgraph"
	"io"
	. "runtime/pprof"
	"testing"
	"testing/synctest"
	"time"
)

type bubbleNode struct{ left, right *bubbleNode }

// newBubbleTree returns a tree with so many nodes that a recording takes longer
// than a pause of the writer of heap graphs.
func newBubbleTree(depth int) *bubbleNode {
	if depth == 0 {
		return nil
	}
	return &bubbleNode{newBubbleTree(depth - 1), newBubbleTree(depth - 1)}
}

var bubbleTree *bubbleNode

func TestInBubble(t *testing.T) {
	bubbleTree = newBubbleTree(18)
	defer func() { bubbleTree = nil }()
	profile := func(name string, debug int) func(io.Writer) error {
		return func(w io.Writer) error { return Lookup(name).WriteTo(w, debug) }
	}
	for _, test := range []struct {
		name string
		take func(io.Writer) error
	}{
		{"refs", profile("refs", 0)},
		{"refs text", profile("refs", 1)},
		{"inuse", profile("inuse", 0)},
		{"memory", profile("memory", 0)},
		{"growth", profile("growth", 0)},
		{"peak", profile("peak", 0)},
		{"goroutine", profile("goroutine", 0)},
		{"heap graph", func(w io.Writer) error {
			_, err := new(HeapGraph).Write(w)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				timer := time.AfterFunc(time.Nanosecond, func() { t.Error("a timer of the bubble has fired") })
				if err := test.take(io.Discard); err != nil {
					t.Error(err)
				}
				timer.Stop()
				if d := time.Since(begun); d != 0 {
					t.Errorf("the bubble's clock has advanced by %v", d)
				}
			})
		})
	}
}

// TestHeapGraphOutputInBubble writes to a pipe of the bubble, whose reader
// sleeps. The bubble's clock has to advance for the reader, although a recording
// is being written.
func TestHeapGraphOutputInBubble(t *testing.T) {
	bubbleTree = newBubbleTree(14)
	defer func() { bubbleTree = nil }()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() {
			_, err := new(HeapGraph).Write(w)
			w.CloseWithError(err)
		}()
		var file bytes.Buffer
		for buf := make([]byte, 1<<12); ; time.Sleep(time.Minute) {
			n, err := r.Read(buf)
			file.Write(buf[:n])
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		f, err := heapgraph.NewFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if !f.Meta.Time.After(time.Now().AddDate(20, 0, 0)) { // the bubble's time begins in the year 2000
			t.Errorf("the snapshot has the time %v, which is the bubble's", f.Meta.Time)
		}
	})
}

// TestPageFaultsAcrossBubble starts a profile in a bubble that ends before the
// profile does.
func TestPageFaultsAcrossBubble(t *testing.T) {
	var err error
	synctest.Test(t, func(t *testing.T) { err = StartPageFaultProfile(io.Discard) })
	if err != nil {
		t.Skip(err)
	}
	StopPageFaultProfile()
}
