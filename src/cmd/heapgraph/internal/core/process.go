// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package core makes a heap graph from a core file. It finds the runtime's
// structures by the core record that each program has
// (internal/profilerecord/core.go), and needs neither symbols nor DWARF. It then
// marks as a recording of references does (runtime/mrefs*.go), in the order of
// the recorder's stages, and writes the file that runtime/pprof would have
// written (internal/heapgraph).
//
// Everything in a core file may be damaged. Addresses are checked before they
// are followed, lists have limits, and what is skipped is counted.
package core

import (
	"debug/elf"
	"fmt"
	"internal/profilerecord"
	"strings"
)

// A process is a process of which there is a core file.
type process struct {
	*memory
	record
	modules        []*module
	functions      map[functionKey]*function
	types          map[uint64]*Type
	variableTables map[variablesKey][]variable
	known          knownTypes
	heap           heap
	goroutines     []*goroutine
	globals        globals
	own            ownPackages
	version        string
	mainPath       string
	cycle          uint32

	damaged struct{ spans int64 } // that contradict themselves or others, or are not in the files
}

// newProcess reads what is known of the process of a core file.
func newProcess(exe, core *file) (p *process, err error) {
	p = &process{
		functions:      make(map[functionKey]*function),
		types:          make(map[uint64]*Type),
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
	if p.memory, bias, err = load(exe, core, notes.entry); err != nil {
		return nil, err
	}
	if p.record, err = findRecord(exe, p.memory, bias); err != nil {
		return nil, err
	}
	if err := p.readModules(); err != nil {
		return nil, err
	}
	if err := p.readHeap(); err != nil {
		return nil, err
	}
	p.findTypes()
	p.readProgram()
	p.readGlobals(exe, bias)
	p.readGoroutines(notes.threads)
	return p, nil
}

// readProgram reads what the program says about itself.
func (p *process) readProgram() {
	p.version = p.string(p.variable(profilerecord.CoreBuildVersion))
	p.cycle = p.uint32(p.variable(profilerecord.CoreGCCycles))
	info := p.string(p.variable(profilerecord.CoreModInfo))
	const mark = 16 // bytes before the first line
	info = info[min(mark, len(info)):]
	p.mainPath = infoField(info, "path\t")
	p.own = ownPackages{module: infoField(info, "mod\t"), main: strings.TrimSuffix(p.mainPath, ".test")}
}

// infoField returns the field that follows name in the first line that begins
// with name.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if field, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), name); ok {
			field, _, _ = strings.Cut(field, "\t")
			return field
		}
	}
	return ""
}

// ownPackages says which packages are the program's own: package main, and the
// packages of the main module or, in a test, of the package under test.
type ownPackages struct{ module, main string }

// has reports whether a package is the program's own. pkg is the path of the
// package as the linker writes it, and a dot.
func (own *ownPackages) has(pkg string) bool {
	return pkg == "main." || isBelow(pkg, own.module) || isBelow(pkg, own.main)
}

// isBelow reports whether pkg is the package at a path, its external test, or a
// package below the path.
func isBelow(pkg, path string) bool {
	if path == "" {
		return false
	}
	rest, ok := strings.CutPrefix(strings.ReplaceAll(pkg, "%2e", "."), path)
	return ok && (rest == "." || rest == "_test." || strings.HasPrefix(rest, "/"))
}

// hasFunction reports whether the function with a name is in one of the
// program's own packages.
func (own *ownPackages) hasFunction(name string) bool {
	head := name
	if i := strings.IndexAny(head, "[("); i >= 0 {
		head = head[:i]
	}
	last := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[last:], '.')
	return dot >= 0 && own.has(head[:last+dot+1])
}

// readGoroutines reads the goroutines, and where their stacks begin.
func (p *process) readGoroutines(threads []thread) {
	running := p.running(threads)
	fing := p.uint32(p.variable(profilerecord.CoreFingStatus))
	finalizes := uint64(fing)&p.off(profilerecord.CoreFingRuns) != 0
	for at := range p.elements(p.variable(profilerecord.CoreAllGs), wordSize) {
		status := uint64(p.uint32(at+p.off(profilerecord.CoreGStatus))) &^ p.off(profilerecord.CoreGScanBit)
		switch status {
		case p.off(profilerecord.CoreGIsDead), p.off(profilerecord.CoreGIsDeadExtra), p.off(profilerecord.CoreGIsIdle):
			continue
		}
		g := p.readGoroutine(at, status)
		cleansUp := p.uint8(at+p.off(profilerecord.CoreGRunningCleanups)) != 0
		g.system = p.functionAt(g.startPC).isSystem(finalizes, cleansUp)
		if regs, ok := running[at]; ok {
			g.interrupt(regs)
		}
		p.goroutines = append(p.goroutines, g)
	}
}

