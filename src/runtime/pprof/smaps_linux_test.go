// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests read made-up contents of smaps.

package pprof

import (
	"fmt"
	"internal/goarch"
	"maps"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// smapsText returns the contents for lines such as "1000-2000 rw-p nr name",
// with addresses in units of pages, all of which are resident.
func smapsText(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		var from, to uint64
		fmt.Sscanf(fields[0], "%x-%x", &from, &to)
		fmt.Fprintf(&b, "%x-%x %s 00000000 fe:00 123       %s\nSize: 1 kB\nRss:   %d kB\nSwap: 4 kB\nVmFlags: rd %s mr\n",
			from<<12, to<<12, fields[1], fields[3], (to-from)<<2, fields[2])
	}
	return b.String()
}

// A fakeMemory has words from its keys on, in units of pages, and all others
// are 0.
type fakeMemory map[uint64][]uintptr

func (f fakeMemory) ReadAt(p []byte, at int64) (int, error) {
	words := unsafe.Slice((*uintptr)(unsafe.Pointer(&p[0])), len(p)/goarch.PtrSize)
	clear(words)
	offset := at % (1 << 12)
	if all := f[uint64(at)>>12]; offset < int64(len(all))*goarch.PtrSize {
		copy(words, all[offset/goarch.PtrSize:])
	}
	return len(p), nil
}

// imageHeader returns the header of an executable of two segments, which begins
// at the address in its file, and ends n pages after.
func imageHeader(kind uint16, n uintptr) []uintptr {
	var header struct {
		elfHeader
		_ [16]uintptr
	}
	copy(header.ident[:], "\x7fELF")
	header.ident[4], header.kind = goarch.PtrSize/4, kind
	header.programs, header.programSize, header.programsLen = 16*goarch.PtrSize, 8+6*goarch.PtrSize, 3
	all := slices.Clone(unsafe.Slice((*uintptr)(unsafe.Pointer(&header)), 16))
	for _, program := range [][6]uintptr{{6, 0, 0x400040, 0, 0, 99 << 12}, {1, 0, 0x400000, 0, 0, 1}, {1, 0x1000, 0x401000, 0, 0, (n-1)<<12 - 1}} {
		all = append(append(all, program[:]...), 0, 0)[:len(all)+int(header.programSize)/goarch.PtrSize]
	}
	return all
}

// arenaHeader returns the header of an arena at a page, of which so many pages
// are accessible.
func arenaHeader(page, accessible uintptr) []uintptr {
	return []uintptr{page<<12 + 0x30, 0, accessible << 12, accessible << 12}
}

func divideSmaps(t *testing.T, text string, memory fakeMemory) *smapsDivision {
	t.Helper()
	d := &smapsDivision{stacks: []uintptr{0x50123, 0x52000, 0x7fff8}, program: [][2]uintptr{{0x30000, 0x32000}, {0x33000, 0x34000}}}
	if memory != nil {
		d.mem = memory
	}
	if err := d.read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	d.memory.divideCode()
	d.memory.source = "/proc/self/smaps"
	return d
}

