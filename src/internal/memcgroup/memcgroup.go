// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memcgroup reads the memory limit that cgroups set for the process,
// and how much memory of the cgroup with that limit cannot easily be reclaimed.
// It reads hierarchies of version 1 and of version 2. internal/runtime/cgroup
// reads the CPU limit of both versions without allocating, but only the limit
// of the process's own cgroup.
//
// The limit of a cgroup also applies to the cgroups below it. Find therefore
// looks at the cgroup of the process and at all cgroups above it that are
// mounted, and returns the one with the smallest limit.
package memcgroup

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// A Group is a cgroup that has a memory limit. After the first call of Used,
// the files that Used reads stay open, so that Used still works in a process
// that has no descriptors left.
type Group struct {
	Dir   string // where its files are
	Limit int64  // bytes

	files       *files
	usage, stat *os.File
}

// ErrNoLimit is the error of Find if no cgroup limits the memory of the
// process.
var ErrNoLimit = errors.New("no cgroup limits memory")

// files names the files of a version of cgroups.
type files struct {
	controller  string   // name of the controller in version 1; "" in version 2
	limits      []string // names of files that have a number of bytes, or "max"
	usage       string   // name of the file that has the bytes in use, including caches
	reclaimable []string // keys of memory.stat whose bytes are subtracted from usage
}

var (
	version1 = &files{
		controller:  "memory",
		limits:      []string{"memory.limit_in_bytes"},
		usage:       "memory.usage_in_bytes",
		reclaimable: []string{"total_inactive_file", "total_active_file"},
	}
	version2 = &files{
		limits:      []string{"memory.max", "memory.high"},
		usage:       "memory.current",
		reclaimable: []string{"inactive_file", "active_file", "slab_reclaimable"},
	}
)

// Find returns the cgroup whose limit is the smallest of those that apply to
// the process. root is a prefix of all paths: "" except in tests.
func Find(root string) (*Group, error) {
	path, version, err := cgroupOf(root + "/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	top, dir, err := mounted(root+"/proc/self/mountinfo", path, version)
	if err != nil {
		return nil, err
	}
	var smallest *Group
	for {
		limit, err := version.limit(root + top + dir)
		if err != nil {
			return nil, err
		}
		if smallest == nil || limit < smallest.Limit {
			smallest = &Group{Dir: root + top + dir, Limit: limit, files: version}
		}
		if dir == "" {
			break
		}
		dir = dir[:strings.LastIndexByte(dir, '/')]
	}
	if smallest.Limit >= unlimited || smallest.Limit == unlimited32 {
		return nil, ErrNoLimit
	}
	return smallest, nil
}

// If there is no limit, version 1 reports the largest int64 that is a multiple
// of the page size on 64-bit kernels, and 1<<31-1 pages on 32-bit kernels.
const (
	unlimited   = math.MaxInt64 &^ (1<<20 - 1) // less than the former, for all page sizes
	unlimited32 = math.MaxInt32 << 12          // the latter, for pages of 4 KiB
)

// cgroupOf returns the path of the cgroup that limits memory, from the lines
//
//	number:controller,controller:path
//
// of /proc/self/cgroup. The memory controller is in one version only. If no
// line names it, it is in version 2, whose line has the number 0.
func cgroupOf(file string) (path string, version *files, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, ErrNoLimit
	} else if err != nil {
		return "", nil, err
	}
	for line := range strings.Lines(string(text)) {
		number, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, p, ok := strings.Cut(rest, ":")
		if !ok || !strings.HasPrefix(p, "/") {
			return "", nil, errors.New(file + ": malformed line " + strconv.Quote(line))
		}
		switch {
		case has(controllers, version1.controller):
			return p, version1, nil
		case number == "0":
			path, version = p, version2
		}
	}
	if version == nil {
		return "", nil, ErrNoLimit
	}
	return path, version, nil
}

// has reports whether name is an element of list, whose elements are separated
// by commas.
func has(list, name string) bool {
	for e := range strings.SplitSeq(list, ",") {
		if e == name {
			return true
		}
	}
	return false
}

