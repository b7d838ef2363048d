// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file infers the types of objects to which only references of unknown
// type lead, from those of sampled objects (internal/runtime/refs/infer.go), as
// runtime/mrefsinfer.go does.

package core

import (
	"internal/profilerecord"
	"internal/runtime/refs"
)

// A typedSample is an object that was sampled when it was allocated, and its
// type.
type typedSample struct {
	object *object
	typ    *Type
}

// addSamples adds the samples to the evidence, before the stage releases
// objects, if the runtime would do so (refsHeldJobs).
func (m *marker) addSamples() {
	if !m.stage.Samples() {
		return
	}
	if m.stage != refs.StageBarrier {
		if !m.deferred {
			return
		}
		m.deferred = !m.stage.Releases(refs.RankRegisters)
	}
	if m.samples == nil {
		m.samples = m.readSamples()
	}
	if len(m.samples) == 0 || !m.paths.WantsSamples(m.stage, new(nodeMemory)) {
		return
	}
	for _, s := range m.samples {
		t := s.object.target()
		m.paths.AddSample(m.stage, m.words[s.object.number], m.isOld(s.object), &t, addressOf(s.typ.native()))
	}
	m.paths.InferIn(m.stage)
}

// readSamples returns the sampled objects that have types. The result is not
// nil.
func (m *marker) readSamples() []typedSample {
	samples := []typedSample{}
	for i := range m.heap.spans {
		samples = m.appendSamples(samples, &m.heap.spans[i])
	}
	return samples
}

// appendSamples appends those of s. Its list of specials is in the order of their
// offsets, and an object has at most one sample: the list of a damaged file may
// have no end.
func (m *marker) appendSamples(samples []typedSample, s *span) []typedSample {
	last, most := uint64(0), len(samples)+int(s.slots)
	for n, at := 0, s.specials; at != 0 && n < maxList && len(samples) < most; n++ {
		kind := uint64(m.uint8(at + m.off(profilerecord.CoreSpecialKind)))
		off := m.word(at + m.off(profilerecord.CoreSpecialOffset))
		if off < last {
			break
		}
		last = off
		if index := off / s.slotSize; kind == m.off(profilerecord.CoreSpecialIsType) && kind != 0 && index < s.slots {
			if t := m.typeAt(m.word(at + m.off(profilerecord.CoreSpecialType))); t != nil {
				o := s.object(index)
				samples = append(samples, typedSample{&o, t})
			}
		}
		at = m.word(at + m.off(profilerecord.CoreSpecialNext))
	}
	return samples
}

// isOld reports whether o was allocated before the last collection. If its span
// has not been swept since, isOld may return false in place of true.
func (m *marker) isOld(o *object) bool { return m.uint8(o.s.allocBits+o.index/8)>>(o.index%8)&1 != 0 }
