// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"internal/testenv"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

var (
	allModes = flag.Bool("modes", false, "run TestShapes in all modes")
	damages  = flag.Int("damages", 28, "damage a core file `N` times")
)

// A mode is a way to build and to run a program, and to get a core file.
type mode struct {
	program string // directory, or "" for testdata/shapes

	name  string
	env   []string
	flags []string // of go build
	args  []string // of the program
	own   bool     // the test writes the core file
	cgo   bool
	more  bool // needs -modes
}

var modes = []mode{
	{name: "crash"},
	{name: "stripped", flags: []string{"-ldflags=-s -w"}, args: []string{"-spin=3"}, own: true},
	{name: "cgo", env: []string{"CGO_ENABLED=1"}, flags: []string{"-tags=shapescgo"}, args: []string{"-spin=2"}, cgo: true},
	{name: "strippedcrash", flags: []string{"-ldflags=-s -w"}, args: []string{"-spin=3"}, more: true},
	{name: "pie", flags: []string{"-buildmode=pie"}, own: true, more: true},
	{name: "piecrash", flags: []string{"-buildmode=pie", "-ldflags=-s -w"}, more: true},
	{name: "external", env: []string{"CGO_ENABLED=1"}, flags: []string{"-ldflags=-linkmode=external"}, more: true},
	{name: "race", env: []string{"CGO_ENABLED=1"}, flags: []string{"-race"}, args: []string{"-spin=3"}, own: true, cgo: true, more: true},
	{name: "noopt", flags: []string{"-gcflags=all=-N -l"}, more: true},
	{name: "nogreenteagc", env: []string{"GOEXPERIMENT=nogreenteagc"}, more: true},
	{name: "procs32", env: []string{"GOMAXPROCS=32"}, args: []string{"-spin=8"}, own: true, more: true},
	{name: "procs1", env: []string{"GOMAXPROCS=1"}, more: true},
}

// TestShapes compares the graph that a program has written with the one of its
// core file.
func TestShapes(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	for i, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			if m.more && !*allModes {
				t.Skip("needs -modes")
			}
			if m.cgo {
				testenv.MustHaveCGO(t)
			}
			dir := t.TempDir()
			exe := m.build(t, dir)
			graph := filepath.Join(dir, "process.graph")
			core := m.run(t, dir, exe, graph)
			name := filepath.Join(dir, "core.graph")
			stats := writeFile(t, name, exe, core)
			if !stats.Variables || stats.Damaged > 0 || stats.Lost > 0 || stats.Cut > 0 {
				t.Errorf("stats are %+v", stats)
			}
			checkShapes(t, readGraph(t, graph), readGraph(t, name))
			if i == 0 {
				checkUnread(t, exe, core, readGraph(t, name))
				checkDamaged(t, exe, core, *damages)
				checkOtherBuild(t, exe, core)
				checkShrunk(t, exe, core)
			}
		})
	}
}

