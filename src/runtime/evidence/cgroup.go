// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes what fills the cgroup, because that may be another process,
// a tmpfs or memory of the kernel. The arguments of processes are left out,
// because they may have secrets.

package evidence

import (
	"cmp"
	"fmt"
	"internal/memcgroup"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mostProcesses is the largest number of processes whose sizes are read, so
// that a cgroup with very many does not delay the rest of the set.
const mostProcesses = 1000

// A process has the fields of /proc/PID/status that are written. Sizes are in
// KiB, and negative if the kernel does not say them.
type process struct {
	pid   string
	name  string
	sizes [len(processSizes)]int64
	at    int // index among those that were read
}

// processSizes are the names of the fields, the one by which processes are
// sorted first.
var processSizes = [...]string{"VmRSS", "RssAnon", "RssFile", "RssShmem", "VmSwap"}

// cgroup writes cgroup.txt: the sizes of the processes in the group, the
// largest first, and the group's memory.stat. root is a prefix of all paths,
// "" except in tests.
func (s *setWriter) cgroup(root string, g *memcgroup.Group) {
	if g == nil {
		return
	}
	s.file("cgroup.txt", func(w io.Writer) error {
		pids := processesOf(g.Dir)
		fmt.Fprintf(w, "cgroup %s: limit of %d bytes, %d processes\n\n", g.Dir, g.Limit, len(pids))
		if len(pids) > mostProcesses {
			pids = pids[:mostProcesses]
			fmt.Fprintf(w, "only %d processes have been read\n", len(pids))
		}
		writeProcesses(w, root, pids)
		stat, err := os.ReadFile(filepath.Join(g.Dir, "memory.stat"))
		fmt.Fprintf(w, "\nmemory.stat\n%s", stat)
		return err
	})
}

// processesOf returns the process IDs in the cgroup in dir and in those below.
func processesOf(dir string) (pids []string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == "cgroup.procs" {
			text, _ := os.ReadFile(path) // a cgroup may be removed meanwhile
			pids = append(pids, strings.Fields(string(text))...)
		}
		return nil
	})
	return pids
}

// writeProcesses writes a table of the processes that still run.
func writeProcesses(w io.Writer, root string, pids []string) {
	var all []*process // pointers, because other sorts have their code
	for _, pid := range pids {
		if p, ok := readProcess(root, pid); ok {
			p.at = len(all)
			all = append(all, &p)
		}
	}
	slices.SortFunc(all, func(a, b *process) int {
		return cmp.Or(cmp.Compare(b.sizes[0], a.sizes[0]), cmp.Compare(a.at, b.at))
	})
	for _, name := range processSizes {
		fmt.Fprintf(w, "%9s kB ", name)
	}
	fmt.Fprintln(w, "  process")
	for _, p := range all {
		for _, size := range p.sizes {
			fmt.Fprintf(w, "%12d ", size)
		}
		self := ""
		if p.pid == strconv.Itoa(os.Getpid()) {
			self = " (this process)"
		}
		fmt.Fprintf(w, "  %s %s%s\n", p.pid, p.name, self)
	}
}

// readProcess reads /proc/PID/status.
func readProcess(root, pid string) (p process, ok bool) {
	text, err := os.ReadFile(root + "/proc/" + pid + "/status")
	if err != nil {
		return p, false
	}
	p.pid = pid
	for i := range p.sizes {
		p.sizes[i] = -1
	}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		if key == "Name" {
			p.name = value
		} else if i := slices.Index(processSizes[:], key); i >= 0 {
			if n, err := strconv.ParseInt(strings.TrimSuffix(value, " kB"), 10, 64); err == nil {
				p.sizes[i] = n
			}
		}
	}
	return p, true
}
