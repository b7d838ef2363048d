// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build cgo && linux && (amd64 || arm64) && !race && !msan && !asan

// These tests run the program testdata/blocks, which knows what it allocated,
// and compare its profile with that.

package mallocprofile_test

import (
	"bytes"
	"fmt"
	"internal/profile"
	"internal/testenv"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	_ "runtime/cgo/mallocprofile"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// build builds the program in a folder of testdata.
func build(t *testing.T, folder string, args ...string) string {
	testenv.MustHaveGoBuild(t)
	testenv.MustHaveCGO(t)
	exe := filepath.Join(t.TempDir(), folder)
	cmd := testenv.Command(t, testenv.GoToolPath(t), append(append([]string{"build", "-o", exe}, args...), ".")...)
	cmd.Dir = filepath.Join("testdata", folder)
	run(t, cmd)
	return exe
}

// blocks returns the program in testdata/blocks, which is built once for all
// tests.
func blocks(t *testing.T) string {
	t.Helper()
	testenv.MustHaveGoBuild(t)
	testenv.MustHaveCGO(t)
	exe, err := buildBlocks()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

var sharedDir string // removed after all tests

var buildBlocks = sync.OnceValues(func() (exe string, err error) {
	goTool, err := testenv.GoTool()
	if err != nil {
		return "", err
	}
	exe = filepath.Join(sharedDir, "blocks")
	cmd := exec.Command(goTool, "build", "-o", exe, ".")
	cmd.Dir = filepath.Join("testdata", "blocks")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %v\n%s", cmd, err, out)
	}
	return exe, nil
})

func TestMain(m *testing.M) {
	var err error
	if sharedDir, err = os.MkdirTemp("", "mallocprofile"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(sharedDir)
	os.Exit(code)
}

// compile compiles a C file of testdata/library.
func compile(t *testing.T, name string, args ...string) string {
	file := filepath.Join(t.TempDir(), name)
	cc := strings.Fields(string(run(t, testenv.Command(t, testenv.GoToolPath(t), "env", "CC"))))
	args = append([]string{"-O1", "-o", file, filepath.Join("testdata", "library", name+".c")}, args...)
	run(t, testenv.Command(t, cc[0], append(cc[1:], args...)...))
	return file
}

// compileSampled compiles a C file of testdata/library with those of this
// package, of which C's code does not need Go.
func compileSampled(t *testing.T, name string, args ...string) string {
	files, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	flags := run(t, testenv.Command(t, testenv.GoToolPath(t), "list", "-f", `{{join .CgoCFLAGS "\n"}}`, "runtime/cgo/mallocprofile"))
	args = append(append(args, files...), "-fPIC", "-ldl", "-lpthread")
	return compile(t, name, append(strings.Fields(string(flags)), args...)...)
}

func run(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd, err, out, stderr.Bytes())
	}
	return out
}

// profileOf runs the program and returns what it printed, and its profile.
func profileOf(t *testing.T, exe, env string, ways ...string) (string, *profile.Profile) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "profile")
	cmd := testenv.Command(t, exe, append([]string{file}, ways...)...)
	cmd.Env = append(os.Environ(), strings.Fields(env)...)
	out := run(t, cmd)
	return string(out), readProfile(t, file)
}