// build builds the program, and returns the name of its file.
func (m *mode) build(t *testing.T, dir string) string {
	src := filepath.Join(dir, "src")
	if err := os.CopyFS(src, os.DirFS(cmp.Or(m.program, "testdata/shapes"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(src, "go.mod"), []byte("module example.com/shapes\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "shapes")
	cmd := testenv.Command(t, testenv.GoToolPath(t), slices.Concat([]string{"build", "-o", exe}, m.flags, []string{"."})...)
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "GOENV=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	cmd.Env = append(cmd.Env, m.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return exe
}

// run runs the program, which writes its graph, and returns the name of its
// core file.
func (m *mode) run(t *testing.T, dir, exe, graph string) string {
	args := append(m.args, "-o="+graph)
	if !m.own {
		args = append(args, "-panic")
	}
	cmd := testenv.Command(t, exe, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOTRACEBACK=crash"), m.env...)
	if !m.own {
		raiseCoreLimit(t)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "the graph is written") {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		core := kernelCore(dir)
		if core == "" {
			t.Skip("the kernel has written no core file")
		}
		return core
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "written\n" {
		t.Fatalf("%v: it printed %q, %v", cmd, line, err)
	}
	core := filepath.Join(dir, "core")
	writeCore(t, core, cmd.Process.Pid)
	return core
}

// writeCore writes a core file of a process that the test has started, as gcore
// does, for machines on which the kernel writes none. Like the kernel, it
// leaves out memory that is mapped from files and not written. Like a gcore
// outside the process's PID namespace, it gives the threads other numbers: each
// thread gets the number of another one.
func writeCore(t *testing.T, name string, pid int) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var notes bytes.Buffer
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.PtraceAttach(id); err != nil {
			t.Skipf("cannot trace a child: %v", err)
		}
		defer syscall.PtraceDetach(id)
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(id, &status, syscall.WALL, nil); err != nil {
			t.Fatal(err)
		}
		var regs syscall.PtraceRegs
		if err := syscall.PtraceGetRegs(id, &regs); err != nil {
			t.Fatal(err)
		}
		var desc bytes.Buffer
		desc.Write(make([]byte, 32))
		other, _ := strconv.Atoi(tasks[(i+1)%len(tasks)].Name())
		binary.Write(&desc, binary.LittleEndian, uint32(other))
		desc.Write(make([]byte, 112-desc.Len()))
		binary.Write(&desc, binary.LittleEndian, &regs)
		desc.Write(make([]byte, 8))
		addNote(&notes, noteThread, desc.Bytes())
	}
	writeMemory(t, name, pid, &notes)
}

// kernelCore returns the core file that the kernel has written for a process
// that ended in dir, or "".
func kernelCore(dir string) string {
	names, _ := filepath.Glob(filepath.Join(dir, "core*"))
	for _, name := range names {
		if filepath.Ext(name) != ".graph" {
			return name
		}
	}
	return ""
}

// raiseCoreLimit lets children write core files.
func raiseCoreLimit(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil {
		t.Fatal(err)
	}
	old := limit
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &limit); err != nil {
		t.Skipf("cannot raise the limit of core files: %v", err)
	}
	t.Cleanup(func() { syscall.Setrlimit(syscall.RLIMIT_CORE, &old) })
}

// writeFile writes the graph of a core file to a file.
func writeFile(t testing.TB, name, exe, core string) Stats {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stats, err := Write(f, exe, core, true)
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

// ownPlace reports whether a path may be in only one of the two graphs. Such a
// path leads to an object or a reference that depends on how or when the graph
// was made, or that belongs to the runtime. The goroutines that record and write
// the process's graph begin in runtime/pprof, and end before the core is made.
func ownPlace(path string) bool {
	for _, place := range []string{"main.write", " > (stack) > runtime/pprof.", " > (write barrier)", " > (allocated during GC)", " > runtime.", "(timer) runtime.", " > compress/flate.", ".(registers)", " > (stack) > runtime.gcBgMarkStartWorkers"} {
		if strings.Contains(path, place) {
			return true
		}
	}
	return false
}

// checkShapes checks that the graphs have the same objects, sizes, types and
// references, apart from ownPlace. A few objects may have another path.
func checkShapes(t *testing.T, process, core *graph) {
	const least = 6000
	if n := len(core.objects); n < least {
		t.Errorf("the core has %d objects", n)
	}
	same, other := 0, 0
	for addr, p := range process.objects {
		c, ok := core.objects[addr]
		switch {
		case ownPlace(p.path):
		case !ok:
			t.Errorf("object %#x of type %q is not in the core: %s", addr, p.typ, p.path)
		case c.size != p.size:
			t.Errorf("object %#x has %d words in the process and %d in the core: %s", addr, p.size, c.size, p.path)
		case c.typ != p.typ && p.size != 2: // tiny objects in one block may be counted with either's type
			t.Errorf("object %#x has type %q in the process and %q in the core: %s AND %s", addr, p.typ, c.typ, p.path, c.path)
		case c.hull != p.hull:
			t.Errorf("object %#x has hull %v in the process and %v in the core: %s", addr, p.hull, c.hull, p.path)
		case c.path != p.path:
			other++
		default:
			same++
		}
	}
	if other > same/50 {
		t.Errorf("%d objects have another path, and %d the same", other, same)
	}
	for addr, c := range core.objects {
		if _, ok := process.objects[addr]; !ok && !ownPlace(c.path) {
			t.Errorf("object %#x of type %q is not in the process: %s", addr, c.typ, c.path)
		}
	}
	if p, c := process.goroutines(), core.goroutines(); !maps.Equal(p, c) {
		t.Errorf("goroutines are %v in the process, and %v in the core", p, c)
	}
	checkRefs(t, "process", process, core)
	checkRefs(t, "core", core, process)
	checkSums(t, process, core)
	checkInferred(t, "process", process)
	checkInferred(t, "core", core)
}

// checkInferred checks the objects of buildOpaque: impostors are taken for
// entries, but not what they lead to for nodes.
func checkInferred(t *testing.T, name string, g *graph) {
	entries, pairs, nodes, unknown := 0, 0, 0, 0
	for _, o := range g.objects {
		if strings.HasPrefix(o.typ, "main.entry ") {
			entries++
		}
		if strings.Contains(o.typ, ".pair[") && strings.Contains(o.path, "main.mixed") {
			pairs++
		}
		if strings.HasSuffix(o.path, "main.entry.to *node") {
			if strings.HasPrefix(o.typ, "main.node ") {
				nodes++
			} else if strings.HasPrefix(o.typ, " ") {
				unknown++
			}
		}
	}
	if entries != 500 || pairs != 0 || nodes != 400 || unknown != 100 {
		t.Errorf("%s: %d objects are entries, %d in main.mixed are pairs, %d are nodes and %d unknown below entries, want 500, 0, 400 and 100",
			name, entries, pairs, nodes, unknown)
	}
}

// checkSums checks that paths with the same objects have the same sums.
func checkSums(t *testing.T, process, core *graph) {
	const least = 200
	p, c, compared := process.pathObjects(), core.pathObjects(), 0
	for path, objects := range p {
		if ownPlace(path) || c[path] != objects {
			continue
		}
		if compared++; process.sums[path] != core.sums[path] {
			t.Errorf("sums are %+v in the process and %+v in the core: %s", process.sums[path], core.sums[path], path)
		}
	}
	if compared < least {
		t.Errorf("only %d paths of %d have the same objects", compared, len(p))
	}
	for _, name := range []string{"main.cut", "main.resliced", "main.elem"} {
		if unused := process.unused(name); unused < 10<<10 {
			t.Errorf("%d bytes are unused at %s", unused, name)
		}
	}
	for name, want := range map[string][2]uint64{
		"main.partByte":  {1000, 4001},
		"main.partInt":   {0, 1001 * 8},
		"main.partField": {8 + 3*64, 8 + 50*64 + 24},
		"main.partAlone": {800, 808},
		"main.partRaw":   {0, 4096},
	} {
		if h := core.hullOf(name); h != want {
			t.Errorf("references to the object of %s refer to %v, want %v", name, h, want)
		}
	}
	for name, want := range map[string]uint64{
		"main.partByte":  4096 - (4001 - 1000),
		"main.partInt":   32768 - 1001*8,
		"main.partField": 6528 - (50*64 + 24 - 3*64),
		"main.partAlone": 8192 - 8,
		"main.partRaw":   0,
	} {
		if p, c := process.unused(name), core.unused(name); p != want || c != want {
			t.Errorf("%d bytes are unused in the process and %d in the core, want %d: %s", p, c, want, name)
		}
	}
}

// hullOf returns the first and the last offset of the hull of the only object
// whose path has a name and that has a hull.
func (g *graph) hullOf(name string) (h [2]uint64) {
	for _, o := range g.objects {
		if strings.Contains(o.path, name) && o.hull.Object != 0 {
			h = [2]uint64{o.hull.First, o.hull.End}
		}
	}
	return h
}

// unused returns the unused bytes of paths that have a name.
func (g *graph) unused(name string) (bytes uint64) {
	for path, sum := range g.sums {
		if strings.Contains(path, name) {
			bytes += sum.Unused
		}
	}
	return bytes
}

// pathObjects returns the number of the objects of each path, and the sum of
// their addresses.
func (g *graph) pathObjects() map[string][2]uint64 {
	m := make(map[string][2]uint64)
	for addr, o := range g.objects {
		sum := m[o.path]
		m[o.path] = [2]uint64{sum[0] + 1, sum[1] + addr}
	}
	return m
}

// goroutines returns the functions with which goroutines began that refer to
// objects, with their creators, apart from ownPlace.
func (g *graph) goroutines() map[string]bool {
	m := make(map[string]bool)
	for r := range g.roots {
		if strings.HasPrefix(r.root, "goroutine ") && !ownPlace(r.path) {
			m[r.root] = true
		}
	}
	return m
}

// checkRefs checks that b has the references of a.
func checkRefs(t *testing.T, name string, a, b *graph) {
	for r := range a.refs {
		if !b.refs[r] && !ownPlace(a.objects[r.Value].path) && !ownPlace(b.objects[r.Value].path) {
			t.Errorf("only the %s has the reference %#x to %#x: %s", name, r.Addr, r.Value, a.objects[r.Value].path)
		}
	}
	for r := range a.roots {
		if !b.roots[r] && !ownPlace(r.path) && !ownPlace(a.objects[r.target].path) {
			t.Errorf("only the %s has the reference of root %s to %#x: %s", name, r.root, r.target, r.path)
		}
	}
}
