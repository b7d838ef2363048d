// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"internal/testenv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
)

// builtDir is the folder of the executables that tests build once. TestMain
// removes it.
var builtDir string

var (
	serverBuilt = onceBuilt("server", filepath.Join("testdata", "server"), ".")
	pprofBuilt  = onceBuilt("pprof", ".", "cmd/pprof")
)

// onceBuilt returns a function that builds a package in dir once, and returns
// the executable.
func onceBuilt(name, dir, pkg string) func() (exe string, err error) {
	return sync.OnceValues(func() (string, error) {
		exe := filepath.Join(builtDir, name+".exe")
		goTool, err := testenv.GoTool()
		if err != nil {
			return "", err
		}
		build := exec.Command(goTool, "build", "-o", exe, pkg)
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v\n%s", err, out)
		}
		return exe, nil
	})
}

// buildServer returns the executable of the program of testdata.
func buildServer(t *testing.T) string {
	t.Helper()
	return executable(t, serverBuilt)
}

// executable returns what a function of onceBuilt builds.
func executable(t *testing.T, built func() (string, error)) string {
	t.Helper()
	testenv.MustHaveGoBuild(t)
	exe, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// startServer starts the program in a mode. It ends with the test. startServer
// returns its address.
func startServer(t *testing.T, exe, mode string, env ...string) string {
	t.Helper()
	server := exec.Command(exe, mode)
	server.Env = append(os.Environ(), env...)
	return startCommand(t, server)
}

// startCommand starts a command that runs the program.
func startCommand(t *testing.T, server *exec.Cmd) string {
	t.Helper()
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// leaks reports whether servers have the profile goroutineleak, which is an
// experiment in Go 1.26.
var leaks = pprof.Lookup("goroutineleak") != nil

// watchServer returns the folder and the text of a report.
func watchServer(t *testing.T, address string) (dir, text string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "incident")
	status, text, stderr := invoke("-seconds=0.1", "-limit=1GB", "-o", dir, address)
	if status != 0 || strings.Contains(text, "not seen") == (leaks && runtime.GOOS == "linux") {
		t.Fatalf("status %d, %s\n%s", status, stderr, text)
	}
	_, again, stderr := invoke(dir)
	if again != text || stderr != "" {
		t.Errorf("the folder gives another report:\n%s\nand not\n%s%s", again, text, stderr)
	}
	return dir, text
}

// TestServers watches servers with one fault each, and servers that nearly have
// it.
func TestServers(t *testing.T) {
	exe := buildServer(t)
	for _, test := range []struct {
		mode string
		want []string
	}{
		{"rest", nil},
		{"stacks", []string{"stacks main.deep"}},
		{"shallow", nil},
		{"blocked", []string{"goroutines-blocked main.put"}},
		{"idle", nil},
		{"more", []string{"goroutines-growth main.take"}},
		{"crowd", []string{"goroutines-growth main.take"}},
		{"comes", nil},
		{"closed", nil},
		{"spike", []string{"past-peak main.spike"}},
		{"report", nil},
		{"gogc", []string{"garbage gogc"}},
		{"nogogc", nil},
		{"collected", nil},
		{"replaces", nil},
		{"pairs", []string{"live-growth main.notes"}},
		{"both", []string{"live-growth main.sessions > map[int]*main.session[value]"}},
	} {
		t.Run(test.mode, func(t *testing.T) {
			dir, text := watchServer(t, startServer(t, exe, test.mode))
			if got := signatures(t, dir); !slices.Equal(got, test.want) {
				t.Errorf("findings %q, want %q:\n%s", got, test.want, text)
			}
		})
	}
}

// TestOutside watches servers with a queue that has moved in its array, or to
// another one.
func TestOutside(t *testing.T) {
	exe := buildServer(t)
	for mode, want := range map[string][]string{
		"resliced": {"unused-elements main.queue > []*main.session[outside]"},
		"structs":  {"unused-elements main.queued > main.session.page []uint8 [outside]"},
		"cloned":   nil,
	} {
		dir := filepath.Join(t.TempDir(), "incident")
		status, text, stderr := invoke("-seconds=0.1", "-graph", "-o", dir, startServer(t, exe, mode))
		if status != 0 || strings.Contains(text, "heapgraph:") {
			t.Fatalf("%s: status %d, %s\n%s", mode, status, stderr, text)
		}
		if got := signatures(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: findings %q, want %q:\n%s", mode, got, want, text)
		}
		if code := "allocated by main.enqueue server/modes.go:"; want != nil && !strings.Contains(text, code) {
			t.Errorf("%q is not in\n%s", code, text)
		}
		os.WriteFile(filepath.Join(dir, graphName), []byte("heap"), 0o666)
		if _, text, _ := invoke(dir); !strings.Contains(text, "not seen: heapgraph: ") {
			t.Errorf("a damaged graph is read:\n%s", text)
		}
	}
	wantError(t, "-graph is for a server", "-graph", t.TempDir())
	wantError(t, "none: ", "-graph", filepath.Join(t.TempDir(), "none"))
}

// TestCollecting watches a server that collects all the time. Its heap may have
// grown to a multiple in between, because allocations are faster than marking.
func TestCollecting(t *testing.T) {
	dir, text := watchServer(t, startServer(t, buildServer(t), "collecting", "GOMAXPROCS=2"))
	got := slices.DeleteFunc(signatures(t, dir), func(s string) bool { return s == "past-peak main.collect.func" })
	if want := []string{"collections main.grid"}; !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q:\n%s", got, want, text)
	}
}

