// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The classes of memory that is not Go's, as the profile memory names them.
// What cannot be told from Go's own memory by its kind is the rest: the
// resident size, less Go's memory, less the other classes. So the sum stays the
// resident size.

package pprof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const notGoMemory = "Not Go's memory" // the frame of all of it

const (
	foreignNames     = 20   // of files, in a profile
	foreignNamesKept = 4096 // of files, while mappings are read
)

// foreignMemory has the bytes of each class that the system tells.
type foreignMemory struct {
	code, files, shared namedMemory
	heap, arenas        uint64 // of C
	stacks, program     uint64

	source   string
	mappings int
	totals   [len(foreignTotals)]uint64
}

// foreignTotals are the lines of smaps whose sums are in a comment.
var foreignTotals = [...]string{"Rss", "Pss", "Swap", "Locked", "AnonHugePages", "LazyFree", "Private_Hugetlb", "Shared_Hugetlb"}

// namedMemory has the bytes of the largest files, and of all others.
type namedMemory struct {
	files  map[string]*mappedFile
	others uint64
}

type mappedFile struct {
	name  string
	bytes uint64
	code  bool // a part of it may be executed
}

// file returns the file with a name.
func (n *namedMemory) file(name []byte) *mappedFile {
	f := n.files[string(name)]
	if f == nil {
		if len(n.files) == foreignNamesKept {
			n.forget()
		}
		if n.files == nil {
			n.files = make(map[string]*mappedFile)
		}
		f = &mappedFile{name: string(name)}
		n.files[f.name] = f
	}
	return f
}

// forget leaves the larger half of the files, and those with code.
func (n *namedMemory) forget() {
	for _, f := range n.largest()[foreignNamesKept/2:] {
		if !f.code {
			n.others += f.bytes
			delete(n.files, f.name)
		}
	}
}

// largest returns the files, those with the most bytes first.
func (n *namedMemory) largest() (files []*mappedFile) {
	for _, f := range n.files {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *mappedFile) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), strings.Compare(a.name, b.name))
	})
	return files
}

// divideCode moves the files with code from files to code.
func (f *foreignMemory) divideCode() {
	f.code.files = make(map[string]*mappedFile)
	for name, file := range f.files.files {
		if file.code {
			f.code.files[name] = file
			delete(f.files.files, name)
		}
	}
}

// classes returns classes whose sum is total. f may be nil.
func (f *foreignMemory) classes(total uint64) (classes []memClass) {
	add := func(bytes uint64, frames ...string) {
		classes = append(classes, memClass{memSpace{bytes, bytes}, append([]string{notGoMemory}, frames...)})
	}
	if f == nil {
		add(total)
		return classes
	}
	named := func(class string, n *namedMemory) {
		rest := n.others
		for i, f := range n.largest() {
			if i < foreignNames && f.bytes != 0 {
				add(f.bytes, class, strings.ToValidUTF8(f.name, "?"))
			} else {
				rest += f.bytes
			}
		}
		add(rest, class)
	}
	named("Executable and libraries", &f.code)
	named("Mapped files", &f.files)
	named("Shared memory", &f.shared)
	add(f.heap, "C heap", "[heap]")
	add(f.arenas, "C heap", "arenas of malloc")
	add(f.stacks, "C stacks")
	add(f.program, "Mapped by the program")
	add(limitSum(classes, total), "Other")
	return classes
}

// limitSum makes the sum of classes at most total, and returns what is left.
// The largest classes lose, because it changes them least: too much counts as
// Go's when its smaller structures have no pages.
func limitSum(classes []memClass, total uint64) (rest uint64) {
	var sum uint64
	for _, c := range classes {
		sum += c.present
	}
	for sum > total {
		most := &classes[0]
		for i := range classes {
			if classes[i].present > most.present {
				most = &classes[i]
			}
		}
		n := min(sum-total, most.present)
		most.present -= n
		most.taken -= n
		sum -= n
	}
	return total - sum
}

// comment returns the sums of all mappings, Go's too, in the kernel's words, if
// it has them.
func (f *foreignMemory) comment() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d mappings in %s", f.mappings, f.source)
	for i, name := range foreignTotals {
		if f.totals[0] != 0 {
			fmt.Fprintf(&b, ", %s %d", name, f.totals[i])
		}
	}
	return b.String()
}
