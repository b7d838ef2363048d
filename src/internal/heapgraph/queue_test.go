// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bytes"
	"errors"
	. "internal/heapgraph"
	"io"
	"testing"
)

// TestQueue checks that a file is the same if another goroutine writes it,
// whatever the limit of the queue is.
func TestQueue(t *testing.T) {
	want := small().encode(t)
	for _, most := range []int{0, 1, 100, 1 << 20} {
		var b bytes.Buffer
		if err := writeQueued(&b, most); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("limit %d: file has %d bytes that differ from the %d that are written at once", most, b.Len(), len(want))
		}
	}
}

// TestQueueError checks that an error of the output ends those methods of a
// Writer that are waiting for the queue, and that Close returns the error.
func TestQueueError(t *testing.T) {
	failed := errors.New("disk full")
	for n := range 20 {
		if err := writeQueued(&failingWriter{n, failed}, 0); err != failed {
			t.Errorf("after %d writes: error is %v, want %v", n, err, failed)
		}
	}
}

// writeQueued writes the small file through a queue.
func writeQueued(to io.Writer, most int) error {
	w := NewWriter(to)
	w.Queue(most)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		w.Run()
	}()
	err := small().write(w)
	<-ended
	return err
}

// A failingWriter fails after n writes.
type failingWriter struct {
	n   int
	err error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.n--; w.n < 0 {
		return 0, w.err
	}
	return len(p), nil
}