// mounted returns the place in the file system of the cgroup with the given
// path: the directory dir, which is "" or begins with a slash, below the mount
// point top. See proc_pid_mountinfo(5) for the format of file.
func mounted(file, path string, version *files) (top, dir string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(text)) {
		mount, source, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(source)
		if len(m) < 5 || len(s) < 3 {
			continue
		}
		if version == version2 && s[0] != "cgroup2" || version == version1 && (s[0] != "cgroup" || !has(s[2], version.controller)) {
			continue
		}
		// The cgroup is visible at the mount point if it is the cgroup
		// mounted there or a cgroup below that one. A path that begins
		// with /.. is outside the namespace of the process.
		rel, ok := strings.CutPrefix(path, strings.TrimSuffix(unescape(m[3]), "/"))
		if !ok || rel != "" && rel[0] != '/' || strings.HasPrefix(rel, "/..") {
			continue
		}
		return strings.TrimSuffix(unescape(m[4]), "/"), strings.TrimSuffix(rel, "/"), nil
	}
	return "", "", ErrNoLimit
}

// unescape returns the path that field stands for. In field, a space and some
// other characters are written as a backslash and three octal digits.
func unescape(field string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(field, '\\')
		if i < 0 || i+4 > len(field) {
			b.WriteString(field)
			return b.String()
		}
		b.WriteString(field[:i])
		if c, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
			b.WriteByte(byte(c))
		} else {
			b.WriteString(field[i : i+4])
		}
		field = field[i+4:]
	}
}

// limit returns the smallest limit in the files of dir, or math.MaxInt64 if
// there is none. The root of version 2 has no such files.
func (f *files) limit(dir string) (int64, error) {
	limit := int64(math.MaxInt64)
	for _, name := range f.limits {
		n, err := number(dir + "/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		limit = min(limit, n)
	}
	return limit, nil
}

// number returns the number in file, or math.MaxInt64 if the file has "max".
func number(file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return parseNumber(file, string(text))
}

// parseNumber is number for a file whose contents are text.
func parseNumber(file, text string) (int64, error) {
	s := strings.TrimSuffix(text, "\n")
	if s == "max" {
		return math.MaxInt64, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New(file + ": malformed number " + strconv.Quote(s))
	}
	return n, nil
}

// Used returns the bytes of memory of the cgroup that the kernel cannot easily
// reclaim: without file pages and, in version 2, without reclaimable slab. If
// the cgroup uses less than threshold bytes in all, Used returns all the bytes
// that it uses, because this number is cheaper to read.
func (g *Group) Used(threshold int64) (int64, error) {
	if g.usage == nil {
		if err := g.open(); err != nil {
			return 0, err
		}
	}
	text, err := readAgain(g.usage)
	if err != nil {
		return 0, err
	}
	used, err := parseNumber(g.usage.Name(), text)
	if err != nil || used < threshold {
		return used, err
	}
	if text, err = readAgain(g.stat); err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		for _, k := range g.files.reclaimable {
			if n, err := strconv.ParseInt(value, 10, 64); k == key && err == nil {
				used -= n
			}
		}
	}
	return max(used, 0), nil
}

// open opens the files that Used reads.
func (g *Group) open() (err error) {
	if g.usage, err = os.Open(g.Dir + "/" + g.files.usage); err != nil {
		g.usage = nil
		return err
	}
	if g.stat, err = os.Open(g.Dir + "/memory.stat"); err != nil {
		g.Close()
	}
	return err
}

// Close closes the files that Used has opened. The next call of Used opens them
// again.
func (g *Group) Close() {
	g.usage.Close() // Close of a nil File returns an error
	g.stat.Close()
	g.usage, g.stat = nil, nil
}

// readAgain reads f, which may have been read before, from its beginning.
func readAgain(f *os.File) (string, error) {
	b := make([]byte, 16<<10)
	for {
		n, err := f.ReadAt(b, 0)
		switch {
		case err == io.EOF:
			return string(b[:n]), nil
		case err != nil:
			return "", err
		}
		b = make([]byte, 2*len(b))
	}
}
