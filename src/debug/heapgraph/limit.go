// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file limits the memory that reading a file takes, because a file may
// come from anywhere, and sections inflate up to a thousand times: 2 kB can
// stand for millions of objects. memory.go has the limit of graphs that are
// read from a format.Memory.

package heapgraph

import (
	"errors"
	"fmt"
	format "internal/heapgraph"
	"unsafe"
)

// The limit of a file is limitFloor and limitFactor bytes for each of its
// bytes. The factor is large because regular heaps deflate well: a list of 5
// million nodes is a file of 140 kB, and takes 400 MB.
var limitFloor int64 = 512 << 20 // tests change it

const limitFactor = 256

// ErrLimit is the error of a file whose graph needs more memory than
// [Options.Memory].
var ErrLimit = errors.New("heapgraph: the snapshot needs more memory than it may take")

func errLimit(limit int64) error { return fmt.Errorf("%w: %d MB", ErrLimit, limit>>20) }

// limit returns the largest number of bytes that a graph of f may take.
func (f *File) limit(o *Options) int64 {
	if o != nil && o.Memory > 0 {
		return o.Memory
	}
	return limitFloor + limitFactor*f.size
}

// tableBytes returns the bytes that records of a kind take in tables. A list
// that grows exists twice for a moment.
func (t *tables) tableBytes(k format.Kind) int64 {
	last := func(n int) int { return max(0, n-1) }
	switch k {
	case format.KindStrings:
		return 2*size[string]() + int64(len(t.strings[last(len(t.strings))]))
	case format.KindTypes:
		return 2*size[format.Type]() + size[format.Field]()*int64(len(t.types[last(len(t.types))].Fields))
	case format.KindNodes:
		return 2 * size[node]()
	case format.KindGoroutines:
		return 2*size[format.Goroutine]() + size[format.Label]()*int64(len(t.goroutines[last(len(t.goroutines))].Labels))
	case format.KindSpans:
		return spanBytes(&t.records[len(t.records)-1])
	}
	return 0
}

// spanBytes returns the bytes that a record of SPANS takes in a slotTable, and
// before that.
func spanBytes(s *format.Span) int64 {
	const near = 4 * 4
	n := 3*size[format.Span]() + size[span]() + near + int64(s.Slots+63)/64*size[cell]()
	if words := s.End() - s.Start; words <= maxDense {
		n += size[[]uint64]() + int64(words+63)/64*8
	}
	return n
}

func size[T any]() int64 {
	var x T
	return int64(unsafe.Sizeof(x))
}

// fitsFile is fits for a graph that is read from a file.
func (b *builder) fitsFile(references, extras uint64) bool {
	n := uint64(b.g.end)
	graph := 8*n + 4*references + 3*uint64(size[extra]())*extras + listBytes(b.long, b.rootRefs, b.specials, b.owners)
	tree := 32*n + 8*max(references, n)
	return graph+tree <= uint64(max(0, b.most-b.f.tables.bytes))
}