func readProfile(t *testing.T, file string) *profile.Profile {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stack returns the functions of a sample, root first, and its labels.
func stack(s *profile.Sample) (names []string) {
	for key, values := range s.Label {
		names = append(names, key+"="+values[0])
	}
	for _, l := range slices.Backward(s.Location) {
		for _, line := range slices.Backward(l.Line) {
			names = append(names, line.Function.Name)
		}
	}
	return names
}

// labels returns the values of the label request.
func labels(p *profile.Profile) map[string]bool {
	values := make(map[string]bool)
	for _, s := range p.Sample {
		for _, v := range s.Label["request"] {
			values[v] = true
		}
	}
	return values
}

// sum returns the values of the samples that have one of the names.
func sum(p *profile.Profile, names ...string) (values [4]int64) {
	for _, s := range p.Sample {
		if slices.ContainsFunc(stack(s), func(f string) bool { return slices.Contains(names, f) }) {
			for i, v := range s.Value {
				values[i] += v
			}
		}
	}
	return values
}

func TestExact(t *testing.T) {
	exe := blocks(t)
	lib := compile(t, "library", "-shared", "-fPIC")
	const each = "GODEBUG=memprofilerate=1"
	for _, test := range []struct {
		name, env string
		ways      []string
		first     string // the stack's first function
	}{
		{"C", each, []string{"c"}, "runtime.main"},
		{"C++", each, []string{"c++"}, "runtime.main"},
		{"Thread", each, []string{"thread"}, "runtime/cgo/mallocprofile._CThread"},
		{"Register", each, []string{"register"}, "runtime.main"},
		{"Depths", each, []string{"depths"}, "runtime.main"},
		{"BeforeMain", each, []string{"early"}, "runtime/cgo/mallocprofile._BeforeGo"},
		{"Exit", each, []string{"exit"}, "runtime/cgo/mallocprofile._Runtime"},
		{"Callback", each, []string{"callback"}, "runtime.main"},
		{"ThreadCallback", each, []string{"threadcallback"}, ""},
		{"Labels", each + ",memprofilelabels=1", []string{"labels"}, "request=a\x00b"},
		{"ManyLabels", each + ",memprofilelabels=1", []string{"manylabels"}, ""},
		{"RateSet", "GODEBUG=", []string{"rate"}, "runtime.main"},
		{"Deep", each, []string{"deep"}, "main.goDeep"},
		{"Library", each, []string{lib}, "runtime.main"},
		{"Churn", each, []string{"churn"}, ""},
		{"ChurnSampled", "GODEBUG=memprofilerate=4096", []string{"fork"}, ""},
		{"Fork", each, []string{"fork"}, ""},
		{"Preload", each + " LD_PRELOAD=" + compile(t, "preload", "-shared", "-fPIC"), []string{"c", "preloaded"}, "runtime.main"},
		{"PreloadSystem", each + " LD_PRELOAD=" + compile(t, "system", "-shared", "-fPIC"), []string{"c"}, "runtime.main"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, p := profileOf(t, exe, test.env, test.ways...)
			for line := range strings.Lines(out) {
				var names string
				var want [4]int64
				if _, err := fmt.Sscan(line, &names, &want[0], &want[1], &want[2], &want[3]); err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				got := sum(p, strings.Split(names, "|")...)
				if want[0] < 0 {
					got[0], got[1] = want[0], want[1]
				}
				if got != want {
					t.Errorf("%s: got %v, want %v", names, got, want)
				}
				for _, s := range p.Sample {
					if frames := stack(s); test.first != "" && slices.Contains(frames, names) && frames[0] != test.first {
						t.Errorf("stack is %v, want first %s", frames, test.first)
					}
				}
			}
			if labelled := labels(p); len(labelled) > 16<<10 {
				t.Errorf("%d labels", len(labelled))
			}
			for _, s := range p.Sample {
				if s.Value[2] < 0 || s.Value[3] < 0 || s.Value[2] > s.Value[0] || s.Value[3] > s.Value[1] {
					t.Errorf("%v: values %v", stack(s), s.Value)
				}
			}
			for _, none := range []string{"runtime/cgo/mallocprofile._Lost", "[unknown]"} {
				if got := sum(p, none); got != [4]int64{} {
					t.Errorf("%s: %v", none, got)
				}
			}
		})
	}
}

