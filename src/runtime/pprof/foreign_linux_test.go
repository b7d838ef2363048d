// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests compare the classes of memory that is not Go's with what programs
// know that they have mapped and touched.

package pprof

import (
	"bytes"
	"internal/goarch"
	"internal/race"
	"internal/testenv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

const foreignBulk = 64 << 20

var (
	memUsageRead []*byte
	memUsageSum  byte
)

// canScan reports whether the kernel tells all zero pages.
func canScan() bool {
	var pages pagemap
	closePages, _ := pages.open()
	defer closePages()
	mode, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return pages.scans && !bytes.Contains(mode, []byte("[always]"))
}

func foreignUpTo(t testing.TB, limit uint64) *foreignMemory {
	var pages pagemap
	closePages, err := pages.open()
	defer closePages()
	if err != nil {
		t.Fatal(err)
	}
	f, err := readForeignUpTo(limit, &pages)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// foreignCases are programs in Go. Each runs in a process of its own. do
// returns a class below Not Go's memory, and its bytes.
var foreignCases = []struct {
	name string
	do   func(t *testing.T) (class string, bytes int)
}{
	{"file", func(t *testing.T) (string, int) {
		name := filepath.Join(t.TempDir(), "file (with) a name")
		return "Mapped files > " + name, mapFile(t, name, syscall.MAP_SHARED)
	}},
	{"private file", func(t *testing.T) (string, int) {
		name := filepath.Join(t.TempDir(), "private")
		return "Mapped files > " + name, mapFile(t, name, syscall.MAP_PRIVATE)
	}},
	{"deleted file", func(t *testing.T) (string, int) {
		name := filepath.Join(t.TempDir(), "deleted")
		n := mapFile(t, name, syscall.MAP_SHARED)
		os.Remove(name)
		return "Mapped files > " + name + " (deleted)", n
	}},
	{"shm", func(t *testing.T) (string, int) {
		if _, err := os.Stat("/dev/shm"); err != nil {
			t.Skip(err)
		}
		file, err := os.CreateTemp("/dev/shm", "pprof")
		if err != nil {
			t.Skip(err)
		}
		os.Remove(file.Name())
		return "Shared memory > " + file.Name() + " (deleted)", mapOpen(t, int(file.Fd()), syscall.MAP_SHARED)
	}},
	{"memfd", func(t *testing.T) (string, int) {
		fd, _, errno := syscall.Syscall(sharedCalls(t).memfdCreate, uintptr(unsafe.Pointer(&[]byte("pprof\x00")[0])), 0, 0)
		if errno != 0 {
			t.Skip(errno)
		}
		return "Shared memory > /memfd:pprof (deleted)", mapOpen(t, int(fd), syscall.MAP_SHARED)
	}},
	{"SysV", func(t *testing.T) (string, int) {
		calls := sharedCalls(t)
		id, _, errno := syscall.Syscall(calls.shmget, 0, foreignBulk, 0o1600)
		if errno != 0 {
			t.Skip(errno)
		}
		addr, _, errno := syscall.Syscall(calls.shmat, id, 0, 0)
		syscall.Syscall(calls.shmctl, id, 0, 0) // IPC_RMID
		if errno != 0 {
			t.Skip(errno)
		}
		touchBulk(*(*[]byte)(unsafe.Pointer(&[3]uintptr{addr, foreignBulk, foreignBulk})))
		return "Shared memory > /SYSV00000000 (deleted)", foreignBulk
	}},
	{"shared anonymous", func(t *testing.T) (string, int) {
		return "Shared memory > /dev/zero (deleted)", len(touchBulk(mapAnonymous(t, syscall.MAP_SHARED)))
	}},
	{"program", func(t *testing.T) (string, int) {
		data := mapAnonymous(t, syscall.MAP_PRIVATE)
		return "Mapped by the program", len(touchBulk(data[:foreignBulk/2]))
	}},
	{"unmapped", func(t *testing.T) (string, int) {
		data := touchBulk(mapAnonymous(t, syscall.MAP_PRIVATE))
		const hole = foreignBulk / 4
		if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, addressOf(data)+hole, hole, 0); errno != 0 {
			t.Fatal(errno)
		}
		return "Mapped by the program", foreignBulk - hole
	}},
	{"moved", func(t *testing.T) (string, int) {
		data := touchBulk(mapAnonymous(t, syscall.MAP_PRIVATE))
		const mayMove = 1
		if _, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, addressOf(data), foreignBulk, 8*foreignBulk, mayMove, 0, 0); errno != 0 {
			t.Fatal(errno)
		}
		return "Mapped by the program", foreignBulk
	}},
	{"huge pages", func(t *testing.T) (string, int) {
		const huge = 2 << 20
		if mode, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); goarch.PtrSize < 8 || len(mode) == 0 || bytes.Contains(mode, []byte("[never]")) {
			t.Skipf("huge pages: %q", mode)
		}
		data := mapAnonymous(t, syscall.MAP_PRIVATE)
		data = data[-addressOf(data)&(huge-1):][:foreignBulk-huge]
		if err := syscall.Madvise(data, syscall.MADV_HUGEPAGE); err != nil {
			t.Skip(err)
		}
		for i := 0; i < len(data); i += huge {
			data[i] = 1
		}
		return "Mapped by the program", presentIn(t, data)
	}},
	{"MADV_FREE", func(t *testing.T) (string, int) {
		data := touchBulk(mapAnonymous(t, syscall.MAP_PRIVATE))
		const madvFree = 8
		if err := syscall.Madvise(data[:foreignBulk/2], madvFree); err != nil {
			t.Skip(err)
		}
		return "Mapped by the program", presentIn(t, data)
	}},
	{"only read", func(t *testing.T) (string, int) {
		if !canScan() {
			t.Skip("no PAGEMAP_SCAN")
		}
		memUsageRead = make([]*byte, foreignBulk/goarch.PtrSize)
		runtime.GC() // reads it
		data := mapAnonymous(t, syscall.MAP_PRIVATE)
		for i := 0; i < len(data); i += os.Getpagesize() {
			memUsageSum += data[i]
		}
		return "Mapped by the program", 0
	}},
	{"untouched slice", func(t *testing.T) (string, int) {
		if goarch.PtrSize < 8 {
			t.Skip("no address space")
		}
		size := int64(2 << 30)
		memUsageKept = [][]byte{make([]byte, size)}
		return "Mapped by the program", 0
	}},
}

