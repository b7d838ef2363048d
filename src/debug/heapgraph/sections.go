// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file decodes the large sections of a file with several goroutines:
// references, claims, references of roots, and specials.

package heapgraph

import (
	format "internal/heapgraph"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A worker decodes sections, one after another.
type worker struct {
	b        *builder
	loader   format.Loader
	pairs    [2048]format.Pair
	from, to *span // spans of the latest reference

	// Records that the worker has found.
	long     []format.Pair
	repeated uint64
	rootRefs []rawRootRef
	specials []format.Special
	owners   []format.Special
	extras   []extra

	lists uint64 // listBytes when it was last added to builder.lists
}

// eachSection calls do with all sections of the kinds, from several goroutines,
// and returns the workers. If it fails, it returns the error of the first
// section that has one.
func (b *builder) eachSection(do func(*worker, *format.Decoder) error, kinds ...format.Kind) ([]*worker, error) {
	var sections []int
	for i := range b.f.f.Sections {
		if slices.Contains(kinds, b.f.f.Sections[i].Kind) {
			sections = append(sections, i)
		}
	}
	var (
		workers = make([]*worker, max(1, min(runtime.GOMAXPROCS(0), len(sections))))
		errs    = make([]error, len(sections))
		next    atomic.Int64
		failed  atomic.Bool
		wait    sync.WaitGroup
	)
	for i := range workers {
		w := &worker{b: b}
		workers[i] = w
		wait.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(sections) {
					return
				}
				errs[i] = w.section(sections[i], do)
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return workers, nil
}

func (w *worker) section(i int, do func(*worker, *format.Decoder) error) error {
	d, err := w.loader.Load(w.b.f.f, i)
	if err != nil {
		return err
	}
	if err := do(w, d); err != nil {
		return err
	}
	return d.Err()
}

// span returns the span of an address, which is likely to be s.
func (w *worker) span(s *span, addr uint64) *span {
	if s.has(addr) {
		return s
	}
	return w.b.g.find(addr)
}

// object returns the slot that begins at an address, and the span that has it.
// The span is likely to be s, and is nil if no slot begins there.
func (w *worker) object(s *span, addr uint64) (*span, uint32) {
	s = w.span(s, addr)
	if s == nil {
		return nil, 0
	}
	slot := s.slot(addr)
	if s.address(slot) != addr {
		return nil, 0
	}
	return s, slot
}