// TestFilesChange has other files with code at the time of the profile than when
// the code was loaded.
func TestFilesChange(t *testing.T) {
	program, err := os.ReadFile(blocks(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"remove", "replace"} {
		exe := filepath.Join(t.TempDir(), "blocks")
		if err := os.WriteFile(exe, program, 0o777); err != nil {
			t.Fatal(err)
		}
		lib := compile(t, "library", "-shared", "-fPIC")
		other := compile(t, "library", "-shared", "-fPIC", "-DlibraryAllocate=other")
		for _, file := range []string{exe, lib} {
			if err := os.Link(other, file+".new"); err != nil {
				t.Fatal(err)
			}
		}
		_, p := profileOf(t, exe, "GODEBUG=memprofilerate=1", "c", lib, way)
		if own, its := sum(p, "ofC"), sum(p, "[library]"); own[0] == 0 || its[0] != 100 {
			t.Errorf("%s: got %v of the program and %v of the library", way, own, its)
		}
	}
}

// TestLost has no memory for most of the blocks. They must be lost, and not in
// use.
func TestLost(t *testing.T) {
	out, p := profileOf(t, blocks(t), "GODEBUG=memprofilerate=1 BLOCKS_WITHOUT_MEMORY=1", "lost")
	var name string
	var want [4]int64
	if _, err := fmt.Sscan(out, &name, &want[0], &want[1], &want[2], &want[3]); err != nil {
		t.Fatal(err)
	}
	got, lost := sum(p, name), sum(p, "runtime/cgo/mallocprofile._Lost")
	if want[0] == 0 {
		t.Skip("the C library has another heap, or the system no limit")
	}
	if got[0]+lost[0] != want[0] || got[1]+lost[1] != want[1] || lost[0] < want[0]/2 || lost[2] != 0 || lost[3] != 0 || got[2] > want[2] || got[3] > want[3] {
		t.Errorf("got %v and %v lost, want %v, most of them lost", got, lost, want)
	}
}

// TestLimits has room again after there was no memory, and then full tables.
func TestLimits(t *testing.T) {
	cmd := testenv.Command(t, compileSampled(t, "limits", "-DCHUNKS=2", "-DMAX_BYTES=0x100000"))
	cmd.Env = append(os.Environ(), "GODEBUG=memprofilerate=1")
	out := string(run(t, cmd))
	if out == "" {
		t.Skip("the C library has another heap, or the system no limit")
	}
	var without, with, full int
	if _, err := fmt.Sscanf(out, "without %d\nwith %d\nfull %d\n", &without, &with, &full); err != nil || without == 0 || with != 0 || full == 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestEstimate compares estimates for a million blocks with the C library's
// own count. This includes 8 bytes of each block that the program cannot use,
// which are 1%. At one sample for each 4 KiB, the standard deviation is less than
// 0.5%.
func TestEstimate(t *testing.T) {
	out, p := profileOf(t, blocks(t), "GODEBUG=memprofilerate=4096", "mixed")
	var name string
	var want [4]int64
	if _, err := fmt.Sscan(out, &name, &want[0], &want[1], &want[2], &want[3]); err != nil {
		t.Fatal(err)
	}
	got := sum(p, name)
	t.Logf("inuse_space %d, mallinfo2 %d: %+.2f%%", got[3], want[3], 100*float64(got[3]-want[3])/float64(want[3]))
	if want[3] == 0 || max(got[3], want[3])-min(got[3], want[3]) > want[3]/20 {
		t.Errorf("inuse_space is %d, want %d within 5%%", got[3], want[3])
	}
	if objects := int64(500_000); max(got[2], objects)-min(got[2], objects) > objects/20 {
		t.Errorf("inuse_objects is %d, want %d within 5%%", got[2], objects)
	}
}

// TestHugePages has heaps of malloc whose largest size is another one.
func TestHugePages(t *testing.T) {
	cmd := testenv.Command(t, blocks(t), filepath.Join(t.TempDir(), "profile"), "space")
	cmd.Env = append(os.Environ(), "GLIBC_TUNABLES=glibc.malloc.hugetlb=2")
	run(t, cmd)
}

// TestSpace compares what malloc has mapped with the C library's own count, for
// each function and in all.
func TestSpace(t *testing.T) {
	exe := blocks(t)
	for _, env := range []string{"GODEBUG=", "GODEBUG=memprofilerate=1"} {
		file := filepath.Join(t.TempDir(), "profile")
		cmd := testenv.Command(t, exe, file, "space")
		cmd.Env = append(os.Environ(), env)
		lines := make(map[string][]int64)
		for line := range strings.Lines(string(run(t, cmd))) {
			fields := strings.Fields(line)
			for _, f := range fields[1:] {
				n, err := strconv.ParseInt(f, 10, 64)
				if err != nil {
					t.Fatal(line)
				}
				lines[fields[0]] = append(lines[fields[0]], n)
			}
		}
		if lines["growth"][0] == 0 {
			t.Skip("the C library does not tell")
		}
		p := readProfile(t, file+".growth")
		// Heaps are looked at each 128 KiB, and grow by as much. Each thread of
		// Go's may make one.
		for name, late := range map[string]int64{"main.goMap": 0, "main.goRemap": 0, "main.goUnmap": 0, "main.goBreak": 300 << 10, "manyBlocks": 3 << 20} {
			if got, want := mapped(p, name), lines[name][0]; got > want || got < want-late {
				t.Errorf("%s: %s mapped %d, want %d, or at most %d less", env, name, got, want, late)
			}
		}
		if got, from, to := mapped(p, "kind=malloc"), lines["growth"][0], lines["growth"][1]; got < from || got > to {
			t.Errorf("%s: malloc mapped %d, want %d to %d", env, got, from, to)
		}
		text, err := os.ReadFile(file + ".growthtext")
		if err != nil || !bytes.Contains(text, []byte("\n# total: kind=malloc mapped_space=")) || !bytes.Contains(text, []byte("\n#\tmapLarge\t")) {
			t.Errorf("%v\n%s", err, text)
		}

		// Go's smaller structures count as present, and may not be.
		const absent = 1 << 20
		const class = "Not Go's memory > C heap > large blocks of malloc"
		touched := lines["touched"][0]
		p = readProfile(t, file+".memory")
		i := slices.IndexFunc(p.Sample, func(s *profile.Sample) bool { return strings.Join(stack(s), " > ") == class })
		if i < 0 || p.Sample[i].Value[1] > touched || p.Sample[i].Value[1] < touched-absent {
			t.Errorf("%s: %s: sample %d, want %d bytes", env, class, i, touched)
		}
		text, err = os.ReadFile(file + ".memorytext")
		_, after, _ := strings.Cut(string(text), "# "+class+" = ")
		var n int64
		if _, scan := fmt.Sscan(after, &n); err != nil || scan != nil || n > touched || n < touched-absent {
			t.Errorf("%v: %s: text has %d, want %d\n%s", err, class, n, touched, text)
		}
	}
}

// mapped returns what the functions or labels have mapped and not unmapped.
func mapped(p *profile.Profile, names ...string) int64 {
	types := make(map[string]int)
	for i, t := range p.SampleType {
		types[t.Type] = i
	}
	var sum int64
	for _, s := range p.Sample {
		if slices.ContainsFunc(stack(s), func(f string) bool { return slices.Contains(names, f) }) {
			sum += s.Value[types["mapped_space"]] - s.Value[types["unmapped_space"]]
		}
	}
	return sum
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		args    []string
		message string
	}{
		{[]string{"-race"}, "not available with -race, -msan and -asan"},
		{[]string{"-ldflags=-linkmode=external -extldflags=-static"}, "not available in a statically linked program"},
	} {
		t.Run(test.args[0], func(t *testing.T) {
			out, err := testenv.Command(t, build(t, "minimal", test.args...)).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "runtime/cgo/mallocprofile: "+test.message) {
				t.Errorf("%v: got %v\n%s", test.args, err, out)
			}
		})
	}
}

