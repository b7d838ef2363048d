// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the call stacks of recordings of references. Other profiles
// leave these stacks out, or show them as one frame.

package pprof

import (
	"runtime"
	"strings"
	_ "unsafe" // for linkname
)

// isRecordingStack reports whether stk is the call stack of a goroutine that
// writes a refs or inuse profile, or of code that runs the recorder, as the
// garbage collector does.
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

func isRecordingFunction(name string) bool {
	return name == "runtime/pprof.writeRefs" || name == "runtime/pprof.writeInuse" ||
		strings.HasPrefix(name, "runtime.refs") || strings.HasPrefix(name, "runtime.(*refs")
}

// recordingStack returns the call stack that stands for recordings. It has one
// frame.
func recordingStack() []uintptr { return []uintptr{pprof_referenceRecording()} }

// pprof_referenceRecording is defined in runtime/growthprofile.go.
//
//go:linkname pprof_referenceRecording runtime.pprof_referenceRecording
func pprof_referenceRecording() uintptr
