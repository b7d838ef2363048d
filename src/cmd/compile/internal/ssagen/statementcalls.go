// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A program that locks a mutex and then executes a defer statement that unlocks
// it, or counts a goroutine and then starts it, does not expect a panic in
// between. Therefore a goroutine over the limit of its memory scope does not
// panic in place of a call that a go or defer statement needs: to allocate the
// closure, to convert an argument, or to start the goroutine or record the
// deferred call. The compiler marks these calls as unsafe points, and
// mayPanicInstead (runtime/memscopepanic.go) finds the mark. Apart from that,
// the mark only keeps asynchronous preemption, and calls that a debugger
// injects, away from these instructions.
//
// The calls are found by their lines, because conversions of arguments are
// statements of their own by the time at which this package sees them.

package ssagen

import (
	"slices"
	"strings"

	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
)

// A statementCalls has a function's go and defer statements.
type statementCalls []*ir.GoDeferStmt

// recordStatement records a go or defer statement of the function, unless the
// function is of the standard library, where nothing needs the marks (see
// cmd/link/internal/ld/programfuncs.go). The method stmt calls it.
func (s *state) recordStatement(n *ir.GoDeferStmt) {
	if pkg := base.Ctxt.Pkgpath; base.Flag.Std && pkg != "main" && !strings.HasSuffix(pkg, "_test") {
		return
	}
	calls := &s.f.Frontend().(*ssafn).statements
	*calls = append(*calls, n)
}

// has reports whether v is a call on a line of a go or defer statement. genssa
// calls it.
func (calls statementCalls) has(v *ssa.Value) bool {
	return len(calls) > 0 && v.Op.IsCall() &&
		slices.ContainsFunc(calls, func(n *ir.GoDeferStmt) bool { return n.Has(v.Pos) })
}