// sharedCalls returns system calls that package syscall does not have
// everywhere.
func sharedCalls(t *testing.T) (calls struct{ memfdCreate, shmget, shmat, shmctl uintptr }) {
	switch runtime.GOARCH {
	case "amd64":
		calls.memfdCreate, calls.shmget, calls.shmat, calls.shmctl = 319, 29, 30, 31
	case "arm64", "riscv64", "loong64":
		calls.memfdCreate, calls.shmget, calls.shmat, calls.shmctl = 279, 194, 196, 195
	default:
		t.Skip("the numbers of the calls are not here")
	}
	return calls
}

func mapAnonymous(t *testing.T, flags int) []byte {
	data, err := syscall.Mmap(-1, 0, foreignBulk, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|flags)
	if err != nil {
		t.Fatal(err)
	}
	syscall.Madvise(data, syscall.MADV_NOHUGEPAGE) // so that pages are touched one by one
	return data
}

// TestProgramMemoryAtOnce has threads map memory where others unmap theirs.
func TestProgramMemoryAtOnce(t *testing.T) {
	const length = 1 << 18
	var mapped [32][8][]byte
	var wg sync.WaitGroup
	for i := range mapped {
		wg.Go(func() {
			for n := range 300 {
				data, err := syscall.Mmap(-1, 0, length, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
				if err != nil {
					t.Error(err)
					return
				}
				old := &mapped[i][n%len(mapped[i])]
				if *old != nil {
					syscall.Munmap(*old)
				}
				*old = touchBulk(data)
			}
		})
	}
	wg.Wait()
	ranges := make([][2]uintptr, 1024)
	ranges = ranges[:pprof_programMemory(ranges)]
	for i := range mapped {
		for _, data := range mapped[i] {
			at := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
			if !slices.ContainsFunc(ranges, func(r [2]uintptr) bool { return r[0] <= at && at+length <= r[1] }) {
				t.Errorf("%#x is not memory of the program", at)
			}
			syscall.Munmap(data)
		}
	}
}

func mapFile(t *testing.T, name string, flags int) int {
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	return mapOpen(t, int(file.Fd()), flags)
}

func mapOpen(t *testing.T, fd, flags int) int {
	if err := syscall.Ftruncate(fd, foreignBulk); err != nil {
		t.Fatal(err)
	}
	data, err := syscall.Mmap(fd, 0, foreignBulk, syscall.PROT_READ|syscall.PROT_WRITE, flags)
	if err != nil {
		t.Fatal(err)
	}
	return len(touchBulk(data))
}

func touchBulk(data []byte) []byte {
	for i := 0; i < len(data); i += os.Getpagesize() {
		data[i] = 1
	}
	return data
}

// presentIn returns how much of data has pages.
func presentIn(t *testing.T, data []byte) (bytes int) {
	page := os.Getpagesize()
	present := make([]byte, len(data)/page)
	if _, _, errno := syscall.Syscall(syscall.SYS_MINCORE, addressOf(data), uintptr(len(data)), addressOf(present)); errno != 0 {
		t.Fatal(errno)
	}
	for _, b := range present {
		bytes += int(b&1) * page
	}
	return bytes
}

// TestMemUsageForeign compares a class with what the test has touched. The sum
// must be the resident size that the test reads around the profile.
func TestMemUsageForeign(t *testing.T) {
	if foreignUpTo(t, rollupLimit) == nil {
		t.Skip("no smaps")
	}
	if race.Enabled {
		t.Skip("the race detector's memory is other memory")
	}
	for _, test := range foreignCases {
		t.Run(test.name, func(t *testing.T) {
			if !ownProcess(t) {
				return
			}
			class, bytes := test.do(t)
			before, _ := smapsRollup.read()
			r := takeMemUsage(t)
			after, _ := smapsRollup.read()
			if sum := uint64(r.bytes[""]); sum < before.bytes-before.bytes/100 || sum > after.bytes+after.bytes/100 {
				t.Errorf("sum %d, resident %d before and %d after", sum, before.bytes, after.bytes)
			}
			// Go's smaller structures count as present, and may not be.
			const absent = 1 << 20
			if n := r.bytes[notGoMemory+" > "+class]; n > int64(bytes) || n < int64(bytes)-absent {
				t.Errorf("%s has %d bytes, want %d: %v", class, n, bytes, r.bytes)
			}
			compareForeign(t, class, uint64(bytes))
			if test.name == "untouched slice" && (r.absent < 2<<30 || r.bytes[""] > 256<<20) {
				t.Errorf("%d bytes without pages, %d resident", r.absent, r.bytes[""])
			}
		})
	}
}

// compareForeign compares the bytes of a class with those that smaps has, and
// these with those by maps, which processes of more than a gigabyte have.
func compareForeign(t *testing.T, class string, bytes uint64) {
	small, large := foreignUpTo(t, 1<<62), foreignUpTo(t, 0)
	if large == nil {
		t.Skip("no pagemap")
	}
	got := make(map[string]uint64)
	for _, c := range large.classes(1 << 40) {
		got[strings.Join(c.frames[1:], " > ")] = c.present
	}
	for _, c := range small.classes(1 << 40) {
		path, want := strings.Join(c.frames[1:], " > "), c.present
		const more = 512 << 10 // of the executable is touched in between
		if n := got[path]; path != "Other" && (n < want || n > want+more) {
			t.Errorf("%s has %d bytes by maps, want %d", path, n, want)
		}
		if path == class && want != bytes {
			t.Errorf("%s has %d bytes by smaps, want %d", path, want, bytes)
		}
	}
	if large.mappings < small.mappings-8 || large.mappings > small.mappings+8 {
		t.Errorf("%d mappings, want %d", large.mappings, small.mappings)
	}
}

// mapMany makes n mappings of one page, all of which have pages. It returns
// their bytes.
func mapMany(t testing.TB, n int) int {
	page := os.Getpagesize()
	data, err := syscall.Mmap(-1, 0, n*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	touchBulk(data)
	for i := 0; i < n; i += 2 {
		if err := syscall.Mprotect(data[i*page:(i+1)*page], syscall.PROT_READ); err != nil {
			t.Skip(err) // vm.max_map_count
		}
	}
	return len(data)
}

const manyMappings = 60_000

// TestMemUsageMappings checks that what is allocated to read many mappings does
// not depend on their number.
func TestMemUsageMappings(t *testing.T) {
	if foreignUpTo(t, rollupLimit) == nil {
		t.Skip("no smaps")
	}
	if !ownProcess(t, "GOGC=off") {
		return
	}
	mapped := mapMany(t, manyMappings)
	for _, limit := range []uint64{1 << 62, 0} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f := foreignUpTo(t, limit)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
			t.Errorf("limit %d: %d bytes allocated", limit, n)
		}
		if f != nil && (f.mappings < manyMappings || f.program != uint64(mapped)) {
			t.Errorf("limit %d: %d mappings, %d bytes of the program, want %d", limit, f.mappings, f.program, mapped)
		}
	}
}

