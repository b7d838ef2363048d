// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads everything about the process of a core file that is needed
// before its heap is marked.

package core

import (
	"debug/elf"
	"fmt"
	"internal/profilerecord"
	"internal/runtime/refs"
)

// A process is a process for which there is a core file.
type process struct {
	*memory
	record
	modules        []*module
	functions      map[functionKey]*function
	types          map[uint64]*Type
	copies         []*Type // types with copies (typecopy.go)
	copyAt         map[uintptr]*Type
	variableTables map[variablesKey][]variable
	known          knownTypes
	paths          refs.Paths
	labelSets      map[string]uintptr // numbers of sets of labels, by labelText
	frame          *frame             // frame whose variables are looked up
	heap           heap
	goroutines     []*goroutine
	globals        globals
	own            ownPackages
	version        string
	mainPath       string
	cycle          uint32

	opened []*file // files of plugins

	typeChecks typeChecks

	damaged struct {
		spans   int64 // number of spans that contradict themselves or others, or are not in the files
		modules int64 // number of modules whose functions are not in the files
	}
}

// newProcess reads the process of a core file.
func newProcess(exe, core *file) (p *process, err error) {
	p = &process{
		functions:      make(map[functionKey]*function),
		types:          make(map[uint64]*Type),
		copyAt:         make(map[uintptr]*Type),
		variableTables: make(map[variablesKey][]variable),
	}
	if err := checkKinds(exe, core); err != nil {
		return nil, err
	}
	notes, err := core.readNotes()
	if err != nil {
		return nil, err
	}
	var bias uint64
	if p.memory, bias, err = load(exe, core, &notes); err != nil {
		return nil, err
	}
	if p.record, err = findRecord(exe, p.memory, bias); err != nil {
		return nil, err
	}
	if err := p.checkMatch(exe); err != nil {
		return nil, err
	}
	if err := p.readModules(); err != nil {
		return nil, err
	}
	p.readPlugins(notes.mappings)
	if err := p.readHeap(); err != nil {
		p.close()
		return nil, err
	}
	p.findTypes()
	p.newPaths()
	p.readProgram()
	p.readGlobals(exe, bias)
	p.readGoroutines(notes.threads)
	return p, nil
}

// readProgram reads the build information of the program, and the number of its
// latest garbage collection.
func (p *process) readProgram() {
	p.version = p.string(p.variable(profilerecord.CoreBuildVersion))
	p.cycle = p.uint32(p.variable(profilerecord.CoreGCCycles))
	info := p.string(p.variable(profilerecord.CoreModInfo))
	p.mainPath = refs.ModuleField(info, "path\t")
	p.own.module, p.own.main = refs.OwnPaths(info)
}

// checkKinds checks that the files are an executable and a core file.
func checkKinds(exe, core *file) error {
	switch {
	case exe.Type != elf.ET_EXEC && exe.Type != elf.ET_DYN:
		return fmt.Errorf("%s is no executable", exe.name)
	case core.Type != elf.ET_CORE:
		return fmt.Errorf("%s is no core file", core.name)
	}
	return nil
}
