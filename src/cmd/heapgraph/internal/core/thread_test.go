// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"encoding/binary"
	"internal/abi"
	"internal/profilerecord"
	"slices"
	"testing"
)

// Addresses in the process that these tests read.
const (
	testText  = 0x1000
	testSize  = 0x100 // of a function
	testStack = 0x10000
	testG0    = 0x20000
	testLen   = 0x1000 // of a stack
	testGs    = 0x30000
)

// A testFunction is a function of the process that these tests read.
type testFunction struct {
	name  string
	frame int // bytes below the return address
	id    abi.FuncID
	flag  abi.FuncFlag
}

var testFunctions = []testFunction{
	{name: "runtime.goexit", flag: abi.FuncFlagTopFrame, id: abi.FuncID_goexit},
	{name: "main.outer", frame: 0x20},
	{name: "main.inner", frame: 0x10},
	{name: "runtime.asyncPreempt", frame: 0x18, id: abi.FuncID_asyncPreempt},
	{name: "racecall", flag: abi.FuncFlagSPWrite},
	{name: "runtime.sigreturn__sigaction"},
}

// pcOf returns a PC in the function with a name.
func pcOf(name string) uint64 {
	i := slices.IndexFunc(testFunctions, func(f testFunction) bool { return f.name == name })
	return testText + uint64(i)*testSize + 8
}

// testModule returns a module with testFunctions.
func testModule() *module {
	m := &module{minPC: testText, text: testText, funcNames: []byte{0}, pcTable: []byte{0}}
	number := binary.LittleEndian.AppendUint32
	for i, f := range testFunctions {
		m.funcTable = number(number(m.funcTable, uint32(i*testSize)), uint32(len(m.funcs)))
		entry := make([]byte, funcEnd)
		put := func(at int, n int) { binary.LittleEndian.PutUint32(entry[at:], uint32(n)) }
		put(funcEntry, i*testSize)
		put(funcName, len(m.funcNames))
		put(funcPCSP, len(m.pcTable))
		entry[funcID], entry[funcFlag] = byte(f.id), byte(f.flag)
		m.funcs = append(m.funcs, entry...)
		m.funcNames = append(append(m.funcNames, f.name...), 0)
		m.pcTable = binary.AppendUvarint(m.pcTable, uint64(f.frame+1)<<1) // from -1
		m.pcTable = append(binary.AppendUvarint(m.pcTable, testSize), 0)
	}
	m.maxPC = testText + uint64(len(testFunctions))*testSize
	m.funcTable = number(number(m.funcTable, uint32(m.maxPC-testText)), 0)
	return m
}

// testProcess returns a process with testFunctions and two stacks. words are
// the words on the stacks, by address.
func testProcess(words map[uint64]uint64) *process {
	p := &process{
		memory:    &memory{core: []segment{{testStack, make([]byte, testLen)}, {testG0, make([]byte, testLen)}, {testGs, make([]byte, testLen)}}},
		record:    record{vars: make([]uint64, profilerecord.NumCoreVars), offs: make([]uint16, profilerecord.NumCoreOffs)},
		modules:   []*module{testModule()},
		functions: make(map[functionKey]*function),
	}
	for at, w := range words {
		binary.LittleEndian.PutUint64(p.at(at), w)
	}
	return p
}

// innerStack returns the words of a stack on which outer has called inner, and
// goexit has called outer. inner's frame begins at innerSP.
func innerStack() map[uint64]uint64 {
	return map[uint64]uint64{
		innerSP + 0x10: pcOf("main.outer"),
		innerSP + 0x38: pcOf("runtime.goexit"),
	}
}

const innerSP = testStack + 0x800