// BenchmarkMemUsageMappings reads 60,000 mappings.
func BenchmarkMemUsageMappings(b *testing.B) {
	mapMany(b, manyMappings)
	for _, source := range []struct {
		name  string
		limit uint64
	}{{"smaps", 1 << 62}, {"maps", 0}} {
		b.Run(source.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				foreignUpTo(b, source.limit)
			}
		})
	}
}

var foreignKnown = regexp.MustCompile(`(?m)^(.*): (\d+) to (\d+)$`)

// TestMemUsageForeignC runs programs with C. They print what they know.
func TestMemUsageForeignC(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs with cgo")
	}
	testenv.MustHaveGoBuild(t)
	testenv.MustHaveCGO(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, test := range []struct {
		name    string
		build   []string // arguments of go build after -o
		program string   // if not that
		args    []string
		env     string
	}{
		{"heap", []string{"cgo", "./testdata/foreign/cgo"}, "", []string{"heap"}, ""},
		{"arenas", nil, "cgo", []string{"arenas"}, ""},
		{"large arenas", nil, "cgo", []string{"large arenas"}, "MALLOC_ARENA_MAX=2"},
		{"stacks", nil, "cgo", []string{"stacks"}, ""},
		{"sqlite", []string{"sqlite", "./testdata/foreign/sqlite"}, "", nil, ""},
		{"plugin", []string{"plugin.so", "-buildmode=plugin", "./testdata/foreign/plugin"}, "cgo", []string{"plugin", at("plugin.so")}, ""},
		{"c-shared", []string{"lib.so", "-buildmode=c-shared", "./testdata/foreign/cshared/lib.go"}, "main", []string{at("lib.so")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "plugin" || test.name == "c-shared" {
				testenv.MustHaveBuildMode(t, test.name)
			}
			if test.build != nil {
				foreignBuild(t, testenv.GoToolPath(t), append([]string{"build", "-o", at(test.build[0])}, test.build[1:]...))
			}
			if test.program == "main" {
				foreignBuild(t, foreignCompiler(t), []string{"-o", at("main"), "-x", "c", "testdata/foreign/cshared/main.c.txt", "-ldl"})
			}
			if test.program == "" {
				test.program = test.build[0]
			}
			cmd := testenv.Command(t, at(test.program), test.args...)
			cmd.Env = append(os.Environ(), test.env)
			var known strings.Builder
			cmd.Stderr = &known
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &known)
			}
			r := parseMemUsage(t, out)
			if r.bytes[""] != r.resident {
				t.Errorf("sum %d, resident %d", r.bytes[""], r.resident)
			}
			all := foreignKnown.FindAllStringSubmatch(known.String(), -1)
			if len(all) == 0 {
				t.Errorf("nothing is known: %s", &known)
			}
			for _, m := range all {
				if n := below(r.bytes, notGoMemory+" > "+m[1]); n < number(m[2])*99/100 || n > number(m[3]) {
					t.Errorf("%d bytes, want %s: %v", n, m[0], r.bytes)
				}
			}
		})
	}
}

func foreignBuild(t *testing.T, name string, args []string) {
	if out, err := testenv.Command(t, name, args...).CombinedOutput(); err != nil {
		if bytes.Contains(out, []byte("sqlite3")) {
			t.Skipf("no SQLite for C: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
}

func foreignCompiler(t *testing.T) string {
	out, err := exec.Command(testenv.GoToolPath(t), "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
