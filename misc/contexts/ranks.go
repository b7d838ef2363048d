// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// ranks has the order in which Go's runtime takes locks. A lock is named by the
// struct type and the field, or by the global variable, that it is: schedt.lock,
// allglock.
type ranks struct {
	p     *program
	of    map[string]int64         // of the locks that lockInit gives a rank
	order map[int64]map[int64]bool // from a rank to those that may be held when it is taken
	leaf  int64
}

func readRanks(p *program) *ranks {
	r := &ranks{p: p, of: make(map[string]int64), order: make(map[int64]map[int64]bool)}
	r.readInits()
	r.readOrder()
	return r
}

// readInits reads the calls of lockInit.
func (r *ranks) readInits() {
	for _, f := range r.p.all {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				site, ok := instr.(*ssa.Call)
				if !ok {
					continue
				}
				callee := site.Call.StaticCallee()
				if callee == nil || !r.p.is(callee, set("lockInit")) {
					continue
				}
				name := lockName(site.Call.Args[0])
				if c, ok := site.Call.Args[1].(*ssa.Const); ok && name != "" {
					r.of[name] = c.Int64()
				}
			}
		}
	}
}

// readOrder reads lockPartialOrder.
func (r *ranks) readOrder() {
	scope := r.p.runtime.Pkg.Scope()
	rank := func(name string) int64 {
		if c, ok := scope.Lookup(name).(*types.Const); ok {
			n, _ := constant.Int64Val(c.Val())
			return n
		}
		return -1
	}
	r.leaf = rank("lockRankLeafRank")
	ast.Inspect(r.p.orderTable, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		after := rank(kv.Key.(*ast.Ident).Name)
		r.order[after] = make(map[int64]bool)
		if list, ok := kv.Value.(*ast.CompositeLit); ok {
			for _, e := range list.Elts {
				r.order[after][rank(e.(*ast.Ident).Name)] = true
			}
		}
		return false
	})
}

// permits reports whether a thread that holds one lock may take another. Locks
// without a rank are leaves, as in lockrank_on.go.
func (r *ranks) permits(held, taken string) bool {
	h, ranked := r.of[held]
	if !ranked || h == r.leaf {
		return false
	}
	t, ranked := r.of[taken]
	return !ranked || t == r.leaf || r.order[t][h]
}

// lockName returns the name of the lock with address v, or "".
func lockName(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Global:
		return v.Name()
	case *ssa.FieldAddr:
		t := types.Unalias(v.X.Type().Underlying().(*types.Pointer).Elem())
		field := t.Underlying().(*types.Struct).Field(v.Field).Name()
		if named, ok := t.(*types.Named); ok {
			return named.Obj().Name() + "." + field
		}
		if base := lockName(v.X); base != "" {
			return base + "." + field
		}
	case *ssa.IndexAddr:
		return lockName(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return lockName(v.X)
		}
	}
	return ""
}
