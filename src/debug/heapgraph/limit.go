// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file limits the memory that reading a file takes, because a file may
// come from anywhere, and sections inflate up to a thousand times: 2 kB can
// stand for millions of objects.

package heapgraph

import (
	"errors"
	"fmt"
	format "internal/heapgraph"
	"math"
	"unsafe"
)

// The limit of a file is limitFloor and limitFactor bytes for each of its
// bytes. The factor is large because regular heaps deflate well: a list of 5
// million nodes is a file of 140 kB, and takes 400 MB.
var limitFloor int64 = 512 << 20 // tests change it

const limitFactor = 256

// Where addresses have 32 bits, arrays of the size that a large file or the
// caller allows may not exist. There, the limit of a file is at most limit32, and
// no limit is above math.MaxInt.
const limit32 = 1 << 30

// ErrLimit is the error of a file whose graph needs more memory than
// [Options.Memory].
var ErrLimit = errors.New("heapgraph: the snapshot needs more memory than it may take")

// errTooLarge stands for ErrLimit where the limit is not known.
var errTooLarge = errors.New("heapgraph: too large")

func errLimit(limit int64) error { return fmt.Errorf("%w: %d MB", ErrLimit, limit>>20) }

// limit returns the largest number of bytes that a graph of f may take.
func (f *File) limit(o *Options) int64 {
	switch n := limitFloor + limitFactor*f.size; {
	case o != nil && o.Memory > 0:
		return min(o.Memory, math.MaxInt)
	case math.MaxInt == math.MaxInt32:
		return min(n, limit32)
	default:
		return n
	}
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
	case format.KindSums:
		return 2 * size[format.Sum]()
	case format.KindCreators:
		return 2 * size[format.Creator]()
	case format.KindWaits:
		return 2 * size[format.Wait]()
	case format.KindHulls:
		return 2*size[format.Hull]() + 2*size[hull]()
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

// fits reports whether the limit allows a graph with the given number of
// references, and then its dominator tree. It is called with 0 before the arrays
// with an element for each object or vertex are made, and with the number of
// references before the array of references is made.
func (b *builder) fits(references uint64) bool {
	extras := b.repeated + uint64(len(b.specials))
	n := uint64(b.g.end)
	graph := 8*n + 4*n/placeStep + 4*references + 3*uint64(size[extra]())*extras + listBytes(b.long, b.rootRefs, b.specials, b.owners)
	tree := 32*n + 8*max(references, n)
	return graph+tree <= uint64(max(0, b.most-b.f.tables.bytes))
}

// listBytes returns the largest number of bytes that the lists of references in
// long spans, of roots, of specials and of owners take while the sections are
// decoded. It counts each element three times, because a full list and a longer
// copy of it exist at the same time.
func listBytes(long []format.Pair, rootRefs []rawRootRef, specials, owners []format.Special) uint64 {
	return 3 * uint64(int64(len(long))*size[format.Pair]()+int64(len(rootRefs))*size[rawRootRef]()+int64(len(specials)+len(owners))*size[format.Special]())
}

// listsFit reports whether the limit allows the lists that all workers have so
// far, with the tables. Without this check, the lists for a heap with very long
// slices of pointers would take many times the limit before fits refuses the
// graph.
func (w *worker) listsFit() bool {
	n := listBytes(w.long, w.rootRefs, w.specials, w.owners)
	all := w.b.lists.Add(n - w.lists)
	w.lists = n
	return int64(all)+w.b.f.tables.bytes <= w.b.most
}