// TestMusl runs a program that is linked with another C library.
func TestMusl(t *testing.T) {
	cc, err := exec.LookPath("musl-gcc")
	if err != nil {
		t.Skip("no musl-gcc")
	}
	t.Setenv("CC", cc)
	exe := build(t, "minimal", "-ldflags=-linkmode=external")
	cmd := testenv.Command(t, exe)
	libc := strings.TrimSpace(string(run(t, testenv.Command(t, cc, "-print-file-name=libc.so"))))
	cmd.Env = append(os.Environ(), "GODEBUG=memprofilerate=1", "LD_LIBRARY_PATH="+filepath.Dir(libc))
	if out := run(t, cmd); !bytes.Contains(out, []byte("one sample per 1 bytes")) || !bytes.Contains(out, []byte("x_cgo_thread_start")) {
		t.Errorf("got %s", out)
	}

	// Its functions call one another. The standard deviation is 2%.
	cmd = testenv.Command(t, exe, "blocks")
	cmd.Env = append(os.Environ(), "GODEBUG=memprofilerate=4096", "LD_LIBRARY_PATH="+filepath.Dir(libc))
	out := string(run(t, cmd))
	for _, function := range []string{"main._Cfunc_viaCalloc", "main._Cfunc_viaMemalign", "main._Cfunc_viaPosix"} {
		var objects int
		for sample := range strings.SplitSeq(out, "\n\n") {
			if n, _, _ := strings.Cut(sample, ":"); strings.Contains(sample, function+"\t") {
				n, _ := strconv.Atoi(n)
				objects += n
			}
		}
		if objects < 80_000 || objects > 120_000 {
			t.Errorf("%s: %d objects, want 100,000 within 20%%", function, objects)
		}
	}
}

