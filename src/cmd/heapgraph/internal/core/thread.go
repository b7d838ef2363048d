// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the threads that run goroutines, and the registers with which
// the goroutines were running.

package core

import (
	"cmp"
	"internal/profilerecord"
	"slices"
	"strings"
)

// A machine is an m that runs a goroutine.
type machine struct {
	addr          uint64
	thread        uint64 // number of the thread, as the program sees it
	g, g0, signal stackOf
}

// A stackOf is a g with the bounds of its stack.
type stackOf struct{ g, low, high uint64 }

func (s *stackOf) has(addr uint64) bool { return addr >= s.low && addr < s.high }

// stackOf returns the stack of the g at an address.
func (p *process) stackOf(g uint64) stackOf {
	if g == 0 {
		return stackOf{}
	}
	return stackOf{g, p.word(g + p.off(profilerecord.CoreGStackLow)), p.word(g + p.off(profilerecord.CoreGStackHigh))}
}

// machines returns the ms that run a goroutine.
func (p *process) machines() (ms []machine) {
	const maxMachines = 1 << 16
	at := p.word(p.variable(profilerecord.CoreAllMs))
	for i := 0; at != 0 && i < maxMachines; i++ {
		g := p.word(at + p.off(profilerecord.CoreMCurrentG))
		if g != 0 && p.status(g) == p.off(profilerecord.CoreGIsRunning) {
			ms = append(ms, machine{
				addr:   at,
				thread: p.word(at + p.off(profilerecord.CoreMThread)),
				g:      p.stackOf(g),
				g0:     p.stackOf(p.word(at + p.off(profilerecord.CoreMG0))),
				signal: p.stackOf(p.word(at + p.off(profilerecord.CoreMSignalG))),
			})
		}
		at = p.word(at + p.off(profilerecord.CoreMNext))
	}
	return ms
}

// status returns the status of the g at an address.
func (p *process) status(g uint64) uint64 {
	return uint64(p.uint32(g+p.off(profilerecord.CoreGStatus))) &^ p.off(profilerecord.CoreGScanBit)
}

// running returns the registers of the goroutines that threads are running, by
// the addresses of their gs. It finds the m of a thread in one of three ways:
// the thread is on a stack of the m; the thread has a g of the m in its
// thread-local storage; or the m has the number of the thread. The number comes
// last, because it is wrong if the core file was made outside the process's PID
// namespace.
func (p *process) running(threads []thread) map[uint64]registers {
	ms := p.machines()
	found := make(map[uint64]registers)
	used := make([]bool, len(threads))
	for _, find := range []func(*thread) *machine{p.byStack(ms), p.byTLS(ms), byNumber(ms)} {
		for i := range threads {
			if used[i] {
				continue
			}
			if m := find(&threads[i]); m != nil {
				if _, ok := found[m.g.g]; !ok {
					found[m.g.g], used[i] = p.registersOf(m, &threads[i]), true
				}
			}
		}
	}
	return found
}

// byStack returns a function that finds the machine of a thread by the stack
// that the thread is on. The function returns nil if there is none.
func (p *process) byStack(ms []machine) func(*thread) *machine {
	type interval struct {
		stackOf
		m *machine
	}
	var stacks []interval
	for i := range ms {
		m := &ms[i]
		stacks = append(stacks, interval{m.g, m}, interval{m.g0, m}, interval{m.signal, m})
	}
	slices.SortFunc(stacks, func(a, b interval) int { return cmp.Compare(a.low, b.low) })
	return func(t *thread) *machine {
		i, ok := slices.BinarySearchFunc(stacks, t.regs.sp, func(s interval, sp uint64) int { return cmp.Compare(s.low, sp) })
		if !ok {
			i--
		}
		if i < 0 || !stacks[i].has(t.regs.sp) {
			return nil
		}
		return stacks[i].m
	}
}

// byTLS returns a function that finds the machine of a thread by the g that the
// thread has in its thread-local storage. The function returns nil if there is
// none. The g is before the thread pointer: in the first word before it, unless
// C has variables there.
func (p *process) byTLS(ms []machine) func(*thread) *machine {
	const slots = 8
	owner := make(map[uint64]*machine)
	for i := range ms {
		m := &ms[i]
		owner[m.g.g], owner[m.g0.g], owner[m.signal.g] = m, m, m
	}
	delete(owner, 0)
	return func(t *thread) *machine {
		for i := uint64(1); t.tls != 0 && i <= slots; i++ {
			if m := owner[p.word(t.tls-i*wordSize)]; m != nil {
				return m
			}
		}
		return nil
	}
}

// byNumber returns a function that finds the machine of a thread by the
// thread's number. The function returns nil if there is none.
func byNumber(ms []machine) func(*thread) *machine {
	owner := make(map[uint64]*machine)
	for i := range ms {
		owner[ms[i].thread] = &ms[i]
	}
	return func(t *thread) *machine { return owner[t.id] }
}

