// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads what mappings the process has, line by line, from
// /proc/self/smaps. smapsclass_linux.go says what each is.

package pprof

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
)

// A smapsMapping is what smaps tells of a mapping.
type smapsMapping struct {
	base, limit uintptr
	perms       [4]byte // such as rw-p
	name        []byte  // of a file, or [heap] and the like, or none
	rss         uint64
	noReserve   bool // MAP_NORESERVE
	first       bool // begins where its file does
}

// isNamed reports whether the name begins so.
func (m *smapsMapping) isNamed(prefix string) bool { return bytes.HasPrefix(m.name, []byte(prefix)) }

// readForeign returns the division of memory that is not Go's, or nil if the
// system does not tell. That there is no descriptor is an error.
func readForeign(pages *pagemap) (*foreignMemory, error) { return readForeignUpTo(rollupLimit, pages) }

// readForeignUpTo is readForeign with a limit, in bytes, up to which smaps is
// read, for the reason of rollupLimit. Above, maps has the mappings; pagemap and
// mincore have the pages of those that are not the Go heap.
func readForeignUpTo(limit uint64, pages *pagemap) (*foreignMemory, error) {
	size, ok := statm.read()
	d := newSmapsDivision()
	d.pages = *pages
	d.onMaps = ok && size.bytes > limit && pages.file != nil
	name := "smaps"
	if d.onMaps {
		name = "maps"
	}
	file, err := openSelf(name)
	if err != nil {
		return nil, noDescriptor(err)
	}
	defer file.Close()
	if mem, err := openSelf("mem"); err == nil {
		defer mem.Close()
		d.mem = mem
	}
	if d.read(file) != nil || d.memory.mappings == 0 || !d.onMaps && d.memory.totals[0] == 0 {
		return nil, nil
	}
	d.memory.source = "/proc/self/" + name
	d.memory.divideCode()
	return &d.memory, nil
}

// read reads all of smaps. Beside names, it keeps two mappings at a time: what
// a mapping is may depend on the next one.
func (d *smapsDivision) read(r io.Reader) error {
	b := bufio.NewReaderSize(r, 32<<10)
	var current, next smapsMapping
	for {
		line, err := b.ReadSlice('\n')
		switch {
		case next.parse(line):
			d.add(&current, &next)
			current, next = next, smapsMapping{name: current.name[:0]}
		case len(line) > 0:
			d.readField(&current, line)
		}
		if err == bufio.ErrBufferFull {
			err = skipLine(b) // the rest of a name
		}
		if err != nil {
			d.add(&current, &smapsMapping{})
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

func skipLine(b *bufio.Reader) error {
	for {
		if _, err := b.ReadSlice('\n'); err != bufio.ErrBufferFull {
			return err
		}
	}
}

// parse parses the first line of a mapping, such as
//
//	7f0c2a400000-7f0c2a41f000 r--p 00000000 fe:00 1835211    /usr/lib/libc.so.6
//
// It reports whether it is one. The other lines begin with a capital letter.
func (m *smapsMapping) parse(line []byte) bool {
	addrs, rest, _ := bytes.Cut(line, []byte(" "))
	base, limit, ok := bytes.Cut(addrs, []byte("-"))
	if !ok || 'A' <= line[0] && line[0] <= 'Z' {
		return false
	}
	from, err := strconv.ParseUint(string(base), 16, 64)
	to, err2 := strconv.ParseUint(string(limit), 16, 64)
	if err != nil || err2 != nil {
		return false
	}
	m.base, m.limit = uintptr(from), uintptr(to)
	copy(m.perms[:], rest)
	var field [4][]byte // permissions, offset, device, inode
	for i := range field {
		field[i], rest, _ = bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	}
	m.first = len(bytes.Trim(field[1], "0")) == 0
	m.name = append(m.name[:0], bytes.TrimSuffix(bytes.TrimLeft(rest, " "), []byte("\n"))...)
	return true
}

// readField reads a line such as "Rss:    1668 kB" or "VmFlags: rd mr nr".
func (d *smapsDivision) readField(m *smapsMapping, line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if string(name) == "VmFlags" {
		m.noReserve = bytes.Contains(value, []byte(" nr"))
		return
	}
	for i, total := range foreignTotals {
		if string(name) != total {
			continue
		}
		number, _, _ := bytes.Cut(bytes.TrimSpace(value), []byte(" "))
		kb, err := strconv.ParseUint(string(number), 10, 53)
		if err != nil {
			return
		}
		d.memory.totals[i] += kb << 10
		if i == 0 {
			m.rss = kb << 10
		}
	}
}
