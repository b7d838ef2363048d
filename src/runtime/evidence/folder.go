// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes sets in the folder, and removes those beyond the limits. All
// processes that use the folder do this.

package evidence

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A folder has the sets and the crash files of one or more processes.
type folder struct {
	path string
	most int64 // largest number of bytes that the files of all sets may have

	newest string // name of the set that this process has begun last
}

const (
	setPrefix  = "memory-"
	partial    = ".partial"    // end of the name of a set that is being written, or was being written when its process was killed
	incomplete = ".incomplete" // end of the name of a set for which the disk was full or failed

	// timeForm is the form of times in names. It makes names sort by time.
	timeForm = "20060102T150405.000000Z"
)

// name returns the name of a set or file that is made at the time now.
func name(prefix string, now time.Time) string {
	return fmt.Sprintf("%s%s-%d", prefix, now.UTC().Format(timeForm), os.Getpid())
}

// make makes the folder if there is none. Only the user can read the new
// folder. make also checks that files can be written to the folder.
func (d *folder) make() error {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(d.path, "test-*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// newSet makes the folder of a set.
func (d *folder) newSet(now time.Time) (*setWriter, error) {
	d.newest = name(setPrefix, now)
	s := &setWriter{dir: filepath.Join(d.path, d.newest), left: d.most}
	if err := os.MkdirAll(s.dir+partial, 0o700); err != nil { // d.path may have been removed
		return nil, err
	}
	if f, err := os.Open(s.dir + partial); err == nil {
		lockFolder(f)
		s.lock = f
	}
	return s, nil
}

// prune removes sets until at most the given number of sets is left, and their
// files have at most d.most bytes. It removes sets whose names end with
// incomplete first, so that no complete set is lost because of them, and then
// the oldest ones. A partial set that a killed process has left is in the same
// order as complete sets. The last set in this order always remains, and so do
// sets that are being written. Start calls prune, because processes that were
// killed may have left sets, and record calls it after each set.
func (d *folder) prune(sets int) {
	names := d.sets()
	bytes := int64(0)
	for i, name := range slices.Backward(names) {
		bytes += size(filepath.Join(d.path, name))
		if before := len(names) - 1 - i; before > 0 && (before >= sets || bytes > d.most) && !d.inUse(name) {
			os.RemoveAll(filepath.Join(d.path, name))
		}
	}
}

// inUse reports whether the set may be one that this process or another one is
// writing now.
func (d *folder) inUse(name string) bool {
	if !strings.HasSuffix(name, partial) {
		return false
	}
	f, err := os.Open(filepath.Join(d.path, name))
	if err != nil {
		return true
	}
	defer f.Close()
	return !lockFolder(f)
}

// sets returns the names of all sets, in the order in which they are to be
// removed. If the set that this process has begun last is complete, it comes
// last, even if the clock has been set back.
func (d *folder) sets() []string {
	entries, _ := os.ReadDir(d.path) // in the order of names; if ReadDir fails, the entries that it has read
	var first, others, last []string
	for _, e := range entries {
		switch {
		case !e.IsDir() || !isSet(e.Name()): // not a set
		case strings.HasSuffix(e.Name(), incomplete):
			first = append(first, e.Name())
		case e.Name() == d.newest:
			last = append(last, e.Name())
		default:
			others = append(others, e.Name())
		}
	}
	return slices.Concat(first, others, last)
}

// isSet reports whether name is the name of a set, as the function name makes
// it.
func isSet(name string) bool {
	rest, ok := strings.CutPrefix(name, setPrefix)
	if !ok || len(rest) < len(timeForm) {
		return false
	}
	_, err := time.Parse(timeForm, rest[:len(timeForm)])
	return err == nil
}

// size returns the number of bytes of all files in dir.
func size(dir string) (bytes int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil
	})
	return bytes
}
