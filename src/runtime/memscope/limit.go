// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"
)

// A LimitError tells that a scope has allocated more than a limit allows.
type LimitError struct {
	Name  string // of the scope
	Limit string // which limit: "bytes", "objects" or "calls"
	Max   int64  // what it allows
	Usage Usage  // of the scope when it was found crossed, but for what is live

	// Stack is where the allocation was that crossed it: program counters, as of
	// [runtime.Callers], innermost first, at most 64, without the runtime's own.
	Stack []uintptr

	// Err is what the function of [Run] has returned, nil in causes and panics.
	Err error

	scope *Scope
}

// Error says which limit was crossed.
func (e *LimitError) Error() string {
	name := "scope"
	if e.Name != "" {
		name = fmt.Sprintf("scope %q", e.Name)
	}
	return fmt.Sprintf("memscope: %s has allocated more than %d %s", name, e.Max, e.Limit)
}

// Unwrap returns e.Err.
func (e *LimitError) Unwrap() error { return e.Err }

// Frames returns the frames of e.Stack.
func (e *LimitError) Frames() *runtime.Frames { return runtime.CallersFrames(e.Stack) }

// limitError returns how a limit of s was crossed, or nil if none was. err is what f has
// returned.
func (s *Scope) limitError(err error) *LimitError {
	kind, counted, stack, crossed := runtime_crossed(s.state)
	if !crossed {
		return nil
	}
	e := &LimitError{Name: s.limits.Name, Usage: usage(counted), Stack: callersOfRuntime(stack), Err: err, scope: s}
	e.Limit = [kinds]string{"bytes", "objects", "calls"}[kind]
	e.Max = s.limits.max()[kind]
	if !s.limits.counts() {
		e.Usage.Objects, e.Usage.Calls = 0, 0
	}
	return e
}

// callersOfRuntime returns stack without the runtime's functions at its leaf.
func callersOfRuntime(stack []uintptr) []uintptr {
	for i := range stack {
		f := runtime.FuncForPC(stack[i] - 1)
		if f == nil || !strings.HasPrefix(f.Name(), "runtime.") && !strings.HasPrefix(f.Name(), "internal/runtime/") {
			return stack[i:]
		}
	}
	return stack
}

// cancelOwner is called by the runtime when a limit of a scope is crossed, not to be held
// up: it must not block.
func cancelOwner(owner unsafe.Pointer) {
	s := (*Scope)(owner)
	go func() { s.cancel(s.limitError(nil)) }()
}

// errorOfOwner returns what a goroutine panics with that has crossed a limit.
func errorOfOwner(owner unsafe.Pointer) any {
	return (*Scope)(owner).limitError(nil)
}
