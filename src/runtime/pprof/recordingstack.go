// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the call stacks of recordings of references. The peak profile
// leaves these stacks out. The memory and page fault profiles show them as one
// frame.

package pprof

import (
	"runtime"
	"strings"
	_ "unsafe" // for linkname
)

// isRecordingStack reports whether stk is the call stack of a goroutine that
// writes a profile of references or a heap graph, or of code that runs the
// recorder, as the garbage collector does.
func isRecordingStack(stk []uintptr) bool {
	frames := runtime.CallersFrames(stk)
	for {
		f, more := frames.Next()
		if isRecordingFunction(f.Function) {
			return true
		}
		if !more {
			return false
		}
	}
}

// recordingFunctions has the beginnings of the names of functions that write
// recordings, of their function literals, and of the recorder's functions.
var recordingFunctions = []string{
	"runtime/pprof.writeRefs",
	"runtime/pprof.writeInuse",
	"runtime/pprof.(*HeapGraph).Write",
	"runtime/pprof.(*heapGraphWriter).record",
	"runtime.refs",
	"runtime.(*refs",
}

func isRecordingFunction(name string) bool {
	for _, prefix := range recordingFunctions {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// recordingStack returns the call stack that stands for recordings. It has one
// frame.
func recordingStack() []uintptr { return []uintptr{pprof_referenceRecording()} }

// pprof_referenceRecording is defined in runtime/growthprofile.go.
//
//go:linkname pprof_referenceRecording runtime.pprof_referenceRecording
func pprof_referenceRecording() uintptr
