// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file unwinds the stacks of goroutines, and finds the words on them that
// are pointers. It does so as runtime.unwinder and runtime.scanstack do. If a
// goroutine was running on its own stack, it may not have been at a safe point.
// Its innermost frame is then scanned conservatively, as the interrupted frame
// of a goroutine that was preempted asynchronously is.

package core

import (
	"cmp"
	"encoding/binary"
	"internal/abi"
	"internal/profilerecord"
	"iter"
	"slices"
)

// A frame is a frame of a stack.
type frame struct {
	f              *function
	pc, continuePC uint64 // continuePC is 0 if execution does not continue in this frame
	sp, fp         uint64
	varp, argp     uint64
	args           uint64 // bytes of arguments
	conservative   bool
	symbol         uint64 // return PC that stands for the frame in paths
	node           uint32
}

// unwind returns the frames of a goroutine except goexit's, innermost first. If
// it cannot follow the stack to its end, it sets g.cut, and the last frame
// stands for the rest. It also sets g.cut if the stack has more frames than are
// kept.
func (p *process) unwind(g *goroutine) []frame {
	var frames frameList
	g.cut = true
	pc, sp, callee := g.pc, g.sp, abi.FuncIDNormal
	if pc == 0 && g.has(sp) { // a nil function was called
		pc, sp = p.word(sp), sp+wordSize
	}
	if g.lost {
		sp = 0
	}
	conservative := g.running
	for g.has(sp) {
		f := p.functionAt(pc)
		if f == nil {
			break
		}
		fr := frame{f: f, pc: pc, sp: sp, continuePC: pc, conservative: conservative}
		if f.pcsp == 0 {
			break
		}
		fr.fp = sp + uint64(f.pcValue(f.pcsp, pc)) + wordSize
		if fr.fp <= sp || fr.fp > g.high {
			break
		}
		lr := p.word(fr.fp - wordSize)
		if f.flag&abi.FuncFlagTopFrame != 0 || f.flag&abi.FuncFlagSPWrite != 0 && f.id != abi.FuncID_cgocallback && frames.n > 0 {
			lr = 0
		}
		if fr.varp = fr.fp - wordSize; fr.varp > sp {
			fr.varp -= wordSize // the saved frame pointer
		}
		fr.argp = fr.fp
		if callee == abi.FuncID_sigpanic {
			fr.continuePC = 0
			if f.resume != 0 {
				fr.continuePC = f.entry + uint64(f.resume) + 1
			}
		}
		fr.symbol = pc
		injected := callee == abi.FuncID_sigpanic || callee == abi.FuncID_asyncPreempt || callee == abi.FuncID_debugCallV2
		if frames.n == 0 && g.running || injected || pc == f.entry {
			fr.symbol = pc + 1
		}
		switch {
		case f.id == abi.FuncID_asyncPreempt || f.id == abi.FuncID_debugCallV2:
			fr.conservative, conservative = true, true
		default:
			conservative = false
		}
		fr.args = p.argBytes(&fr)
		if f.id != abi.FuncID_goexit {
			frames.add(fr)
		}
		if f.flag&abi.FuncFlagTopFrame != 0 {
			g.cut = false
			break
		}
		if sp = fr.fp; lr == 0 {
			break
		}
		callee, pc = f.id, lr
	}
	if g.cut {
		frames.add(restOfStack(g, sp))
	}
	if frames.skipped() {
		g.cut = true
	}
	return frames.all()
}

// argsUnknown is the size of arguments in the table if only the function's
// caller knows their size.
const argsUnknown = -0x80000000

// argBytes returns the size of the arguments of a frame in bytes, or 0 if it is
// not known.
func (p *process) argBytes(fr *frame) uint64 {
	if fr.f.args != argsUnknown {
		return uint64(fr.f.args)
	}
	n, _, _ := p.reflectArgs(fr)
	return n * wordSize
}

// reflectArgs returns the number of words of the arguments that a stub of
// package reflect has on the stack, and their mask. The stub has a pointer to a
// description of its arguments at the bottom of its frame. ok is false for
// other functions, and if there is no such pointer.
func (p *process) reflectArgs(fr *frame) (n uint64, mask []byte, ok bool) {
	if fr.f.name != "reflect.makeFuncStub" && fr.f.name != "reflect.methodValueCall" || fr.sp >= fr.fp-wordSize {
		return 0, nil, false
	}
	mv := p.word(fr.sp)
	if p.word(mv) != fr.f.entry {
		return 0, nil, false
	}
	stack := p.word(mv + wordSize)
	n = uint64(p.uint32(stack))
	if p.uint8(fr.sp+4*wordSize) == 0 { // the results have not been written yet
		n = min(n, p.word(mv+2*wordSize)/wordSize)
	}
	return n, p.bytes(p.word(stack+p.off(profilerecord.CoreBitvectorData)), (n+7)/8), true
}