// TestUnwind checks which frames are scanned conservatively, and that the rest
// of a stack is such a frame if the stack cannot be followed.
func TestUnwind(t *testing.T) {
	type want struct {
		name         string
		conservative bool
	}
	end := []want{{"main.inner", false}, {"main.outer", false}}
	for _, test := range []struct {
		name   string
		g      goroutine
		change map[uint64]uint64
		want   []want
		cut    bool
	}{
		{name: "waits", g: goroutine{pc: pcOf("main.inner"), sp: innerSP}, want: end},
		{name: "runs", g: goroutine{pc: pcOf("main.inner"), sp: innerSP, running: true},
			want: []want{{"main.inner", true}, {"main.outer", false}}},
		{name: "preempted", g: goroutine{pc: pcOf("runtime.asyncPreempt"), sp: innerSP - 0x20},
			want: []want{{"runtime.asyncPreempt", true}, {"main.inner", true}, {"main.outer", false}}},
		{name: "is preempted", g: goroutine{pc: pcOf("runtime.asyncPreempt"), sp: innerSP - 0x20, running: true},
			want: []want{{"runtime.asyncPreempt", true}, {"main.inner", true}, {"main.outer", false}}},
		{name: "caller unknown", g: goroutine{pc: pcOf("main.inner"), sp: innerSP}, change: map[uint64]uint64{innerSP + 0x10: 0x99},
			want: []want{{"main.inner", false}, {unreadName, true}}, cut: true},
		{name: "function unknown", g: goroutine{pc: 0x99, sp: innerSP}, want: []want{{unreadName, true}}, cut: true},
		{name: "elsewhere", g: goroutine{pc: pcOf("main.inner"), sp: testG0}, want: []want{{unreadName, true}}, cut: true},
		{name: "lost", g: goroutine{pc: pcOf("main.inner"), sp: innerSP, lost: true}, want: []want{{unreadName, true}}, cut: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			words := innerStack()
			words[innerSP-8] = pcOf("main.inner")
			for at, w := range test.change {
				words[at] = w
			}
			g := test.g
			g.low, g.high = testStack, testStack+testLen
			var got []want
			frames := testProcess(words).unwind(&g)
			for _, fr := range frames {
				got = append(got, want{fr.f.name, fr.conservative})
			}
			if !slices.Equal(got, test.want) || g.cut != test.cut {
				t.Errorf("frames are %v, cut %v; want %v, %v", got, g.cut, test.want, test.cut)
			}
			if last := frames[len(frames)-1]; test.cut && last.varp != g.high {
				t.Errorf("the last frame ends at %#x and not at %#x", last.varp, g.high)
			}
		})
	}
}

// TestFrameList checks which frames of a deep stack are kept.
func TestFrameList(t *testing.T) {
	inner, outer := maxInner, maxOuter
	defer func() { maxInner, maxOuter = inner, outer }()
	maxInner, maxOuter = 3, 2
	for n, want := range [][]uint64{{}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 3, 0, 5, 6}, {1, 2, 3, 0, 6, 7}, {1, 2, 3, 0, 7, 8}} {
		var l frameList
		for i := range n {
			at := uint64(i+1) * 16
			l.add(frame{symbol: uint64(i + 1), sp: at, fp: at + 16, args: at})
		}
		got := []uint64{}
		frames := l.all()
		for i, fr := range frames {
			if fr.f == &unread {
				fr.symbol = 0
				if next := frames[i+1]; fr.sp != frames[i-1].fp || fr.varp != next.sp || fr.args != next.sp-16 {
					t.Errorf("%d frames: those that are left out are %+v", n, fr)
				}
			}
			got = append(got, fr.symbol)
		}
		if !slices.Equal(got, want) || l.skipped() != (n > 5) {
			t.Errorf("%d frames: kept are %v, and not %v", n, got, want)
		}
	}
}

// TestSanitizerCaller checks that the stack pointer of a goroutine that has
// called a sanitizer is found.
func TestSanitizerCaller(t *testing.T) {
	const g0SP = testG0 + 0x808 // racecall aligns it
	top := uint64(testG0 + 0x800 - 8)
	for _, test := range []struct {
		name   string
		r12    uint64
		saved  uint64 // the stack pointer that C has saved
		caller string
		sp     uint64
	}{
		{"in R12", innerSP, 0, "racecall", innerSP},
		{"saved", 5, innerSP, "racecall", innerSP},
		{"R12 is a pointer to the stack", innerSP + 8, innerSP, "racecall", innerSP},
		{"nowhere", 5, 6, "racecall", 0},
		{"other function", innerSP, 0, "main.outer", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			words := map[uint64]uint64{ // racecall has no frame of its own, and outer has called it
				innerSP:        pcOf("main.outer"),
				innerSP + 0x28: pcOf("runtime.goexit"),
				testGs:         g0SP,
				top:            pcOf(test.caller),
				top - 0x10:     test.saved,
			}
			m := &machine{g: stackOf{1, testStack, testStack + testLen}, g0: stackOf{testGs, testG0, testG0 + testLen}}
			regs, ok := testProcess(words).sanitizerCaller(m, registers{sp: top - 0x40, all: []uint64{0, 0, 0, test.r12}})
			if ok != (test.sp != 0) || ok && (regs.sp != test.sp || regs.pc != pcOf("racecall")) {
				t.Errorf("found %v, %#x and %#x; want %#x", ok, regs.pc, regs.sp, test.sp)
			}
		})
	}
}

