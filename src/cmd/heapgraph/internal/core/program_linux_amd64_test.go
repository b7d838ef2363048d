// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"encoding/binary"
	"fmt"
	"internal/profilerecord"
	"internal/runtime/refs"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"
	"unsafe"
)

// selfProcess reads the test's own process.
func selfProcess(t *testing.T) *process {
	t.Helper()
	p, err := newProcess(selfFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProgram(t *testing.T) {
	p := selfProcess(t)
	if p.version != runtime.Version() || p.mainPath != "cmd/heapgraph/internal/core.test" {
		t.Errorf("version %q, path of package main %q", p.version, p.mainPath)
	}
	var stats runtime.MemStats
	if runtime.ReadMemStats(&stats); p.cycle == 0 || p.cycle > stats.NumGC {
		t.Errorf("%d collections, want up to %d", p.cycle, stats.NumGC)
	}
}

// TestRecord reads a good record, one of another version, and damaged ones.
func TestRecord(t *testing.T) {
	record := func(version, size, vars, offs uint16) []byte {
		b := binary.LittleEndian.AppendUint64(nil, profilerecord.CoreMagic0)
		b = binary.LittleEndian.AppendUint64(b, profilerecord.CoreMagic1)
		for _, n := range []uint16{version, size, vars, offs} {
			b = binary.LittleEndian.AppendUint16(b, n)
		}
		return append(b, make([]byte, 8*profilerecord.NumCoreVars+2*profilerecord.NumCoreOffs)...)
	}
	const version, vars, offs = profilerecord.CoreVersion, profilerecord.NumCoreVars, profilerecord.NumCoreOffs
	for _, test := range []struct {
		record []byte
		want   string // of the error
	}{
		{record(version, 8, vars, offs), ""},
		{record(version+1, 8, vars, offs), fmt.Sprintf("version %d: this tool reads version %d", version+1, version)},
		{record(version, 4, vars, offs), "is damaged"},
		{record(version, 8, vars-1, offs), "is damaged"},
		{record(version, 8, vars, profilerecord.FirstCoreOffs), ""},
		{record(version, 8, vars, profilerecord.FirstCoreOffs-1), "is damaged"},
		{record(version, 8, vars, offs+1), "is damaged"},
		{record(version, 8, 1<<16-1, offs), "is damaged"},
	} {
		r, err := decodeRecord(test.record)
		if test.want == "" && (err != nil || len(r.vars) != vars || len(r.offs) != offs) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("the error is %v, and not %q", err, test.want)
		}
	}
}

// inlined returns the return address of its call of caller. This address is in
// the function into which inlined is inlined.
func inlined() uintptr { return caller() }

//go:noinline
func caller() uintptr {
	pcs := make([]uintptr, 1)
	runtime.Callers(2, pcs)
	return pcs[0]
}

type generic[T any] struct{ v T }

//go:noinline
func (g *generic[T]) method() uintptr {
	pc, _, _, _ := runtime.Caller(0)
	return pc
}

// TestFunctions compares names of functions with those of package runtime.
func TestFunctions(t *testing.T) {
	p := selfProcess(t)
	for _, f := range []any{TestFunctions, caller, strings.Map, sort.Ints, fmt.Sprintf, runtime.GC, func() {}} {
		pc := reflect.ValueOf(f).Pointer()
		if got := p.functionAt(uint64(pc)); got == nil || got.entry != uint64(pc) || got.name != runtime.FuncForPC(pc).Name() {
			t.Errorf("the function at %#x is %+v, want %s", pc, got, runtime.FuncForPC(pc).Name())
		}
	}
	at := inlined()
	want := []string{"cmd/heapgraph/internal/core.TestFunctions", "cmd/heapgraph/internal/core.inlined"}
	if f, _ := runtime.CallersFrames([]uintptr{at}).Next(); f.Func != nil { // it is not inlined
		want = want[1:]
	}
	if got := p.FunctionsAt(at); !slices.Equal(got, want) {
		t.Errorf("the calls are %v, want %v", got, want)
	}
	pc := new(generic[[]string]).method()
	if f := p.functionAt(uint64(pc)); f == nil || printedName(f.name) != "cmd/heapgraph/internal/core.(*generic[...]).method" {
		t.Errorf("the method is %+v", f)
	}
	if f := p.functionAt(8); f != nil {
		t.Errorf("at 8 is %s", f.name)
	}
}

// Objects that TestObjects looks for.
var (
	smallObject   *[3]uint64
	stringHeader  *[2]string
	headedObjects []*[80]*int
	largeObject   *[1 << 16]byte
	hugeObject    *[1 << 18]*int
)

func TestObjects(t *testing.T) {
	smallObject, stringHeader, largeObject, hugeObject = new([3]uint64), new([2]string), new([1 << 16]byte), new([1 << 18]*int)
	headedObjects = nil
	for range 10 {
		headedObjects = append(headedObjects, new([80]*int))
	}
	p := selfProcess(t)
	if p.damaged.spans != 0 {
		t.Errorf("%d spans are damaged", p.damaged.spans)
	}
	seen := make(map[uint32]bool)
	check := func(at uint64, size uintptr, noscan bool, header uint64) {
		t.Helper()
		o, ok := p.find(at)
		target := o.target()
		end, ok2 := p.find(at + uint64(size) - 1)
		switch {
		case !ok || o.data != at || !ok2 || end != o:
			t.Errorf("the object at %#x is %+v, and its end is in %+v", at, o, end)
		case !refs.Fits(size, target.Data-target.Base, target.Size, target.Class) || o.s.noscan != noscan || o.s.header != header || !p.isAllocated(&o):
			t.Errorf("the object at %#x of %d bytes is in %+v", at, size, o.s)
		case seen[o.number] || p.heap.objectOf(o.number) != o:
			t.Errorf("object %d at %#x is not the only one", o.number, at)
		}
		seen[o.number] = true
	}
	check(addr(smallObject), unsafe.Sizeof(*smallObject), true, 0)
	check(addr(stringHeader), unsafe.Sizeof(*stringHeader), false, 0)
	check(addr(largeObject), unsafe.Sizeof(*largeObject), true, 0)
	check(addr(hugeObject), unsafe.Sizeof(*hugeObject), false, 0)
	for _, o := range headedObjects {
		check(addr(o), unsafe.Sizeof(*o), false, wordSize)
	}
	for _, at := range []uint64{0, 8, addr(&numbers), p.heap.base - 1, ^uint64(0)} {
		if o, ok := p.find(at); ok {
			t.Errorf("there is an object at %#x: %+v", at, o)
		}
	}
}
