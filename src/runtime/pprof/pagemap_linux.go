// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file asks the kernel which pages the process has mapped, of files too,
// where it does not read smaps.

package pprof

import (
	"encoding/binary"
	"os"
	"syscall"
	"unsafe"
)

// A pagemap is /proc/self/pagemap.
type pagemap struct {
	file *os.File // nil if there is none
	data []byte
}

const pagemapData = 32 << 10

// open opens the file, and returns what closes it.
func (p *pagemap) open() (close func()) {
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return func() {}
	}
	p.file, p.data = file, make([]byte, pagemapData)
	return func() { file.Close() }
}

// maxPages is the largest mapping, in bytes, at whose pages resident looks.
// Larger ones are reservations of which nearly all is free, as those of
// sanitizers.
const maxPages = 256 << 30

// resident returns the bytes of a mapping that have pages, or 0 if it is Go's
// heap or cannot be accessed. mincore tells in a twentieth of the time, but of a
// file it tells what is in memory, not what is mapped.
func (p *pagemap) resident(m *smapsMapping) uint64 {
	switch {
	case string(m.perms[:3]) == "---" || uint64(m.limit-m.base) > maxPages || pprof_inHeap(m.base):
		return 0
	case m.perms[3] == 's' || len(m.name) > 0 && m.name[0] == '/':
		return p.present(m.base, m.limit)
	}
	return p.inCore(m.base, m.limit)
}

// inCore returns the bytes between two addresses of memory without a file that
// have pages.
func (p *pagemap) inCore(from, to uintptr) (bytes uint64) {
	if p.data == nil {
		p.data = make([]byte, pagemapData)
	}
	page := uintptr(os.Getpagesize())
	for pages := (to - from + page - 1) / page; pages > 0; {
		n := min(pages, uintptr(len(p.data)))
		_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, from, n*page, uintptr(unsafe.Pointer(&p.data[0])))
		for _, b := range p.data[:n] {
			if errno == 0 {
				bytes += uint64(b&1) * uint64(page)
			}
		}
		from += n * page // which may be 0: vsyscall is at the end of all addresses
		pages -= n
	}
	return bytes
}

// present returns the bytes between two addresses that have pages. It has 8
// bytes for each page, with bit 63 if the page is present.
func (p *pagemap) present(from, to uintptr) (bytes uint64) {
	if p.file == nil {
		return 0
	}
	page := uint64(os.Getpagesize())
	for at, end := uint64(from)/page*8, (uint64(to)+page-1)/page*8; at < end; {
		n, err := p.file.ReadAt(p.data[:min(end-at, uint64(len(p.data)))], int64(at))
		for i := 0; i+8 <= n; i += 8 {
			bytes += binary.NativeEndian.Uint64(p.data[i:]) >> 63 * page
		}
		if err != nil {
			return bytes
		}
		at += uint64(n)
	}
	return bytes
}