// TestSmaps checks what each mapping is. Sizes are in pages.
func TestSmaps(t *testing.T) {
	const a = arenaSize >> 12
	for _, test := range []struct {
		name, lines string
		want        map[string]uint64
		memory      fakeMemory
	}{
		{"program", "1-2 r--p - /bin/x\n2-4 r-xp - /bin/x\n4-5 rw-p - /bin/x\n5-8 rw-p - \n8-9 rw-p - \n", map[string]uint64{"Executable and libraries > /bin/x": 7, "Other": 1}, fakeMemory{1: imageHeader(2, 7)}},
		{"variables that cannot be read", "1-4 r-xp - /bin/x\n4-5 rw-p - \n", map[string]uint64{"Executable and libraries > /bin/x": 4}, nil},
		{"variables after a hole", "1-4 r-xp - /bin/x\n5-8 rw-p - \n8-9 rw-p - \n", map[string]uint64{"Executable and libraries > /bin/x": 6, "Other": 1}, fakeMemory{1: imageHeader(2, 7)}},
		{"variables in parts", "1-4 r-xp - /bin/x\n4-6 rw-p - \n6-7 r--p - \n7-8 rw-p - \n8-9 rw-p - \n", map[string]uint64{"Executable and libraries > /bin/x": 7, "Other": 1}, fakeMemory{1: imageHeader(2, 7)}},
		{"core file", "1-4 r-xp - /bin/x\n4-6 rw-p - \n", map[string]uint64{"Executable and libraries > /bin/x": 3, "Other": 2}, fakeMemory{1: imageHeader(4, 7)}},
		{"header alone", "1-2 r--p - /bin/x\n4-6 rw-p - \n", map[string]uint64{"Mapped files > /bin/x": 1, "Other": 2}, fakeMemory{1: imageHeader(3, 7)}},
		{"no executable", "1-4 r-xp - /bin/x\n4-6 rw-p - \n", map[string]uint64{"Executable and libraries > /bin/x": 3, "Other": 2}, fakeMemory{}},
		{"program without a file", "1-2 r--p - /memfd:x (deleted)\n2-4 r-xp - /memfd:x (deleted)\n4-8 rw-p - \n", map[string]uint64{"Executable and libraries > /memfd:x (deleted)": 7}, fakeMemory{1: imageHeader(2, 7)}},
		{"no paths", "1-2 rw-s - socket:[123]\n2-4 rw-s - anon_inode:[io_uring]\n4-7 r--s - /a \n", map[string]uint64{"Mapped files > socket": 1, "Mapped files > anon_inode:[io_uring]": 2, "Mapped files > /a ": 3}, nil},
		{"arena in parts", fmt.Sprintf("%x-%x rw-p nr \n%x-%x rw-p lo \n%x-%x ---p nr \n", a, a+1, a+1, a+3, a+3, 2*a), map[string]uint64{"C heap > arenas of malloc": 3, "Other": a - 3}, fakeMemory{a: arenaHeader(a, 3)}},
		{"another heap of an arena", fmt.Sprintf("%x-%x rw-p nr \n", 2*a, 2*a+3), map[string]uint64{"C heap > arenas of malloc": 3}, fakeMemory{2 * a: {a<<12 + 0x30, a << 12, 2 << 12, 3 << 12}}},
		{"no arena at a multiple", fmt.Sprintf("%x-%x rw-p nr \n", a, 2*a), map[string]uint64{"Other": a}, fakeMemory{}},
		{"data", "2-4 r--p - /a b\n4-6 rw-p - \n6-7 r--s - /a b\n", map[string]uint64{"Mapped files > /a b": 3, "Other": 2}, nil},
		{"names", "1-2 rw-s - /memfd:a (deleted)\n2-4 rw-s - /dev/zero (deleted)\n4-7 rw-p - /dev/zero\n7-b rw-s - /SYSV0000002a (deleted)\nb-10 rw-s - [anon_shmem:x]\n",
			map[string]uint64{"Shared memory > /memfd:a (deleted)": 1, "Shared memory > /dev/zero (deleted)": 2, "Mapped files > /dev/zero": 3, "Shared memory > /SYSV0000002a (deleted)": 4, "Shared memory > [anon_shmem:x]": 5}, nil},
		{"C", "1-2 rw-p - [heap]\n2-4 rw-p - [anon: glibc: malloc arena]\n4-7 rw-p - [anon: glibc: pthread stack: 7]\n7-b rw-p - [stack]\nb-10 r-xp - [vdso]\n",
			map[string]uint64{"C heap > [heap]": 1, "C heap > arenas of malloc": 2, "C stacks": 7, "Other": 5}, nil},
		{"arenas", fmt.Sprintf("%x-%x rw-p nr \n%x-%x ---p nr \n", a, a+3, a+3, 2*a), map[string]uint64{"C heap > arenas of malloc": 3, "Other": a - 3}, nil},
		{"full arena", fmt.Sprintf("%x-%x rw-p nr \n", a, 2*a), map[string]uint64{"C heap > arenas of malloc": a}, nil},
		{"Go's arena", fmt.Sprintf("%x-%x rw-p - \n%x-%x ---p - \n", a, a+3, a+3, 2*a), map[string]uint64{"Other": a}, nil},
		{"no arena", fmt.Sprintf("%x-%x rw-p nr \n%x-%x ---p nr \n", a, a+3, a+4, 2*a), map[string]uint64{"Other": a - 1}, nil},
		{"not at a multiple", fmt.Sprintf("%x-%x rw-p nr \n%x-%x ---p nr \n", a+1, a+3, a+3, 2*a), map[string]uint64{"Other": a - 1}, nil},
		{"stacks", "50-52 rw-p - \n52-53 rw-p - \n53-54 rw-p - \n", map[string]uint64{"C stacks": 3, "Other": 1}, nil},
		{"program's", "30-32 rw-p - \n32-33 rw-p - \n", map[string]uint64{"Mapped by the program": 2, "Other": 1}, nil},
		{"program's after code", "2e-30 r-xp - /bin/x\n30-32 rw-p - \n", map[string]uint64{"Executable and libraries > /bin/x": 2, "Mapped by the program": 2}, nil},
		{"name too long", "1-2 r--s - /" + strings.Repeat("long/", 10000) + "\n2-4 rw-p - [heap]\n", map[string]uint64{"C heap > [heap]": 2, "Mapped files": 1}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := divideSmaps(t, smapsText(test.lines), test.memory)
			got, sum := make(map[string]uint64), uint64(0)
			for _, c := range d.memory.classes(d.memory.totals[0]) {
				if path := strings.Join(c.frames[1:], " > "); c.present != 0 {
					if strings.HasPrefix(path, "Mapped files > /long") {
						path = "Mapped files"
					}
					got[path] += c.present >> 12
				}
				sum += c.present
			}
			if !maps.Equal(got, test.want) || sum != d.memory.totals[0] {
				t.Errorf("%v, want %v", got, test.want)
			}
			if want := fmt.Sprintf("%d mappings in /proc/self/smaps, Rss %d, Pss 0, Swap %d,", strings.Count(test.lines, "\n"), sum, strings.Count(test.lines, "\n")<<12); !strings.HasPrefix(d.memory.comment(), want) {
				t.Errorf("comment %s, want %s", d.memory.comment(), want)
			}
		})
	}
}