// TestBodies watches a server that closes no bodies of responses: one finding
// says so.
func TestBodies(t *testing.T) {
	dir, text := watchServer(t, startServer(t, buildServer(t), "bodies"))
	var r report
	_, out, _ := invoke("-json", dir)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Signature != "goroutines-growth net/http.(*persistConn).readLoop" || !slices.Contains(r.Findings[0].Details, because+placeReasons[0].text) {
		t.Errorf("findings %+v:\n%s", r.Findings, text)
	}
}

// TestRoots watches servers whose memory only the runtime holds, and servers
// that nearly have that fault.
func TestRoots(t *testing.T) {
	exe := buildServer(t)
	for _, test := range []struct {
		mode string
		want []string
		line string
	}{
		{"timers", []string{"live-growth (timer) main.(*file).touch-fm"}, "main.expire server/specials.go:33"},
		{"stopped", nil, ""},
		{"finalizers", []string{"live-growth (finalizer) *main.file > main.file.page []uint8"}, "main.cycle server/specials.go:46"},
		{"finalized", nil, ""},
		{"cycles", []string{"finalizers (finalizer) *main.file"}, "main.cycle server/specials.go:46"},
		{"freed", nil, ""},
		{"pool", []string{"pool main.buffers"}, ""},
		{"busy", nil, ""},
		{"cleanups", []string{"live-growth (cleanup) main.(*file).touch > (argument) **main.file"}, "main.cleanItself server/specials.go:61"},
		{"cleaned", nil, ""},
		{"weak", []string{"class-growth runtime", "live-growth (weak handle)"}, "main.handles server/specials.go:80"},
		{"dropped", nil, ""},
	} {
		t.Run(test.mode, func(t *testing.T) {
			dir, text := watchServer(t, startServer(t, exe, test.mode))
			if got := signatures(t, dir); !slices.Equal(got, test.want) {
				t.Errorf("findings %q, want %q:\n%s", got, test.want, text)
			}
			if line := "allocated by " + test.line; test.line != "" && !strings.Contains(text, line) {
				t.Errorf("%q is not in\n%s", line, text)
			}
		})
	}
}

// signatures returns the sorted signatures of a folder's report, and runs the
// commands of its findings.
func signatures(t *testing.T, dir string) (all []string) {
	t.Helper()
	_, out, _ := invoke("-json", dir)
	var r report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Findings {
		all = append(all, x.Signature)
		runMore(t, x.More)
	}
	slices.Sort(all)
	return all
}

func TestServerThatLeaks(t *testing.T) {
	want := []string{"live-growth main.sessions > map[int]*main.session[value]"}
	if leaks {
		want = slices.Insert(want, 0, "goroutines-leaked main.forget.func")
	}
	if runtime.GOOS == "linux" {
		want = append(want, "mapped-growth main.load")
	}
	dir, text := watchServer(t, startServer(t, buildServer(t), "leak"))
	if got := signatures(t, dir); !slices.Equal(got, want) {
		t.Errorf("findings %q, want %q:\n%s", got, want, text)
	}
	if line := "allocated by main.open server/main.go:31"; !strings.Contains(text, line) {
		t.Errorf("%q is not in\n%s", line, text)
	}
	if status, _, _ := invoke("-fail-if=leaked>9", dir); leaks && status != 1 {
		t.Errorf("status %d, want 1", status)
	}
}

// runMore runs the command of a finding.
func runMore(t *testing.T, command string) {
	t.Helper()
	words := split(command)
	want := "main."
	if strings.Contains(command, "weak handle") {
		want = "(weak handle)"
	}
	switch {
	case words[0] == "go":
		words[0] = testenv.GoToolPath(t)
		if strings.HasPrefix(command, "go tool pprof ") {
			words = append([]string{executable(t, pprofBuilt)}, words[3:]...)
		}
	case words[0] == "grep":
		want = words[1]
		if _, err := exec.LookPath("grep"); err != nil {
			return
		}
	}
	out, err := testenv.Command(t, words[0], words[1:]...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// split splits a command as a shell does.
func split(command string) (words []string) {
	for _, word := range regexp.MustCompile(`('[^']*'|\\'|[^ '\\])+`).FindAllString(command, -1) {
		word = strings.ReplaceAll(word, `'\''`, "\x00")
		words = append(words, strings.ReplaceAll(strings.ReplaceAll(word, "'", ""), "\x00", "'"))
	}
	return words
}
