// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package filetool names the tool that reads a file about memory. A tool that
// cannot read a file asks it, because heap graphs, profiles and folders of
// reports are easily given to the wrong one.
package filetool

import (
	"bufio"
	"compress/gzip"
	"debug/elf"
	"fmt"
	"internal/heapgraph"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A kind is a kind of file.
type kind struct {
	what    string
	tool    string // that reads it
	command string // with %s for the file
}

var (
	graph  = &kind{"a heap graph", "heapgraph", "go tool heapgraph -http=: %s"}
	prof   = &kind{"a profile", "pprof", "go tool pprof -http=: %s"}
	folder = &kind{"a folder of profiles", "memreport", "go tool memreport %s"}
	core   = &kind{"a core file", "", "go tool memreport executable %s"}
)

// Check returns an error with the right command if a file is for another tool
// than the named one. It returns nil if it does not know the file.
func Check(tool, name string) error {
	k := kindOf(name)
	if k == nil || k.tool == tool {
		return nil
	}
	return fmt.Errorf("this is %s, for which the command is: "+k.command, k.what, Quote(name))
}

// CheckCore returns an error if the arguments of a command, an executable and its
// core file, are in the other order, or if one of them is for another tool.
func CheckCore(command, executable, coreFile string) error {
	for _, name := range []string{executable, coreFile} {
		if err := Check(core.tool, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	switch {
	case kindOf(executable) != core:
		return nil
	case kindOf(coreFile) == core:
		return fmt.Errorf("%s: this is a core file, and not its executable, which stands before a core file", executable)
	}
	return fmt.Errorf("%s: this is a core file, and stands after its executable: %s %s %s", executable, command, Quote(coreFile), Quote(executable))
}

// kindOf returns the kind of a file, or nil.
func kindOf(name string) *kind {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		for _, has := range []string{"memreport.json", "evidence.txt"} {
			if _, err := os.Stat(filepath.Join(name, has)); err == nil {
				return folder
			}
		}
		return nil
	case !info.Mode().IsRegular(): // a pipe would lose what is read
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReader(f)
	start, _ := r.Peek(len(heapgraph.Magic))
	switch {
	case string(start) == heapgraph.Magic:
		return graph
	case isCore(f):
		return core
	case isProfile(r):
		return prof
	}
	return nil
}

// isCore reports whether a file is an ELF core file.
func isCore(f *os.File) bool {
	e, err := elf.NewFile(f)
	return err == nil && e.Type == elf.ET_CORE
}

// isProfile reports whether a file is a compressed message that begins with a
// field of a profile that has the type of a value.
func isProfile(r io.Reader) bool {
	z, err := gzip.NewReader(r)
	if err != nil {
		return false
	}
	const (
		sampleType = 1<<3 | 2 // number of the field; it has a length
		periodType = 11<<3 | 2
		valueType  = 1 << 3 // its first field, a number
	)
	var b [3]byte
	_, err = io.ReadFull(z, b[:])
	return err == nil && (b[0] == sampleType || b[0] == periodType) && b[2] == valueType
}

// Quote returns an argument as a shell needs it.
func Quote(s string) string {
	plain := plainLetters + string(os.PathSeparator)
	if !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%"
