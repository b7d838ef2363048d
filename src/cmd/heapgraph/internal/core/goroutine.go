// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the goroutines: where unwinding of their stacks begins, and
// the registers of those that were running.

package core

import "internal/profilerecord"

// A goroutine is a goroutine of the program.
type goroutine struct {
	addr      uint64 // address of the g
	id        uint64
	low, high uint64 // bounds of its stack
	status    uint64
	startPC   uint64
	creator   uint64 // PC to which the go statement that started it returned, or 0
	wait      string
	labels    []labelPair
	system    bool
	leaked    bool
	registers []uint64 // registers that may have pointers, if it was running
	pc, sp    uint64   // where unwinding begins
	running   bool     // g was interrupted at pc, which is not the return PC of a call
	lost      bool     // it was running, but no thread of the core file runs it
	cut       bool     // the stack could not be followed to its end, or is too deep

	number uint64 // number in the heap graph, or 0
	place  uint32 // node of a reference in its stack, or 0
}

type labelPair struct{ key, value string }

// readGoroutines reads the goroutines. It skips gs that are dead or idle.
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
		} else if status == p.off(profilerecord.CoreGIsRunning) {
			g.lost = true
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
		creator: word(profilerecord.CoreGCreatorPC),
		leaked:  status == p.off(profilerecord.CoreGIsLeaked),
		wait:    p.waitReason(uint64(p.uint8(at + p.off(profilerecord.CoreGWaitReason)))),
	}
	if g.id == 1 {
		g.creator = 0 // as in stack traces
	}
	g.pc, g.sp = word(profilerecord.CoreGPC), word(profilerecord.CoreGSP)
	if sp := word(profilerecord.CoreGSyscallSP); sp != 0 {
		g.pc, g.sp = word(profilerecord.CoreGSyscallPC), sp
	}
	g.labels = p.labels(word(profilerecord.CoreGLabels))
	return g
}

// has reports whether an address is on the stack of g.
func (g *goroutine) has(addr uint64) bool { return addr >= g.low && addr < g.high }

// interrupt sets the registers with which g was running, if their stack pointer
// is on the stack of g. If g was on a system stack, interrupt does nothing,
// because g has saved the PC and the stack pointer at which it left its own
// stack.
func (g *goroutine) interrupt(regs registers) {
	if !g.has(regs.sp) {
		return
	}
	g.pc, g.sp, g.running = regs.pc, regs.sp, true
	g.registers = regs.all
}

// waitReason returns the text of the wait reason with a number, or "".
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
