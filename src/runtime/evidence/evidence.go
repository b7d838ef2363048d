// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package evidence writes profiles of memory to a folder when memory is about
// to run out, so that the reason is known after the process has been killed.
//
// A program turns the package on once, by [Start] or, if it imports this
// package or net/http/pprof, in the environment:
//
//	GODEBUG=memevidence=/var/lib/server/evidence
//	GODEBUG=memevidence=/var/lib/server/evidence:share=80:growth=500MiB:within=10m
//
// In the setting, the name of the folder must not contain a comma, nor a colon
// except after a drive letter (Windows). A setuid program ignores the setting.
//
// The options are the fields of [Config] in lower case: share, growth, within,
// interval, maxsets, maxbytes and reserve. Sizes are in bytes or have the
// suffix KiB, MiB or GiB. If the setting is wrong, an error is printed and
// nothing is turned on.
//
// # When evidence is written
//
// A set of evidence is written when memory in use reaches a share of the memory
// limit, or has grown by [Config.Growth] bytes within the time [Config.Within].
// The memory limit is GOMEMLIMIT (see [runtime/debug.SetMemoryLimit]) or the
// smallest limit of the cgroups that the process is in (Linux), whichever is
// less. If GOMEMLIMIT is less than the cgroup's limit, a set is also written
// when the cgroup's memory in use reaches the share of the cgroup's limit and
// is nearer to that limit than to GOMEMLIMIT.
//
// If the limit is GOMEMLIMIT, memory in use is all of Go's memory that is
// neither free, nor released to the operating system, nor in objects that the
// latest collection did not mark. These objects are garbage, or younger than
// that collection. They do not count, because the collector frees garbage in
// time. If all other memory does not fit into the limit, collections cannot
// help. If the limit is that of a cgroup, memory in use is the memory of the
// cgroup that the kernel cannot easily reclaim, minus the heap that is free. It
// includes garbage, because the kernel kills the process even if all of the
// excess is garbage. For Growth, only Go's memory is measured, without objects
// that the latest collection did not mark and without the reserve (see
// [Config.Reserve]).
//
// An allocation of more than 32 KiB that would bring memory in use to the share
// waits until the files of a set that need no collection are written, at most 3
// seconds. Therefore a request that reads a very large body, for example, leaves
// its call stack.
//
// # What is written
//
// A set is a folder memory-TIME-PID with these files, which are written in this
// order. evidence.txt is written again later. A file gets its name when
// it is complete, so a process that is killed while it writes a set leaves the
// files that were complete. Until all files are written, the name of the folder
// ends with .partial. If a file could not be opened, written or renamed, for
// example on a full disk, the name then ends with .incomplete.
//
//	evidence.txt       the reason, the limit, memory in use, and the files
//	cgroup.txt         processes of the cgroup with the limit, and its memory.stat
//	goroutine.pb.gz    stacks of all goroutines
//	heap.pb.gz         allocation sites of live objects, and of allocations that wait
//	peak.pb.gz         contents of the heap when memory was largest
//	growth.pb.gz       call stacks that made the process grow
//	memory.pb.gz       where all memory of the process is
//	refs.pb.gz         paths of references to live objects
//	inuse.pb.gz        allocation sites of live objects, and paths to them
//	heap.graph         all objects and references, for go tool heapgraph
//
// The last three take a garbage collection each. Start reserves memory for
// them, which is freed just before they are written. If this memory does not
// suffice, they are incomplete or missing. evidence.txt says which files are
// missing, and how many references heap.graph lacks. A profile says in its
// comments how much it lacks.
//
// If the process dies of a fatal error or a panic, it writes, without
// allocating, a report to the file crash-TIME-PID.txt: the message and the call
// stacks that it prints to standard error, the sizes of the classes of memory,
// the numbers of collections and goroutines, the size and time of the peak, and
// the largest call stacks of the profiles peak and growth. Until then, the file
// is empty. Start makes it the crash output: see
// [runtime/debug.SetCrashOutput]. If the program sets another one, the file
// remains empty. Start removes crash files of processes that have ended: the
// empty ones, if the system has flock, and all but the newest [Config.MaxSets]
// of the others.
package evidence

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// A Config says when evidence is written, where, and how much. Only Dir must be
// set.
type Config struct {
	// Dir is the folder for the sets. Start makes it if there is none.
	// Several processes may use the same folder. MaxSets and MaxBytes then
	// apply to all of their sets.
	Dir string

	// Share is a percentage. A set is written when memory in use reaches
	// this share of the memory limit. If 0, it is 90.
	Share int

	// If Growth is not 0, a set is written when Go's memory, without
	// garbage and without the reserve, has grown by this number of bytes
	// within the time Within. If Within is 0, it is 10 minutes.
	Growth int64
	Within time.Duration

	// Interval is the least time between two sets of the process. If 0, it
	// is 10 minutes.
	Interval time.Duration

	// MaxSets and MaxBytes limit the number of sets, and the size of all
	// their files. When Start is called, and after each set, sets beyond
	// the limits are removed: first those for which the disk was full or
	// failed, and then the oldest ones. The folder may therefore exceed the
	// limits by one set of up to MaxBytes bytes for each process that is
	// writing one. If MaxSets is 0, it is 4. If MaxBytes is 0, it is 1 GiB.
	MaxSets  int
	MaxBytes int64

	// Reserve is the number of bytes of memory that is reserved for
	// recording references. It also limits the memory off the heap of each
	// recording. Until recordings begin, the reserve is part of memory in
	// use, except for Growth. If Reserve is 0, it is a twelfth of the
	// memory limit, but at most 256 MiB, and at least 16 MiB or an eighth
	// of the limit, whichever is less. Without a limit, it is 16 MiB. This
	// default is never more than half of the memory in use at which a set
	// is written. A Reserve that is set must be less than that memory.
	Reserve int64

	// If Written is not nil, it is called after each set. set is the folder
	// of the set, or "" if the set has no files. err says which files are
	// missing, and why. The set may have been removed already: by another
	// process that uses the folder or, if the disk was full or failed,
	// because of the limits. Written must not call Stop.
	Written func(set string, err error)
}

