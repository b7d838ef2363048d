// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the functions of plugins, which have files of their own.

package core

import (
	"cmp"
	"fmt"
	"os"
	"slices"
)

// readPlugins reads the modules whose functions are neither in the core file
// nor in the executable, if the files that the process had mapped are still
// there. It counts those that it cannot read.
func (p *process) readPlugins(mappings []mapping) {
	for i, m := range p.modules {
		if m.funcTable != nil && m.pcTable != nil {
			continue
		}
		if f, bias, err := p.openMapped(mappings, m.minPC); err == nil {
			p.addFile(f, bias)
			p.modules[i] = p.readModule(m.addr)
		}
		if m := p.modules[i]; m.funcTable == nil || m.pcTable == nil {
			p.damaged.modules++
		}
	}
}

// openMapped opens the file that was mapped at an address. bias is the distance
// by which the file was moved when it was loaded.
func (p *process) openMapped(mappings []mapping, addr uint64) (f *file, bias uint64, err error) {
	i := slices.IndexFunc(mappings, func(a mapping) bool { return a.start <= addr && addr < a.end })
	if i < 0 {
		return nil, 0, fmt.Errorf("no file was mapped at %#x", addr)
	}
	name := mappings[i].name
	// A name in the core file may be that of any file, such as a pipe.
	// Opening a pipe would block.
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is no regular file", name)
	}
	if f, err = openFile(name); err != nil {
		return nil, 0, err
	}
	for _, a := range mappings {
		if a.name == name && a.off == 0 && f.begins(p.memory, a) {
			return f, a.start - f.firstAddress(), nil
		}
	}
	f.close()
	return nil, 0, errOther
}

// addFile adds a file to the memory of the process. If it cannot, it closes the
// file.
func (p *process) addFile(f *file, bias uint64) {
	segments, err := f.segments(bias)
	if err != nil || checkBuildID(f, p.memory, bias) != nil {
		f.close()
		return
	}
	p.opened = append(p.opened, f)
	p.exe = append(p.exe, segments...)
	slices.SortFunc(p.exe, func(a, b segment) int { return cmp.Compare(a.start, b.start) })
}

// close closes the files of plugins that p has opened.
func (p *process) close() {
	for _, f := range p.opened {
		f.close()
	}
}
