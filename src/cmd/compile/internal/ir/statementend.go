// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The lines of go and defer statements, by which the compiler finds the calls
// that the statements need: see ../ssagen/statementcalls.go.

package ir

import "cmd/internal/src"

// FindEnd sets n.End to the last position of the call of the statement and of
// its arguments. It leaves out bodies of function literals, and names, whose
// positions are those of their declarations. tcGoDefer calls it before it
// separates the arguments from the call.
func (n *GoDeferStmt) FindEnd() {
	n.End = n.Pos()
	Visit(n.Call, func(x Node) {
		if pos := x.Pos(); x.Op() != ONAME && pos.SameFile(n.End) && pos.After(n.End) {
			n.End = pos
		}
	})
}

// Has reports whether pos is on a line of the statement, from its first line to
// that of n.End.
func (n *GoDeferStmt) Has(pos src.XPos) bool {
	return pos.SameFile(n.Pos()) && n.Pos().Line() <= pos.Line() && pos.Line() <= n.End.Line()
}
