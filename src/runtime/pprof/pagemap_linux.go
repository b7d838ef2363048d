// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file asks the kernel which pages the process has mapped.
//
// A page that was only read is the kernel's zero page, which many pages share
// and the resident size does not count: the collector leaves them in a large
// object that nothing has written to. Only PAGEMAP_SCAN tells them from others,
// since Linux 6.7, and if they are huge since Linux 6.16.

package pprof

import (
	"encoding/binary"
	"os"
	"syscall"
	"unsafe"
)

// A pagemap is the file pagemap of the process.
type pagemap struct {
	file  *os.File // nil if there is none
	scans bool     // the kernel has PAGEMAP_SCAN
	data  []byte
	found []pageRegion
}

const pagemapData = 32 << 10

// open opens the file, and returns what closes it. That there is no descriptor
// for it is an error.
func (p *pagemap) open() (close func(), err error) {
	p.data = make([]byte, pagemapData)
	file, err := openSelf("pagemap")
	if err != nil {
		return func() {}, noDescriptor(err)
	}
	p.file, p.found = file, make([]pageRegion, 512)
	page := uintptr(os.Getpagesize())
	at := uintptr(unsafe.Pointer(&p.data[0])) &^ (page - 1)
	p.scans = p.scan(at, at+page, func(from, to uintptr) {})
	return func() { file.Close() }, nil
}

// A pageRegion is struct page_region of linux/fs.h.
type pageRegion struct{ start, end, categories uint64 }

// A pageScan is struct pm_scan_arg of linux/fs.h.
type pageScan struct {
	size, flags, start, end, walkEnd, regions, length, maxPages uint64
	inverted, mask, anyOf, returned                             uint64
}

const (
	pagemapScan   = 3<<30 | uint(unsafe.Sizeof(pageScan{}))<<16 | 'f'<<8 | 16 // _IOWR('f', 16, struct pm_scan_arg)
	pageIsPresent = 1 << 3
	pageIsPFNZero = 1 << 5
)

// maxScan is how much is scanned at once, in bytes, because nothing is mapped or
// unmapped meanwhile.
const maxScan = 1 << 30

// scan calls f with each range between two addresses that has pages of its own.
// It reports whether the kernel has told all of them.
func (p *pagemap) scan(from, to uintptr, f func(from, to uintptr)) bool {
	if p.file == nil {
		return false
	}
	for at := uint64(from); at < uint64(to); {
		arg := &pageScan{
			size: uint64(unsafe.Sizeof(pageScan{})), start: at, end: min(uint64(to), at+maxScan),
			regions: uint64(uintptr(unsafe.Pointer(&p.found[0]))), length: uint64(len(p.found)),
			mask: pageIsPresent | pageIsPFNZero, inverted: pageIsPFNZero, returned: pageIsPresent,
		}
		n, _, errno := syscall.Syscall(syscall.SYS_IOCTL, p.file.Fd(), uintptr(pagemapScan), uintptr(unsafe.Pointer(arg)))
		if errno != 0 || arg.walkEnd <= at {
			return false
		}
		for _, r := range p.found[:n] {
			f(uintptr(r.start), uintptr(r.end))
		}
		at = arg.walkEnd
	}
	return true
}

// fill sets one byte for each page of the n bytes at base, as mincore does. It
// reports whether it has.
func (p *pagemap) fill(base, n uintptr, present []byte) bool {
	if !p.scans {
		return false
	}
	page := uintptr(os.Getpagesize())
	clear(present[:n/page])
	return p.scan(base, base+n, func(from, to uintptr) {
		for ; from < to; from += page {
			present[(from-base)/page] = 1
		}
	})
}

// residentIn returns the bytes between pairs of addresses that have pages.
// Package runtime/cgo/mallocprofile calls it.
//
//go:linkname residentIn runtime/cgo/mallocprofile.residentIn
func residentIn(ranges [][2]uintptr) (bytes int64) {
	var pages pagemap
	closePages, _ := pages.open()
	defer closePages()
	for _, r := range ranges {
		bytes += int64(pages.inCore(r[0], r[1]))
	}
	return bytes
}

// maxPages is the largest mapping, in bytes, at whose pages resident looks one
// by one. Larger ones are reservations of which nearly all is free, as those of
// sanitizers.
const maxPages = 256 << 30

// resident returns the bytes of a mapping that have pages, or 0 if it is Go's
// heap, and without PAGEMAP_SCAN also if it cannot be accessed. mincore tells in
// a twentieth of the time, but of a file it tells what is in memory, not what is
// mapped.
func (p *pagemap) resident(m *smapsMapping) uint64 {
	switch {
	case pprof_inHeap(m.base) || string(m.name) == "[vsyscall]" || m.isNamed("/anon_hugepage"):
		return 0 // not in the resident size
	case p.scans:
		return p.inCore(m.base, m.limit)
	case string(m.perms[:3]) == "---" || uint64(m.limit-m.base) > maxPages:
		return 0
	case m.perms[3] == 's' || m.isNamed("/"):
		return p.present(m.base, m.limit)
	}
	return p.inCore(m.base, m.limit)
}

// inCore returns the bytes between two addresses of memory without a file that
// have pages.
func (p *pagemap) inCore(from, to uintptr) (bytes uint64) {
	if p.scans && p.scan(from, to, func(from, to uintptr) { bytes += uint64(to - from) }) {
		return bytes
	}
	bytes = 0
	page := uintptr(os.Getpagesize())
	for pages := (to - from + page - 1) / page; pages > 0; {
		n := min(pages, uintptr(len(p.data)))
		_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, from, n*page, uintptr(unsafe.Pointer(&p.data[0])))
		for _, b := range p.data[:n] {
			if errno == 0 {
				bytes += uint64(b&1) * uint64(page)
			}
		}
		from += n * page
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
