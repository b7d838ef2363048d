// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the memory of the process. Any part of it may be damaged, so
// nothing may be read without a check of its address.

package core

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
)

// A segment is contiguous memory.
type segment struct {
	start uint64
	data  []byte
}

func (s *segment) end() uint64 { return s.start + uint64(len(s.data)) }

// A memory is the memory of a process. A read looks for an address in the
// segment that was found last, then in the segments of the core file, and then
// in those of the executable and of plugins, which have pages that the process
// has not written.
type memory struct {
	core, exe []segment
	last      segment // the segment that was found last
}

// sortSegments sorts segments, and joins those that are adjacent in memory and
// in the file.
func sortSegments(segments []segment) []segment {
	slices.SortFunc(segments, func(a, b segment) int { return cmp.Compare(a.start, b.start) })
	joined := segments[:0]
	for _, s := range segments {
		if n := len(joined); n > 0 && joined[n-1].end() == s.start && follows(joined[n-1].data, s.data) {
			joined[n-1].data = joined[n-1].data[:len(joined[n-1].data)+len(s.data)]
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// follows reports whether b follows a in the file.
func follows(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && cap(a) >= len(a)+len(b) && &a[:len(a)+1][len(a)] == &b[0]
}

// before returns the index of the last segment that starts at p or before, or
// -1.
func before(segments []segment, p uint64) int {
	i, ok := slices.BinarySearchFunc(segments, p, func(s segment, p uint64) int { return cmp.Compare(s.start, p) })
	if !ok {
		i--
	}
	return i
}

// find sets m.last to the segment that has the byte at p, and reports whether
// there is one. Of a segment of the executable or a plugin, it takes only the
// part around p that no segment of the core file has: what the process has
// written since is in the core file.
func (m *memory) find(p uint64) bool {
	c := before(m.core, p)
	if c >= 0 && p < m.core[c].end() {
		m.last = m.core[c]
		return true
	}
	e := before(m.exe, p)
	if e < 0 || p >= m.exe[e].end() {
		return false
	}
	s := m.exe[e]
	start, end := s.start, s.end()
	if c >= 0 {
		start = max(start, m.core[c].end())
	}
	if c+1 < len(m.core) {
		end = min(end, m.core[c+1].start)
	}
	m.last = segment{start, s.data[start-s.start : end-s.start]}
	return true
}

// at returns the memory from p on, up to the end of its segment, or nil.
func (m *memory) at(p uint64) []byte {
	if off := p - m.last.start; off < uint64(len(m.last.data)) {
		return m.last.data[off:]
	}
	if !m.find(p) {
		return nil
	}
	return m.last.data[p-m.last.start:]
}

// bytes returns n bytes at p. It returns nil if they are not all there, or if
// they are in several segments and more than maxCopied.
func (m *memory) bytes(p, n uint64) []byte {
	b := m.at(p)
	if b != nil && n <= uint64(len(b)) {
		return b[:n:n]
	}
	if b == nil || n > maxCopied {
		return nil
	}
	b = bytes.Clone(b)
	for uint64(len(b)) < n {
		more := m.at(p + uint64(len(b)))
		if more == nil {
			return nil
		}
		b = append(b, more[:min(n-uint64(len(b)), uint64(len(more)))]...)
	}
	return b
}

// has reports whether all n bytes at p are there.
func (m *memory) has(p, n uint64) bool {
	for n > 0 {
		b := m.at(p)
		if b == nil {
			return false
		}
		more := min(n, uint64(len(b)))
		p, n = p+more, n-more
	}
	return true
}

// maxCopied is the largest number of bytes that are copied because they are in
// several segments.
const maxCopied = 64 << 20

// word returns the word at p, or 0 if there is none.
func (m *memory) word(p uint64) uint64 {
	if b := m.bytes(p, wordSize); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (m *memory) uint32(p uint64) uint32 {
	if b := m.bytes(p, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (m *memory) uint16(p uint64) uint16 {
	if b := m.bytes(p, 2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (m *memory) uint8(p uint64) uint8 {
	if b := m.at(p); b != nil {
		return b[0]
	}
	return 0
}

// string returns the string whose header is at p, or "" if it is damaged.
func (m *memory) string(p uint64) string {
	if m.word(p+wordSize) > maxText {
		return ""
	}
	return string(m.bytes(m.word(p), m.word(p+wordSize)))
}

// slice returns the memory of the slice whose header is at p. Its elements have
// size bytes each.
func (m *memory) slice(p, size uint64) []byte {
	n := m.word(p + wordSize)
	if n > maxLen || size == 0 {
		return nil
	}
	return m.bytes(m.word(p), n*size)
}

// elements returns the first word of each element of the slice whose header is
// at an address, except words that are 0.
func (m *memory) elements(at, size uint64) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for b := m.slice(at, size); uint64(len(b)) >= max(size, wordSize); b = b[size:] {
			if w := binary.LittleEndian.Uint64(b); w != 0 && !yield(w) {
				return
			}
		}
	}
}

// maxLen is the largest number of elements of a slice. A slice of more elements
// is taken for damaged.
const maxLen = 1 << 40

// wordSize is the size of a pointer in bytes.
const wordSize = 8