// registersOf returns the registers with which the goroutine of m was running
// on thread t. If the thread was in a signal handler, they are in the signal
// frame. If it was in a call of the vDSO, m has the PC and the stack pointer of
// the caller. If it was in a call of a sanitizer, sanitizerCaller finds the PC
// and the stack pointer of the caller.
func (p *process) registersOf(m *machine, t *thread) registers {
	if sp := p.word(m.addr + p.off(profilerecord.CoreMVDSOSP)); m.g.has(sp) {
		return registers{pc: p.word(m.addr + p.off(profilerecord.CoreMVDSOPC)), sp: sp}
	}
	regs := t.regs
	if m.signal.has(regs.sp) {
		if interrupted, ok := p.signalFrame(&m.signal, regs.sp); ok {
			regs = interrupted
		}
	}
	if m.g0.has(regs.sp) {
		if caller, ok := p.sanitizerCaller(m, regs); ok {
			return caller
		}
	}
	return regs
}

// Offsets in a signal frame of linux/amd64 (struct rt_sigframe), from its first
// word, which is the address of the code that returns from the signal.
const (
	frameStackLow  = 8 + 16
	frameStackSize = 8 + 32
	frameRegisters = 8 + 40
	frameNRegs     = 15
	frameSP        = frameRegisters + 15*8
	framePC        = frameRegisters + 16*8
	frameFlags     = frameRegisters + 17*8
	frameCS        = frameRegisters + 18*8 // has 16 bits
)

// maxSignalStack is the largest number of bytes of a signal stack that are
// searched.
const maxSignalStack = 1 << 20

// signalFrame finds the outermost signal frame on a signal stack above sp.
func (p *process) signalFrame(stack *stackOf, sp uint64) (regs registers, ok bool) {
	high := min(stack.high, sp+maxSignalStack) &^ (wordSize - 1)
	for at := high - wordSize; at >= sp && at < high; at -= wordSize {
		if !p.isSignalFrame(stack, at) {
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

// isSignalFrame reports whether a signal frame is at an address. The frame must
// have possible values of CS, the flags and the PC, and the bounds of the
// signal stack, which the kernel records in the frame. In place of the bounds,
// it suffices that the frame returns to the runtime, as in a program without
// cgo, and that the signal interrupted Go code.
func (p *process) isSignalFrame(stack *stackOf, at uint64) bool {
	const userCS, flagsFixed = 0x33, 1 << 1 // the flag flagsFixed is always set
	if p.uint16(at+frameCS) != userCS || p.word(at+frameFlags)&flagsFixed == 0 || p.word(at+framePC) == 0 {
		return false
	}
	if p.word(at+frameStackLow) == stack.low && p.word(at+frameStackSize) == stack.high-stack.low {
		return true
	}
	f := p.functionAt(p.word(at))
	return f != nil && strings.HasPrefix(f.name, "runtime.sigreturn") && p.functionAt(p.word(at+framePC)) != nil
}

// sanitizerCalls are the functions that call C on the stack of g0 without
// storing the point at which they have left the stack of the goroutine. They
// keep the goroutine's stack pointer in R12, which C preserves.
var sanitizerCalls = map[string]bool{
	"racecall": true, "msancall": true, "asancall": true,
	"libfuzzerCall4": true, "libfuzzerCallTraceIntCmp": true, "libfuzzerCallWithTwoByteBuffers": true,
}

// regR12 is the index of R12 in the registers of a thread, and frameRegR12 is
// its index in those of a signal frame.
const (
	regR12      = 3
	frameRegR12 = 4
)

// sanitizerCaller returns the PC and the stack pointer in the function of
// sanitizerCalls that has called C. The stack pointer in regs is on the stack
// of g0. ok is false if regs are not those of such a call, or if the
// goroutine's stack pointer is not found. The goroutine's stack pointer is R12
// or one of the words that C has saved: the one from which the goroutine's
// stack can be followed to its end.
func (p *process) sanitizerCaller(m *machine, regs registers) (caller registers, ok bool) {
	const maxSaved, maxTries = 1 << 16, 1 << 6
	at := p.word(m.g0.g+p.off(profilerecord.CoreGSP))&^15 - wordSize
	if !m.g0.has(at) || regs.sp > at {
		return regs, false
	}
	pc := p.word(at)
	f := p.functionAt(pc)
	if f == nil || !sanitizerCalls[f.name[strings.LastIndexByte(f.name, '.')+1:]] {
		return regs, false
	}
	tries := 0
	isSP := func(sp uint64) bool {
		if !m.g.has(sp) || tries == maxTries {
			return false
		}
		tries++
		g := goroutine{low: m.g.low, high: m.g.high, pc: pc, sp: sp, running: true}
		return p.reachesEnd(&g)
	}
	for _, i := range []int{regR12, frameRegR12} {
		if i < len(regs.all) && isSP(regs.all[i]) {
			return registers{pc: pc, sp: regs.all[i], all: regs.all}, true
		}
	}
	for ; at >= regs.sp && at-regs.sp < maxSaved; at -= wordSize {
		if sp := p.word(at); isSP(sp) {
			return registers{pc: pc, sp: sp, all: regs.all}, true
		}
	}
	return regs, false
}

// reachesEnd reports whether the stack of g can be followed to its end.
func (p *process) reachesEnd(g *goroutine) bool {
	frames := p.unwind(g)
	return len(frames) > 0 && !g.cut
}
