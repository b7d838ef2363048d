// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"context"
	"internal/profilerecord"
	"internal/runtime/refs"
	"reflect"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
)

var onlyGlobal struct {
	n    int
	next *recursive
}

// globalOf returns the global variable at an address, or nil.
func (p *process) globalOf(at uint64) (index int, g *global) {
	for i := range p.globals.all {
		if g := &p.globals.all[i]; g.addr == at {
			return i, g
		}
	}
	return 0, nil
}

func TestGlobals(t *testing.T) {
	p := selfProcess(t)
	if !p.modules[0].globals {
		t.Fatal("there is no table of variables")
	}
	for _, test := range []struct {
		at   uint64
		name string
		typ  reflect.Type
	}{
		{addr(&numbers), "numbers", reflect.TypeOf(numbers)},
		{addr(&smallObject), "smallObject", reflect.TypeOf(smallObject)},
		{addr(&typesInUse), "typesInUse", reflect.TypeOf(typesInUse)},
		{addr(&onlyGlobal), "onlyGlobal", reflect.TypeOf(onlyGlobal)},
	} {
		_, g := p.globalOf(test.at)
		if g == nil || g.pkg != "cmd/heapgraph/internal/core." || g.name != test.name || g.typ != p.typeOf(test.typ) || g.runtime {
			t.Errorf("%s is %+v", test.name, g)
		}
		if last := test.at + uint64(test.typ.Size()) - 1; !p.globals.has(test.at) || !p.globals.has(last) {
			t.Errorf("%s is not all there", test.name)
		}
	}
	if p.globals.has(addr(onlyGlobal.next)) || p.globals.has(p.modules[0].bss.end) {
		t.Error("there are variables where there are none")
	}
}

// waitFor waits until a goroutine receives from a channel in the named
// function.
func waitFor(function string) {
	buf := make([]byte, 1<<20)
	for {
		for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, "[chan receive") && strings.Contains(g, "."+function+"(") {
				return
			}
		}
		runtime.Gosched()
	}
}

// below calls park from the last of depth+1 frames of its own.
//
//go:noinline
func below(depth int, held *recursive, stop <-chan bool) int {
	if depth == 0 {
		return park(held, stop)
	}
	return below(depth-1, held, stop) + 1
}

//go:noinline
func park(held *recursive, stop <-chan bool) int {
	local := [2]*recursive{nil, held.Next}
	i := len(stop)
	<-stop
	runtime.KeepAlive(held)
	return len(local[1-i].list[0])
}

// callerPlace returns the place of its caller.
func callerPlace() place {
	pc := make([]uintptr, 1)
	runtime.Callers(2, pc)
	f, _ := runtime.CallersFrames(pc).Next()
	return place{f.Function, f.File, int32(f.Line)}
}

// TestGoroutines reads a goroutine, its frames, its variables and its creator.
func TestGoroutines(t *testing.T) {
	held := &recursive{Next: new(recursive)}
	stop := make(chan bool)
	defer close(stop)
	var created place
	pprof.Do(context.Background(), pprof.Labels("key", "value", "letter", "ä"), func(context.Context) {
		created = callerPlace()
		go below(3, held, stop)
	})
	created.line++
	waitFor("park")
	p := selfProcess(t)
	const pkg = "cmd/heapgraph/internal/core."
	var g *goroutine
	var frames []frame
	systems := 0
	for _, other := range p.goroutines {
		if other.system {
			systems++
		}
		all := p.unwind(other)
		if i := slices.IndexFunc(all, func(fr frame) bool { return fr.f.name == pkg+"park" }); i >= 0 {
			g, frames = other, all[i:]
		}
	}
	if g == nil {
		t.Fatal("the goroutine is not there")
	}
	if systems == 0 || systems == len(p.goroutines) {
		t.Errorf("%d of %d goroutines are the runtime's own", systems, len(p.goroutines))
	}
	if want := []labelPair{{"key", "value"}, {"letter", "ä"}}; g.wait != "chan receive" || g.system || !slices.Equal(g.labels, want) {
		t.Errorf("the goroutine is %+v", g)
	}
	if c, ok := p.callPlace(g.creator); !ok || c != created {
		t.Errorf("it was created at %+v, want %+v", c, created)
	}
	var names []string
	for _, fr := range frames {
		names = append(names, fr.f.name)
	}
	want := []string{pkg + "park", pkg + "below", pkg + "below", pkg + "below", pkg + "below"}
	if len(names) < len(want) || !slices.Equal(names[:len(want)], want) || !strings.HasPrefix(names[len(names)-1], pkg+"TestGoroutines.") {
		t.Errorf("the frames are %v", names)
	}
	fr := &frames[0]
	found := make(map[uint64]string) // variables of park by the objects to which they refer
	for _, w := range p.scanStack(g).words {
		if w.at < fr.sp || w.at >= fr.argp+fr.args {
			continue
		}
		p.frame = fr
		e, k := refs.Edge{Slot: uintptr(w.at)}, refs.Key{}
		p.paths.ResolveLocal(&e, &refs.Frame{Argp: uintptr(fr.argp), Varp: uintptr(fr.varp), Args: uintptr(fr.args)}, new(refs.Target), &k)
		if v, ok := p.variableAt(uint64(k.Place)); ok && k.Kind == profilerecord.RefsLocal && e.Off < 2*wordSize {
			found[w.value] = v.name
		}
	}
	if found[addr(held)] != "held" || found[addr(held.Next)] != "local" {
		t.Errorf("the variables are %v", found)
	}
}