// TestSmapsFiles has more files than are kept. The largest ones are there, and
// the sum is that of all.
func TestSmapsFiles(t *testing.T) {
	var b strings.Builder
	b.WriteString("1-2 r-xp - /bin/x\n")
	const n = 3 * foreignNamesKept
	for i := range n {
		pages := 1
		if i%1000 == 0 {
			pages = 2 + i/1000
		}
		fmt.Fprintf(&b, "%x-%x r--s - /data/%d\n", 100*(i+1), 100*(i+1)+pages, i)
	}
	d := divideSmaps(t, smapsText(b.String()), nil)
	if len(d.memory.files.files) > foreignNamesKept {
		t.Errorf("%d files are kept", len(d.memory.files.files))
	}
	total := d.memory.totals[0]
	got, sum := make(map[string]uint64), uint64(0)
	for _, c := range d.memory.classes(total) {
		got[strings.Join(c.frames[1:], " > ")] = c.present >> 12
		sum += c.present
	}
	for i := 0; i < n; i += 1000 {
		if path, want := fmt.Sprintf("Mapped files > /data/%d", i), uint64(2+i/1000); got[path] != want {
			t.Errorf("%s has %d pages, want %d", path, got[path], want)
		}
	}
	if got["Executable and libraries > /bin/x"] != 1 || got["Other"] != 0 || sum != total {
		t.Errorf("%d of %d bytes, %v", sum, total, got)
	}
}

// TestSmapsLimited has less memory that is not Go's than in smaps.
func TestSmapsLimited(t *testing.T) {
	d := divideSmaps(t, smapsText("1-9 r-xp - /bin/x\n9-c rw-p - [heap]\n"), nil)
	for _, total := range []uint64{0, 1, 5 << 12, 9 << 12, 11 << 12, 20 << 12} {
		sum := uint64(0)
		for _, c := range d.memory.classes(total) {
			sum += c.present
			if c.taken != c.present {
				t.Errorf("%v: %d taken", c.frames, c.taken)
			}
		}
		if sum != total {
			t.Errorf("sum %d, want %d", sum, total)
		}
	}
}

// TestSmapsDamaged reads contents that are no smaps.
func TestSmapsDamaged(t *testing.T) {
	for _, text := range []string{"", "\n", "-", "x-y rw-p", "1-2\n", "1-2", "Rss: 4 kB\n", "Rss:\nVmFlags:", "ffffffffffffffffff-1 rw-p\n", ":\n:\n", "1-2 rw-p\nRss: x kB\nRss: 99999999999999999999 kB\n"} {
		d := &smapsDivision{}
		if err := d.read(strings.NewReader(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestStackPointer(t *testing.T) {
	for data, want := range map[string]uintptr{
		"202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffd8c20 0x7f1b2a\n": 0x7ffd8c20, "-1 0x1000 0x7f\n": 0x1000, "running\n": 0, "": 0, "1 x y": 0,
	} {
		if got := stackPointer([]byte(data)); got != want {
			t.Errorf("%q: %#x", data, got)
		}
	}
	if goarch.PtrSize == 8 && arenaSize != 64<<20 || goarch.PtrSize == 4 && arenaSize != 1<<20 {
		t.Errorf("arenas of %d bytes", arenaSize)
	}
}