// ErrStarted is the error of [Start] if an earlier call has succeeded, and
// [Stop] has not been called since.
var ErrStarted = errors.New("runtime/evidence: already started")

// started is the watcher, or nil.
var started struct {
	sync.Mutex
	w *watcher
}

// Start makes the folder c.Dir, reserves memory unless memory in use is already
// near the share, and begins to watch. It returns [ErrStarted] if an earlier
// call has succeeded, and [Stop] has not been called since. It also returns an
// error if c has a field that is not valid, if files cannot be written to the
// folder, or if there is no memory. It is no error if there is no memory limit:
// there may be one later. Evidence is about the process, so it uses the real
// clock even if Start is called in a bubble of [testing/synctest], and Written
// runs outside of the bubble.
func Start(c Config) error {
	started.Lock()
	defer started.Unlock()
	if started.w != nil {
		return ErrStarted
	}
	if err := c.check(); err != nil {
		return fmt.Errorf("runtime/evidence: %w", err)
	}
	var w *watcher
	var err error
	outsideBubble(func() {
		if w, err = newWatcher(c); err == nil {
			go w.run()
		}
	})
	if err != nil {
		return fmt.Errorf("runtime/evidence: %w", err)
	}
	<-w.begun
	started.w = w
	return nil
}

// Stop ends what [Start] began. It waits for a set that is being written. It
// does nothing if Start has not been called.
func Stop() {
	started.Lock()
	w := started.w
	started.Unlock()
	if w == nil {
		return
	}
	w.stop() // called without the lock, because Written may call Start
	started.Lock()
	if started.w == w {
		started.w = nil
	}
	started.Unlock()
}

// check returns an error about the first field that is not valid. It makes Dir
// absolute, and sets fields that are 0 to their defaults, except Growth and
// Reserve.
func (c *Config) check() error {
	switch {
	case c.Dir == "":
		return errors.New("no folder")
	case c.Share < 0 || c.Share > 100:
		return fmt.Errorf("share of %d%% is not between 1%% and 100%%", c.Share)
	case c.Growth < 0 || c.MaxBytes < 0 || c.Reserve < 0:
		return errors.New("negative number of bytes")
	case c.Within < 0 || c.Interval < 0:
		return errors.New("negative time")
	case c.MaxSets < 0:
		return errors.New("negative number of sets")
	case c.Within != 0 && c.Growth == 0:
		return errors.New("within is set, and growth is not")
	}
	dir, err := filepath.Abs(c.Dir) // absolute, because the program may change its working directory
	if err != nil {
		return err
	}
	c.Dir = dir
	set(&c.Share, 90)
	set(&c.Within, 10*time.Minute)
	set(&c.Interval, 10*time.Minute)
	set(&c.MaxSets, 4)
	set(&c.MaxBytes, 1<<30)
	return nil
}

// set sets the field if it is 0.
func set[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