// stackMapIndex returns the index of the stack maps of a frame.
func (fr *frame) stackMapIndex() int32 {
	if fr.continuePC == 0 {
		return 0
	}
	i := int32(-1)
	if fr.continuePC != fr.f.entry {
		i = fr.f.pcData(abi.PCDATA_StackMapIndex, fr.continuePC-1)
	}
	return max(i, 0)
}

// stackMap returns the mask that has the given index in the stack maps at an
// address, and the number of its bits.
func (p *process) stackMap(at uint64, index int32) (mask []byte, n uint64) {
	if at == 0 {
		return nil, 0
	}
	maps, n := p.uint32(at), uint64(p.uint32(at+4))
	if uint32(index) >= maps {
		return nil, 0
	}
	size := (n + 7) / 8
	return p.bytes(at+8+uint64(index)*size, size), n
}

// A stackWord is a word that may refer to the heap.
type stackWord struct {
	at, value uint64
}

// A stackObject is a variable that is live if a pointer refers to it.
type stackObject struct {
	start, size, ptrBytes uint64
	mask                  []byte
	done                  bool
}

// A stackScan is the scan of a stack.
type stackScan struct {
	p       *process
	g       *goroutine
	frames  []frame
	words   []stackWord
	objects []stackObject

	pointers, doubtful []uint64 // pointers to the stack, and words that may be such pointers
}

// scanStack finds the references in the stack of g, and in its registers and
// defer records.
func (p *process) scanStack(g *goroutine) *stackScan {
	s := &stackScan{p: p, g: g, frames: p.unwind(g)}
	s.precise(g.addr+p.off(profilerecord.CoreGContext), p.word(g.addr+p.off(profilerecord.CoreGContext)))
	if p.uint8(g.addr+p.off(profilerecord.CoreGAsyncSafePoint)) != 0 {
		if regs := p.word(g.addr + p.off(profilerecord.CoreGXRegs)); regs != 0 {
			s.scan(regs, p.off(profilerecord.CoreXRegsSize), nil, true)
		}
	}
	for _, r := range g.registers {
		s.conservative(0, r)
	}
	for i := range s.frames {
		s.frame(&s.frames[i])
	}
	s.defers()
	if panics := p.word(g.addr + p.off(profilerecord.CoreGPanic)); g.has(panics) {
		s.pointers = append(s.pointers, panics)
	}
	s.scanObjects()
	return s
}

// precise records value, a pointer, if it points to the stack or to the heap.
// at is the address of the word that has the pointer, or 0.
func (s *stackScan) precise(at, value uint64) {
	switch {
	case s.g.has(value):
		s.pointers = append(s.pointers, value)
	case s.p.spanOf(value) != nil:
		s.words = append(s.words, stackWord{at, value})
	}
}

// conservative records value, which may be no pointer, if it seems to point to
// the stack or to an object. at is the address of the word, or 0 for a
// register.
func (s *stackScan) conservative(at, value uint64) {
	if s.g.has(value) {
		s.doubtful = append(s.doubtful, value)
		return
	}
	if o, ok := s.p.find(value); ok && s.p.isAllocated(&o) {
		s.words = append(s.words, stackWord{at, value})
	}
}

// scan records the words of n bytes at an address: those that are set in mask,
// or all of them if mask is nil. doubtful is set if the words may be no
// pointers.
func (s *stackScan) scan(at, n uint64, mask []byte, doubtful bool) {
	mem := s.p.bytes(at, n)
	for w := uint64(0); w < uint64(len(mem))/wordSize; w++ {
		if mask != nil && !bit(mask, w) {
			continue
		}
		v := binary.LittleEndian.Uint64(mem[w*wordSize:])
		if v == 0 {
			continue
		}
		if doubtful {
			s.conservative(at+w*wordSize, v)
		} else {
			s.precise(at+w*wordSize, v)
		}
	}
}

