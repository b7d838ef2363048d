// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file follows timers, finalizers, cleanups and weak handles
// (runtime/mrefsspecial.go).

package core

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/refs"
)

// maxList is the largest number of specials of a span, and of blocks of a
// queue, that are followed.
const maxList = 1 << 20

// followSpecials follows the references of the stage of specials, in the order
// of the recorder.
func (m *marker) followSpecials() {
	m.followFinalizerQueue()
	m.followCleanupQueue()
	m.followTimers()
	for i := range m.heap.spans {
		s := &m.heap.spans[i]
		at := s.specials
		for n := 0; at != 0 && n < maxList; n++ {
			m.followSpecial(s, at)
			at = m.word(at + m.off(profilerecord.CoreSpecialNext))
		}
	}
}

// followSpecial follows the references of the special of s at an address.
func (m *marker) followSpecial(s *span, at uint64) {
	index := m.word(at+m.off(profilerecord.CoreSpecialOffset)) / s.slotSize
	if index >= s.slots {
		return
	}
	o := s.object(index)
	m.special, m.dead = o.base, m.words[o.number] == 0
	switch kind := uint64(m.uint8(at + m.off(profilerecord.CoreSpecialKind))); kind {
	case m.off(profilerecord.CoreSpecialIsFinalizer):
		m.followFinalizer(&o, at)
	case m.off(profilerecord.CoreSpecialIsWeak):
		k := refs.WeakKey()
		m.pointer(at+m.off(profilerecord.CoreWeakHandle), &k, m.known.uintptr)
	case m.off(profilerecord.CoreSpecialIsCleanup):
		m.followCleanup(false, at+m.off(profilerecord.CoreCleanup))
	}
	m.special = 0
}

// followFinalizer follows the references of the finalizer of o. The finalizer
// does not mark o. If nothing else has marked o, the objects to which o refers
// are claimed at nodes below the finalizer's.
func (m *marker) followFinalizer(o *object, at uint64) {
	elem := uintptr(0)
	if t := m.typeAt(m.word(at + m.off(profilerecord.CoreFinalizerType))); t != nil && t.kind == abi.Pointer {
		elem = m.paths.Element(t.elemType().native())
	}
	node := m.paths.FinalizerNode(elem)
	m.log.finalized(o.base, node%refs.MaxNodes)
	if m.words[o.number] == 0 {
		m.byNode = true
		m.scan(o, node)
		m.byNode = false
	}
	m.function(node, at+m.off(profilerecord.CoreFinalizerFunc))
}

// function follows the reference to a function in the word at an address.
func (m *marker) function(node uint32, at uint64) {
	e := refs.Edge{From: node, Slot: uintptr(at), Val: uintptr(m.word(at))}
	if o, ok := m.find(uint64(e.Val)); ok {
		k := refs.FunctionKey(node)
		target := o.target()
		exact := m.paths.Closure(&e, &target, &k)
		m.setBounds(&o, &e, &target, exact)
		m.takeAt(&o, &k, exact)
	}
}

// pointer follows the pointer in the word at an address. The pointer is to a
// value of type t, or of unknown type if t is nil. k is the key of the target's
// node, without the type.
func (m *marker) pointer(at uint64, k *refs.Key, t *Type) {
	val := m.word(at)
	if o, ok := m.find(val); ok {
		target := o.target()
		exact := m.paths.Pointee(t.native(), uintptr(val), &target, k)
		m.setBounds(&o, &refs.Edge{Slot: uintptr(at), Val: uintptr(val)}, &target, exact)
		m.takeAt(&o, k, exact)
	}
}

// followCleanup follows the references of the cleanupFn at an address. The
// dictionary of the function that calls the cleanup has the type of pointers to
// the argument (runtime/mcleanuptype.go).
func (m *marker) followCleanup(queued bool, at uint64) {
	k := refs.CleanupKey(queued, uintptr(m.word(m.word(at+m.off(profilerecord.CoreCleanupFunc)))))
	node := m.paths.Find(&k)
	dict := m.word(m.word(at+m.off(profilerecord.CoreCleanupCall)) + wordSize)
	t := m.typeAt(m.word(dict))
	if t != nil {
		t = t.elemType()
	}
	m.function(node, at+m.off(profilerecord.CoreCleanupCall))
	m.function(node, at+m.off(profilerecord.CoreCleanupFunc))
	k = refs.ArgumentKey(node)
	m.pointer(at+m.off(profilerecord.CoreCleanupArg), &k, t)
}

// followFinalizerQueue follows the references of finalizers that are queued.
func (m *marker) followFinalizerQueue() {
	block := m.word(m.variable(profilerecord.CoreFinalizers))
	for n := 0; block != 0 && n < maxList; n++ {
		queue := block + m.off(profilerecord.CoreFinBlockQueue)
		for i := range min(uint64(m.uint32(block+m.off(profilerecord.CoreFinBlockLen))), 1<<12) {
			node := m.paths.FinalizerQueueNode()
			f := queue + i*m.off(profilerecord.CoreFinSize)
			m.function(node, f+m.off(profilerecord.CoreFinFunc))
			var t *Type
			if ot := m.typeAt(m.word(f + m.off(profilerecord.CoreFinType))); ot != nil {
				t = ot.elemType()
			}
			k := refs.ArgumentKey(node)
			m.pointer(f+m.off(profilerecord.CoreFinArg), &k, t)
		}
		block = m.word(block + m.off(profilerecord.CoreFinBlockNext))
	}
}

// followCleanupQueue follows the references of cleanups that are queued.
func (m *marker) followCleanupQueue() {
	block := m.word(m.variable(profilerecord.CoreCleanups))
	for n := 0; block != 0 && n < maxList; n++ {
		queue := block + m.off(profilerecord.CoreCleanupBlockQueue)
		for i := range min(uint64(m.uint32(block+m.off(profilerecord.CoreCleanupBlockLen))), 1<<12) {
			m.followCleanup(true, queue+i*m.off(profilerecord.CoreCleanupSize))
		}
		block = m.word(block + m.off(profilerecord.CoreCleanupBlockNext))
	}
}

// followTimers follows the references to the timers that are waiting.
func (m *marker) followTimers() {
	for at := range m.elements(m.variable(profilerecord.CoreAllPs), wordSize) {
		for timer := range m.elements(at+m.off(profilerecord.CorePTimers), m.off(profilerecord.CorePTimersSize)) {
			m.followTimer(timer)
		}
	}
}

// followTimer follows the reference to the timer at an address.
func (m *marker) followTimer(at uint64) {
	o, ok := m.find(at)
	if !ok {
		return
	}
	target := o.target()
	k := m.paths.TimerKey(uintptr(m.timerFunction(at)), &target)
	node := m.paths.Find(&k)
	m.logRoot(node, &o)
	if m.claimable(&o) {
		m.setWhole(&o)
		m.take(&o, node, true)
	}
}

// timerFunction returns the PC of the function for which the timer at an
// address was made, or 0 if the timer sends on a channel or its function is not
// known.
func (m *marker) timerFunction(at uint64) uint64 {
	pc := m.word(m.word(at + m.off(profilerecord.CoreTimerFunc)))
	f := m.functionAt(pc)
	if f == nil {
		return 0
	}
	switch refs.TimerCallsOf(f.name) {
	case refs.TimerSends:
		return 0
	case refs.TimerCallsArgument:
		arg := at + m.off(profilerecord.CoreTimerArg)
		if t := m.typeAt(m.word(arg)); t != nil && t.kind == abi.Func {
			if fn := m.word(m.word(arg + wordSize)); fn != 0 {
				return fn
			}
		}
	}
	return pc
}