// TestStacks samples on small stacks.
func TestStacks(t *testing.T) {
	out := run(t, testenv.Command(t, compileSampled(t, "stacks"), "5000"))
	if n, err := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || n < 4 {
		t.Errorf("%v: got %s samples, want at least 4", err, out)
	}
}

// TestInstructions compares the instructions of malloc and free with and without
// the functions of this package.
func TestInstructions(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("no valgrind")
	}
	perPair := func(exe string) (n float64) {
		for pairs, sign := range map[string]float64{"10000": -1, "110000": 1} {
			cmd := testenv.Command(t, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", exe, pairs)
			out, err := cmd.CombinedOutput()
			_, count, ok := strings.Cut(string(out), "Collected : ")
			var instructions float64
			if _, scan := fmt.Sscan(count, &instructions); err != nil || !ok || scan != nil {
				t.Fatalf("%v: %v\n%s", cmd, err, out)
			}
			n += sign * instructions / 100_000
		}
		return n
	}
	without, with := perPair(compile(t, "pairs")), perPair(compileSampled(t, "pairs"))
	t.Logf("instructions of a malloc and free: %.1f, with samples %.1f", without, with)
	if with-without > 20 {
		t.Errorf("%.1f instructions more, want at most 20", with-without)
	}
}

// TestUnimported looks for what a program has only if it imports the package.
func TestUnimported(t *testing.T) {
	for folder, want := range map[string]bool{"minimal": true, "unimported": false} {
		out := run(t, testenv.Command(t, testenv.GoToolPath(t), "tool", "nm", build(t, folder)))
		for _, name := range []string{" mallocprofileGo\n", "runtime.cgoThreadG", "mallocprofile.extendProfile"} {
			if got := bytes.Contains(out, []byte(name)); got != want {
				t.Errorf("%s: has %s: %v, want %v", folder, name, got, want)
			}
		}
	}
}

// TestSanitizers compares the files with -race, which TestRefused runs, with those
// of other sanitizers.
func TestSanitizers(t *testing.T) {
	var files []string
	for _, flag := range []string{"-race", "-asan", "-msan"} {
		out := run(t, testenv.Command(t, testenv.GoToolPath(t), "list", flag, "-f", "{{.GoFiles}} {{.CgoFiles}} {{.CFiles}}", "runtime/cgo/mallocprofile"))
		files = append(files, string(out))
	}
	if want := "[doc.go profile.go proto.go sanitizer.go] [] []\n"; files[0] != want || files[1] != want || files[2] != want {
		t.Errorf("got %q, want %q each", files, want)
	}
}

// TestOpened takes the profile in a Go library that a C program opens, whatever
// allocator the program has.
func TestOpened(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library for libraries")
	}
	lib := build(t, "opened", "-buildmode=c-shared")
	program := compile(t, "open", "-ldl")
	magic := compile(t, "magic", "-shared", "-fPIC", "-fno-builtin")
	source := filepath.Join("testdata", "library", "magic.c")
	linked := compile(t, "open", source, "-fno-builtin", "-ldl")
	const another, sampled = "runtime/cgo/mallocprofile: another malloc", "cmemory profile: "
	for _, test := range []struct{ name, program, preload, want string }{
		{"libc", program, "", another},
		{"preloaded", program, magic, another},
		{"linked", linked, "", another},
		{"direct", compile(t, "direct", lib), "", sampled},
		{"direct, address of malloc", compile(t, "direct", lib, "-no-pie", "-fno-pie"), "", sampled},
		{"direct, own malloc", compile(t, "direct", lib, source, "-fno-builtin"), "", another},
		{"direct, preloaded", compile(t, "direct", lib), magic, another},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := testenv.Command(t, test.program, lib)
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+test.preload)
			out := run(t, cmd)
			if want := "early true\n" + test.want; !strings.HasPrefix(string(out), want) {
				t.Errorf("got %s, want %s", out, want)
			}
		})
	}
}

func TestHandler(t *testing.T) {
	for path, want := range map[string]string{
		"/debug/pprof/":                "cmemory?debug=1",
		"/debug/pprof/cmemory?debug=1": "cmemory profile: ",
	} {
		w := httptest.NewRecorder()
		pprof.Index(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d\n%s", path, w.Code, w.Body)
		}
	}
}
