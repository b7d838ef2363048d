// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"strings"
	"testing"
)

// TestWrongNumbers checks snapshots in which a number refers to something that
// does not exist, or in which the class of a root is wrong.
func TestWrongNumbers(t *testing.T) {
	for name, change := range map[string]func(*server){
		"class of a root":            func(s *server) { s.root(3, "x") },
		"root without a class":       func(s *server) { s.root(0, "x") },
		"string of an element":       func(s *server) { s.nodes[1].Element = 1000 },
		"string of a text":           func(s *server) { s.nodes[1].Text = 1000 },
		"type of a node":             func(s *server) { s.nodes[1].Type = 1000 },
		"number beyond 32 bits":      func(s *server) { s.nodes[1].Type = 1 << 32 },
		"string of a type":           func(s *server) { s.types[0].Name = 1000 },
		"string of a field":          func(s *server) { s.types[0].Fields[0].Name = 1000 },
		"type of a field":            func(s *server) { s.types[0].Fields[0].Type = 1000 },
		"string of a goroutine":      func(s *server) { s.goroutines[0].Func = 1000 },
		"string of a reason to wait": func(s *server) { s.goroutines[0].Wait = 1000 },
		"string of a label":          func(s *server) { s.goroutines[1].Labels[0].Key = 1000 },
	} {
		s := newServer()
		change(s)
		if _, err := open(s.encode(t)); err == nil {
			t.Errorf("%s: no error", name)
		} else if !strings.HasPrefix(err.Error(), "heapgraph: ") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}
