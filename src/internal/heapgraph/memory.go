// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file keeps a heap graph in memory that the caller provides.
// runtime/pprof uses it for the retained profile, for which a process reads its
// own graph. Payloads are not deflated, because deflating takes more time than
// everything else.

package heapgraph

import (
	"errors"
	"io"
)

// ErrMemory is the error of a graph that needs more memory than it may take.
var ErrMemory = errors.New("heapgraph: the graph needs more memory than it may take")

// A Memory is a file in memory. When debug/heapgraph reads a graph from a
// Memory, it takes the large arrays of the graph from that Memory, too.
type Memory struct {
	Most   int64                  // largest number of bytes of the file, of the graph with the file, and of the graph with its dominator tree
	Alloc  func(bytes int) []byte // returns zeroed memory for the file, or nil if there is none
	Arrays func(bytes int) []byte // returns zeroed memory for the arrays
	Has    func(bytes int) bool   // reports whether the system has this much memory for arrays

	blocks [][]byte // of memoryBlock bytes each
	size   int64
}

const memoryBlock = 64 << 10

// Size returns the number of bytes of the file.
func (m *Memory) Size() int64 { return m.size }

// Write appends b to the file.
func (m *Memory) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		at := int(m.size % memoryBlock)
		if at == 0 {
			if m.size+memoryBlock > m.Most {
				return n, ErrMemory
			}
			block := m.Alloc(memoryBlock)
			if block == nil {
				return n, ErrMemory
			}
			m.blocks = append(m.blocks, block)
		}
		k := copy(m.blocks[len(m.blocks)-1][at:], b)
		b = b[k:]
		n += k
		m.size += int64(k)
	}
	return n, nil
}

// ReadAt reads from the file. It may be called by several goroutines at once.
func (m *Memory) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && off < m.size {
		block := m.blocks[off/memoryBlock]
		if left := m.size - off/memoryBlock*memoryBlock; left < memoryBlock {
			block = block[:left]
		}
		k := copy(b[n:], block[off%memoryBlock:])
		n += k
		off += int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
