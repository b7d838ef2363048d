// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	_ "unsafe" // for linkname
)

const (
	crashPrefix = "crash-"
	crashSuffix = ".txt"
)

// A crashFile is the file to which the runtime writes when the process dies of
// a fatal error or a panic. It is empty until then. On systems with flock, a
// lock shows that the file is in use. The system releases the lock when the
// process ends.
type crashFile struct {
	name string // "" if there is none
}

// openCrash makes a file the crash output. If SetCrashOutput fails, because the
// system has no crash output, for example, openCrash removes the file and
// returns no error.
func (d *folder) openCrash(now time.Time) (crashFile, error) {
	f, err := d.createCrash(now)
	if err != nil {
		return crashFile{}, err
	}
	defer f.Close() // SetCrashOutput has its own descriptor, which keeps the lock
	output := runtime_crashOutputs() + 1
	if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil { // this system has no crash output
		os.Remove(f.Name())
		return crashFile{}, nil
	}
	runtime_watchCrash(output)
	return crashFile{f.Name()}, nil
}

// createCrash makes and locks the file. If pruneCrashes of another process
// locks or removes the file first, createCrash makes another one.
func (d *folder) createCrash(now time.Time) (*os.File, error) {
	for {
		f, err := os.OpenFile(filepath.Join(d.path, name(crashPrefix, now)+crashSuffix), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if err != nil || lockNew(f) {
			return f, err
		}
		f.Close()
		now = now.Add(time.Microsecond)
	}
}

// close ends the crash output, unless the program has set another one, and
// removes the file.
func (f crashFile) close() {
	if f.name == "" {
		return
	}
	if runtime_unwatchCrash() {
		debug.SetCrashOutput(nil, debug.CrashOptions{})
	}
	os.Remove(f.name)
}

// pruneCrashes removes the empty files of processes that have ended without a
// crash, if the system has flock. Of the other files that are not in use, it
// removes the oldest ones, so that at most the given number of files is left.
func (d *folder) pruneCrashes(files int) {
	entries, _ := os.ReadDir(d.path) // in the order of names
	kept := 0
	for _, e := range slices.Backward(entries) {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), crashPrefix) || !strings.HasSuffix(e.Name(), crashSuffix) {
			continue
		}
		name := filepath.Join(d.path, e.Name())
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err == nil && lock(f) {
			if info.Size() > 0 {
				kept++
			}
			if info.Size() == 0 || kept > files {
				os.Remove(name)
			}
		}
		f.Close()
	}
}

// The functions are defined in runtime/evidencecrash.go.
//
//go:linkname runtime_crashOutputs runtime.evidence_crashOutputs
func runtime_crashOutputs() uint32

//go:linkname runtime_watchCrash runtime.evidence_watchCrash
func runtime_watchCrash(output uint32)

//go:linkname runtime_unwatchCrash runtime.evidence_unwatchCrash
func runtime_unwatchCrash() bool
