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

// A LimitError reports that a scope has allocated more than a limit allows.
type LimitError struct {
	Name  string // of the scope
	Limit string // which limit: "bytes", "objects" or "calls"
	Max   int64  // the most that the limit allows
	Usage Usage  // of the scope when the limit was found crossed; without LiveBytes and LiveObjects

	// Stack is the call stack of the allocation that found the limit
	// crossed, or of [Run] if only Run found it crossed, after its function
	// had returned. It has program counters, as [runtime.Callers] returns
	// them, innermost first, at most 64, without the leading frames of the
	// runtime.
	Stack []uintptr

	// Err is the error that the function of [Run] has returned. It is nil
	// in causes, and in errors of [Err].
	Err error
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

// max returns the limits in the order in which the runtime has them.
func (l *Limits) max() [kinds]int64 { return [kinds]int64{l.Bytes, l.Objects, l.Calls} }

// counts reports whether objects and calls are to be counted.
func (l *Limits) counts() bool { return l.Count || l.Objects > 0 || l.Calls > 0 }

// limitError returns an error about the limit of s that was crossed, or nil if
// none was. err is the error that the function of Run has returned.
func (s *Scope) limitError(err error) *LimitError {
	kind, counted, stack, crossed := runtime_crossed(s.state)
	if !crossed {
		return nil
	}
	e := &LimitError{Name: s.limits.Name, Usage: usage(counted), Stack: callersOfRuntime(stack), Err: err}
	e.Limit = [kinds]string{"bytes", "objects", "calls"}[kind]
	e.Max = s.limits.max()[kind]
	if !s.limits.counts() {
		e.Usage.Objects, e.Usage.Calls = 0, 0
	}
	return e
}

// callersOfRuntime returns stack without the leading frames of the runtime,
// which are at its leaf.
func callersOfRuntime(stack []uintptr) []uintptr {
	for i := range stack {
		f := runtime.FuncForPC(stack[i] - 1)
		if f == nil || !strings.HasPrefix(f.Name(), "runtime.") && !strings.HasPrefix(f.Name(), "internal/runtime/") {
			return stack[i:]
		}
	}
	return stack
}

// Err returns a [*LimitError] if the scope of the calling goroutine, or one
// around it, has crossed a limit, and nil if not. It is for loops: it takes a few
// nanoseconds, needs no context, and reports a crossed limit before the context
// is cancelled.
func Err() error {
	if owner := runtime_over(); owner != nil {
		if limit := (*Scope)(owner).limitError(nil); limit != nil {
			return limit
		}
	}
	return nil
}

// cancelOwner starts a goroutine that cancels the scope. The runtime calls it
// when a limit of a scope is crossed. It must not block, because the runtime
// calls it with preemption disabled.
func cancelOwner(owner unsafe.Pointer) {
	s := (*Scope)(owner)
	go func() { s.cancel(s.limitError(nil)) }()
}