// frame records the words of a frame.
func (s *stackScan) frame(fr *frame) {
	if fr.conservative {
		if fr.varp > fr.sp {
			s.scan(fr.sp, fr.varp-fr.sp, nil, true)
		}
		s.scan(fr.argp, fr.args, nil, true)
		return
	}
	if fr.continuePC == 0 {
		return
	}
	index := fr.stackMapIndex()
	if mask, n := s.p.stackMap(fr.f.funcData(abi.FUNCDATA_LocalsPointerMaps), index); n > 0 && fr.varp > fr.sp && mask != nil {
		s.scan(fr.varp-n*wordSize, n*wordSize, mask, false)
	}
	if n, mask, ok := s.p.reflectArgs(fr); ok {
		if mask != nil {
			s.scan(fr.argp, n*wordSize, mask, false)
		}
		s.objects = append(s.objects, stackObject{start: fr.varp - regArgsSize, size: regArgsSize, ptrBytes: regArgsPtrBytes, mask: regArgsMask})
	} else if mask, n := s.p.stackMap(fr.f.funcData(abi.FUNCDATA_ArgsPointerMaps), index); n > 0 && fr.args > 0 && mask != nil {
		s.scan(fr.argp, n*wordSize, mask, false)
	}
	s.frameObjects(fr)
}

// Offsets in a record of a stack object.
const (
	recordOff      = 0
	recordSize     = 4
	recordPtrBytes = 8
	recordMask     = 12
	recordLen      = 16
)

// Layout of internal/abi.RegArgs on amd64: 9 words for integer registers, 15
// for floating-point registers, and 9 for the pointers in integer registers,
// and a bitmap. A stub of package reflect saves registers there. It is a stack
// object at the top of the stub's frame, and the stub has no record of it.
const (
	regArgsPtrBytes = (9 + 15 + 9) * wordSize
	regArgsSize     = regArgsPtrBytes + wordSize
)

var regArgsMask = []byte{3: 0xff, 4: 1}

// frameObjects records the stack objects of a frame.
func (s *stackScan) frameObjects(fr *frame) {
	at := fr.f.funcData(abi.FUNCDATA_StackObjects)
	if at == 0 {
		return
	}
	records := s.p.bytes(at+wordSize, min(s.p.word(at), 1<<16)*recordLen)
	for ; len(records) >= recordLen; records = records[recordLen:] {
		number := func(i int) uint32 { return binary.LittleEndian.Uint32(records[i:]) }
		off := int32(number(recordOff))
		base := fr.varp
		if off >= 0 {
			base = fr.argp
		}
		o := stackObject{start: base + uint64(off), size: uint64(number(recordSize)), ptrBytes: uint64(number(recordPtrBytes))}
		if o.start < fr.sp {
			continue // the frame does not have it yet
		}
		o.mask = s.p.bytes(fr.f.m.rodata+uint64(number(recordMask)), (o.ptrBytes/wordSize+7)/8)
		s.objects = append(s.objects, o)
	}
}

// defers records the references in defer records, and those to defer records on
// the heap.
func (s *stackScan) defers() {
	p := s.p
	for d := range p.deferList(s.g) {
		s.precise(d+p.off(profilerecord.CoreDeferFunc), p.word(d+p.off(profilerecord.CoreDeferFunc)))
		link := d + p.off(profilerecord.CoreDeferLink)
		s.precise(link, p.word(link))
		if p.uint8(d+p.off(profilerecord.CoreDeferHeap)) != 0 {
			s.precise(0, d)
		}
	}
}

// scanObjects records the words of the stack objects to which pointers refer.
func (s *stackScan) scanObjects() {
	slices.SortFunc(s.objects, func(a, b stackObject) int { return cmp.Compare(a.start, b.start) })
	for len(s.pointers)+len(s.doubtful) > 0 {
		from, doubtful := &s.pointers, false
		if len(s.pointers) == 0 {
			from, doubtful = &s.doubtful, true
		}
		pointer := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		i, ok := slices.BinarySearchFunc(s.objects, pointer, func(o stackObject, p uint64) int { return cmp.Compare(o.start, p) })
		if !ok {
			i--
		}
		if i < 0 {
			continue
		}
		if o := &s.objects[i]; !o.done && pointer < o.start+o.size && o.mask != nil {
			o.done = true
			s.scan(o.start, o.ptrBytes, o.mask, doubtful)
		}
	}
}

// deferList returns the addresses of the defer records of g. Even if the list
// is damaged and has no end, deferList ends, but it may return records twice.
func (p *process) deferList(g *goroutine) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		d := p.word(g.addr + p.off(profilerecord.CoreGDefer))
		mark, steps, limit := uint64(0), 0, 1 // the record after which steps are counted (Brent's algorithm)
		for d != 0 && d != mark && yield(d) {
			if steps++; steps == limit {
				mark, steps, limit = d, 0, 2*limit
			}
			d = p.word(d + p.off(profilerecord.CoreDeferLink))
		}
	}
}