// TestSignalFrame checks that signal frames are found, whatever address they
// return to.
func TestSignalFrame(t *testing.T) {
	signal := stackOf{2, testG0, testG0 + testLen}
	const at, libc = testG0 + 0x900, 0x7f0000000000
	for _, test := range []struct {
		name   string
		change map[uint64]uint64
		ok     bool
	}{
		{"cgo", nil, true},
		{"no cgo", map[uint64]uint64{at: pcOf("runtime.sigreturn__sigaction")}, true},
		{"no cgo, other stack", map[uint64]uint64{at: pcOf("runtime.sigreturn__sigaction"), at + frameStackLow: 0}, true},
		{"other stack", map[uint64]uint64{at + frameStackLow: testStack}, false},
		{"other size", map[uint64]uint64{at + frameStackSize: 8}, false},
		{"kernel's code", map[uint64]uint64{at + frameCS: 0x10}, false},
		{"bad flags", map[uint64]uint64{at + frameFlags: 0}, false},
		{"no PC", map[uint64]uint64{at + framePC: 0}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			words := map[uint64]uint64{
				at: libc, at + frameStackLow: signal.low, at + frameStackSize: testLen, at + frameRegisters: 77,
				at + frameSP: innerSP, at + framePC: pcOf("main.inner"), at + frameFlags: 0x246, at + frameCS: 0x2b000000000033,
			}
			for at, w := range test.change {
				words[at] = w
			}
			regs, ok := testProcess(words).signalFrame(&signal, testG0+0x100)
			if ok != test.ok || ok && (regs.sp != innerSP || regs.pc != pcOf("main.inner") || regs.all[0] != 77) {
				t.Errorf("found %v, %+v", ok, regs)
			}
		})
	}
}

// TestThreads checks how threads are matched with machines.
func TestThreads(t *testing.T) {
	ms := []machine{
		{thread: 1, g: stackOf{0x11, 0x1000, 0x2000}, g0: stackOf{0x12, 0x5000, 0x6000}, signal: stackOf{0x13, 0x3000, 0x4000}},
		{thread: 2, g: stackOf{0x21, 0x2000, 0x3000}, g0: stackOf{0x22, 0x7000, 0x8000}},
	}
	p := testProcess(map[uint64]uint64{testGs + 0x38: 0x12, testGs + 0x78: 0x21, testGs + 0xa0: 0x22})
	stack, tls, number := p.byStack(ms), p.byTLS(ms), byNumber(ms)
	for _, test := range []struct {
		t                  thread
		stack, tls, number uint64 // of the machine's thread, or 0
	}{
		{thread{id: 1, regs: registers{sp: 0x1fff}}, 1, 0, 1},
		{thread{id: 2, regs: registers{sp: 0x3000}}, 1, 0, 2},
		{thread{id: 3, regs: registers{sp: 0x5008}}, 1, 0, 0},
		{thread{id: 3, regs: registers{sp: 0x2000}}, 2, 0, 0},
		{thread{id: 3, regs: registers{sp: 0x6000}, tls: testGs + 0x40}, 0, 1, 0},
		{thread{id: 3, regs: registers{sp: 0x8000}, tls: testGs + 0x80}, 0, 2, 0},
		{thread{id: 3, tls: testGs + 0xb8}, 0, 2, 0}, // C has variables there
	} {
		for _, by := range []struct {
			what string
			find func(*thread) *machine
			want uint64
		}{{"stack", stack, test.stack}, {"storage", tls, test.tls}, {"number", number, test.number}} {
			got := uint64(0)
			if m := by.find(&test.t); m != nil {
				got = m.thread
			}
			if got != by.want {
				t.Errorf("%+v: by its %s, the thread is %d and not %d", test.t, by.what, got, by.want)
			}
		}
	}
}