// readGoroutine reads the g at an address.
func (p *process) readGoroutine(at, status uint64) *goroutine {
	word := func(i int) uint64 { return p.word(at + p.off(i)) }
	g := &goroutine{
		addr: at, status: status,
		id:      word(profilerecord.CoreGID),
		low:     word(profilerecord.CoreGStackLow),
		high:    word(profilerecord.CoreGStackHigh),
		startPC: word(profilerecord.CoreGStartPC),
		leaked:  status == p.off(profilerecord.CoreGIsLeaked),
		wait:    p.waitReason(uint64(p.uint8(at + p.off(profilerecord.CoreGWaitReason)))),
	}
	g.pc, g.sp = word(profilerecord.CoreGPC), word(profilerecord.CoreGSP)
	if sp := word(profilerecord.CoreGSyscallSP); sp != 0 {
		g.pc, g.sp = word(profilerecord.CoreGSyscallPC), sp
	}
	g.labels = p.labels(word(profilerecord.CoreGLabels))
	return g
}

// interrupt notes the registers with which g was running, if they are those of
// Go code on its stack. Otherwise g was on a system stack. It has saved the PC
// and the stack pointer at which it left its own stack.
func (g *goroutine) interrupt(regs registers) {
	if !g.has(regs.sp) {
		return
	}
	g.pc, g.sp, g.running = regs.pc, regs.sp, true
	g.registers = regs.all
}

// waitReason returns the reason with a number.
func (p *process) waitReason(i uint64) string {
	if i >= p.off(profilerecord.CoreNumWaitReasons) {
		return ""
	}
	return p.string(p.variable(profilerecord.CoreWaitReasons) + i*2*wordSize)
}

// labels returns the labels in the set at an address.
func (p *process) labels(at uint64) (labels []labelPair) {
	const size, most = 4 * wordSize, 1 << 10
	if at == 0 {
		return nil
	}
	list, n := p.word(at), p.word(at+wordSize)
	if n > most || p.bytes(list, n*size) == nil {
		return nil
	}
	for i := range n {
		key, value := list+i*size, list+i*size+2*wordSize
		if p.word(key+wordSize) > 1<<16 || p.word(value+wordSize) > 1<<16 {
			return nil
		}
		labels = append(labels, labelPair{p.string(key), p.string(value)})
	}
	return labels
}

// running returns the registers of goroutines that threads are running, by the
// addresses of their gs.
func (p *process) running(threads []thread) map[uint64]registers {
	byID := make(map[uint64]thread)
	for _, t := range threads {
		byID[t.id] = t
	}
	found := make(map[uint64]registers)
	const maxThreads = 1 << 16
	m := p.word(p.variable(profilerecord.CoreAllMs))
	for i := 0; m != 0 && i < maxThreads; i++ {
		g := p.word(m + p.off(profilerecord.CoreMCurrentG))
		t, ok := byID[p.word(m+p.off(profilerecord.CoreMThread))]
		if ok && g != 0 && uint64(p.uint32(g+p.off(profilerecord.CoreGStatus)))&^p.off(profilerecord.CoreGScanBit) == p.off(profilerecord.CoreGIsRunning) {
			found[g] = p.registersOf(m, g, t)
		}
		m = p.word(m + p.off(profilerecord.CoreMNext))
	}
	return found
}

// registersOf returns the registers with which g was running on thread t of m.
// If the thread was in a signal handler, they are in the signal frame. If it was
// in a call of the vDSO, m has the PC and the stack pointer of the caller.
func (p *process) registersOf(m, g uint64, t thread) registers {
	if sp := p.word(m + p.off(profilerecord.CoreMVDSOSP)); sp != 0 {
		return registers{pc: p.word(m + p.off(profilerecord.CoreMVDSOPC)), sp: sp}
	}
	signal := p.word(m + p.off(profilerecord.CoreMSignalG))
	low, high := p.word(signal+p.off(profilerecord.CoreGStackLow)), p.word(signal+p.off(profilerecord.CoreGStackHigh))
	if signal == 0 || t.regs.sp < low || t.regs.sp >= high {
		return t.regs
	}
	if regs, ok := p.signalFrame(t.regs.sp, high); ok {
		return regs
	}
	return t.regs
}

// Offsets in a signal frame of linux/amd64, from its first word, which is the
// address of the code that returns from the signal.
const (
	frameFlags     = 8
	frameRegisters = 8 + 40
	frameNRegs     = 15
	frameSP        = frameRegisters + 15*8
	framePC        = frameRegisters + 16*8
)

// maxSignalStack is the most bytes of a signal stack that are searched.
const maxSignalStack = 1 << 20

// signalFrame finds the outermost signal frame on a signal stack above sp.
func (p *process) signalFrame(sp, high uint64) (regs registers, ok bool) {
	high = min(high, sp+maxSignalStack) &^ (wordSize - 1)
	for at := high - wordSize; at >= sp && at < high; at -= wordSize {
		f := p.functionAt(p.word(at))
		if f == nil || !strings.HasPrefix(f.name, "runtime.sigreturn") || p.functionAt(p.word(at+framePC)) == nil {
			continue
		}
		regs.sp, regs.pc = p.word(at+frameSP), p.word(at+framePC)
		for i := range uint64(frameNRegs) {
			regs.all = append(regs.all, p.word(at+frameRegisters+i*8))
		}
		return regs, true
	}
	return regs, false
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
