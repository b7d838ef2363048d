// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

package mallocprofile

import (
	"bytes"
	"cmp"
	"debug/elf"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	_ "unsafe" // for linkname
)

// A symbolTable names the functions of C, by the symbols of the files that are
// mapped now. It reads a file when a function in it is looked up first.
type symbolTable struct {
	maps  []mapping
	files map[file]*object
}

// A file may have taken the place of another one with its name.
type file struct {
	name  string
	inode uint64
}

// A place is in a file.
type place struct {
	file
	offset uint64
}

// functions has the names of functions that were looked up, because profiles
// have the same ones again, and reading a file takes megabytes.
var functions struct {
	sync.Mutex
	names map[place]string
}

// A mapping is executable memory that has a file's contents. If the file was
// deleted, its name is no file's or another file's.
type mapping struct {
	start, end, offset uintptr
	file               file
	deleted            bool
}

// An object is a file's segments, and its functions by address.
type object struct {
	segments  []elf.ProgHeader
	functions []elf.Symbol
}

// frame returns the function that has the call which returns to pc. A function
// without a symbol is the name of its file in brackets.
func (t *symbolTable) frame(pc uintptr) frame {
	if t.files == nil {
		t.maps, t.files = executableMappings(), make(map[file]*object)
	}
	for _, m := range t.maps {
		if pc-1 < m.start || pc-1 >= m.end {
			continue
		}
		name := t.function(m, uint64(pc-1-m.start+m.offset))
		return frame{function: cmp.Or(name, "["+filepath.Base(m.file.name)+"]"), file: m.file.name, symbol: name}
	}
	return frame{function: "[unknown]"}
}

// function returns the name of the function at an offset in m's file, or "".
func (t *symbolTable) function(m mapping, offset uint64) string {
	functions.Lock()
	defer functions.Unlock()
	p := place{m.file, offset}
	name, ok := functions.names[p]
	if !ok {
		o := t.files[m.file]
		if o == nil {
			o = readObject(m.path())
			t.files[m.file] = o
		}
		name = strings.Clone(o.function(offset)) // and not the whole table
		if functions.names == nil {
			functions.names = make(map[place]string)
		}
		functions.names[p] = name
	}
	return name
}

func executableMappings() (maps []mapping) {
	text, _ := os.ReadFile(selfFile("maps"))
	for line := range bytes.Lines(text) {
		parseProcSelfMaps(line, func(lo, hi, offset uint64, name, buildID string) {
			inode, _ := strconv.ParseUint(string(bytes.Fields(line)[4]), 10, 64)
			maps = append(maps, mapping{uintptr(lo), uintptr(hi), uintptr(offset), file{name, inode}, bytes.HasSuffix(line, []byte(deleted+"\n"))})
		})
	}
	return maps
}

const deleted = " (deleted)" // follows a name in /proc

// path returns a path that leads to the file of m, or "".
func (m mapping) path() string {
	link := selfFile("exe")
	exe, _ := os.Readlink(link)
	switch {
	case strings.TrimSuffix(exe, deleted) == m.file.name:
		return link // also if it is deleted
	case m.deleted:
		return ""
	}
	return m.file.name
}

//go:linkname selfFile runtime/pprof.selfFile
func selfFile(name string) string

//go:linkname parseProcSelfMaps runtime/pprof.parseProcSelfMaps
func parseProcSelfMaps(data []byte, addMapping func(lo, hi, offset uint64, file, buildID string))

// readObject reads a file as far as it can be read.
func readObject(name string) *object {
	o := new(object)
	f, err := elf.Open(name)
	if err != nil {
		return o
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			o.segments = append(o.segments, p.ProgHeader)
		}
	}
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range append(symbols, dynamic...) {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 && s.Section != elf.SHN_UNDEF {
			o.functions = append(o.functions, s)
		}
	}
	slices.SortStableFunc(o.functions, func(x, y elf.Symbol) int { return cmp.Compare(x.Value, y.Value) })
	return o
}

// function returns the name of the function with the code at offset in the
// file, or "".
func (o *object) function(offset uint64) string {
	for _, s := range o.segments {
		if offset-s.Off >= s.Filesz {
			continue
		}
		address := offset - s.Off + s.Vaddr
		i, _ := slices.BinarySearchFunc(o.functions, address+1, func(f elf.Symbol, a uint64) int { return cmp.Compare(f.Value, a) })
		if i > 0 && address-o.functions[i-1].Value < o.functions[i-1].Size {
			return o.functions[i-1].Name
		}
	}
	return ""
}
