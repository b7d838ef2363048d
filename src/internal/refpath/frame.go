// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds functions by PC.

package refpath

import (
	"cmp"
	"runtime"
	"slices"
	_ "unsafe" // for linkname
)

// framesAt returns the frame with return PC pc and the calls inlined there,
// outermost first.
func framesAt(pc uintptr) []runtime.Frame {
	var all []runtime.Frame
	frames := runtime.CallersFrames(runtime_expandFinalInlineFrame([]uintptr{pc}))
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		all = append(all, frame)
	}
	slices.Reverse(all)
	return all
}

// frameFunction returns the name of the function whose frame has return PC pc.
// If calls are inlined there, that is the outermost function.
func (r *reference) frameFunction(pc uintptr) string {
	return cmp.Or(r.FunctionsAt(pc)[0], Unknown)
}

// functionName returns the name of the function that starts at entry.
func (r *reference) functionName(entry uintptr) string {
	return r.frameFunction(entry + 1)
}

// runtime_FrameSymbolName and runtime_expandFinalInlineFrame are defined in
// runtime/symtab.go, for package runtime/pprof. The name that
// runtime_FrameSymbolName returns has type arguments, which
// runtime.Frame.Function does not have.
//
//go:linkname runtime_FrameSymbolName runtime/pprof.runtime_FrameSymbolName
func runtime_FrameSymbolName(f *runtime.Frame) string

//go:linkname runtime_expandFinalInlineFrame runtime/pprof.runtime_expandFinalInlineFrame
func runtime_expandFinalInlineFrame(stk []uintptr) []uintptr
