// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A step is a command of a page, and the lines of output that the page shows below it.
type step struct {
	line    int // of the page
	command string
	output  []string
}

// steps returns the commands of a page: its indented lines that begin with "$ ". An
// indented block without such a line is for the reader alone, and has to open a browser.
func steps(page string) (all []step, err error) {
	var block []string // of one indented block, the lines before the current one
	var commands int   // of the block
	for i, line := range strings.Split(page+"\n", "\n") {
		text, indented := strings.CutPrefix(line, "\t")
		if !indented {
			if len(block) > 0 && commands == 0 && slices.ContainsFunc(block, func(s string) bool { return !strings.Contains(s, "-http=") }) {
				return nil, fmt.Errorf("line %d: the block above neither has a command nor opens a browser", i+1)
			}
			block, commands = nil, 0
			continue
		}
		block = append(block, text)
		if command, ok := strings.CutPrefix(text, "$ "); ok {
			if strings.Contains(command, "-http=") {
				return nil, fmt.Errorf("line %d: a command that is run opens a browser", i+1)
			}
			commands++
			all = append(all, step{line: i + 1, command: command})
		} else if commands > 0 {
			s := &all[len(all)-1]
			s.output = append(s.output, text)
		}
	}
	return all, nil
}

var (
	moments = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(Z| UTC)?`)
	places  = regexp.MustCompile(`misc/demo/tutorial/\w+\.go:\d+`)
	listing = regexp.MustCompile(`^\s*[.\d]\S*\s+[.\d]\S*\s+(\d+:.*)`) // a line of source in pprof -list
	numbers = regexp.MustCompile(`0x[0-9a-f]+|\d+ (h|min)( \d+ (min|s))?\b|[-+]?\d+(\.\d+)?(e[-+]\d+)?(%| ?[kMG]?B\b| ?[mµn]?s\b)?`)
)

// normal returns a line without what differs between runs: numbers with their units,
// addresses, times, white space, and whether a call is inlined everywhere. Lines of the
// shop's own source stay, and their numbers.
func normal(line string) string {
	if source := listing.FindStringSubmatch(line); source != nil {
		return "N N " + strings.Join(strings.Fields(source[1]), " ")
	}
	line = moments.ReplaceAllString(line, "TIME")
	var b strings.Builder
	for line != "" {
		place := places.FindStringIndex(line)
		if place == nil {
			place = []int{len(line), len(line)}
		}
		b.WriteString(numbers.ReplaceAllString(line[:place[0]], "N"))
		b.WriteString(line[place[0]:place[1]])
		line = line[place[1]:]
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(b.String(), " (inline)", "")), " ")
}

// shows reports whether lines of a page are what a command has printed. A line of three
// dots stands for any number of lines, and what pprof prints above a table may be left out.
func shows(page, printed []string) bool {
	if len(page) > 0 && strings.HasPrefix(normal(page[0]), "flat flat%") {
		head := slices.IndexFunc(printed, func(s string) bool { return normal(s) == normal(page[0]) })
		printed = printed[max(head, 0):]
	}
	return matches(page, printed)
}

func matches(page, printed []string) bool {
	for i, want := range page {
		if strings.TrimSpace(want) == "..." {
			for k := range len(printed) - i + 1 {
				if matches(page[i+1:], printed[i+k:]) {
					return true
				}
			}
			return false
		}
		if i >= len(printed) || normal(want) != normal(printed[i]) {
			return false
		}
	}
	return len(printed) == len(page)
}

func TestShows(t *testing.T) {
	table := []string{"File: shop", "      flat  flat%   sum%        cum   cum%", "   32.09MB 66.58% 66.58%    32.09MB 66.58%  main.render", "  1.9e-06B     0% 66.58%  -4kB  0%  main.get"}
	for _, test := range []struct {
		page string
		want bool
	}{
		{"flat flat% sum% cum cum%\n1B 2% 3% 4B 5% main.render\n1B 2% 3% 4B 5% main.get", true},
		{"flat flat% sum% cum cum%\n1B 2% 3% 4B 5% main.get\n1B 2% 3% 4B 5% main.render", false},
		{"flat flat% sum% cum cum%\n1B 2% 3% 4B 5% main.render", false},
		{"flat flat% sum% cum cum%\n1B 2% 3% 4B 5% main.render\n...", true},
		{"flat flat% sum% cum cum%\n...\n1B 2% 3% 4B 5% main.get", true},
		{"...\n1B 2% 3% 4B 5% main.get\n...", true},
		{"...", true},
		{"File: shop\n...\n...\nFile: shop", false},
		{"File: tutorial\n...", false},
	} {
		if got := shows(strings.Split(test.page, "\n"), table); got != test.want {
			t.Errorf("shows(%q) = %v", test.page, got)
		}
	}
	if shows(nil, table) {
		t.Error("nothing shows a table")
	}
	if a, b := normal("# a at 0x12ab\tgorefs/misc/demo/tutorial/shop.go:12"), normal("# a at 0xff gorefs/misc/demo/tutorial/shop.go:13"); a == b {
		t.Errorf("lines of the shop do not count: %q", a)
	}
	if a, b := normal("   .  893.75kB    123:\t\t<-ctx.Done()"), normal(" 818.75kB  1MB  123:\t\t<-ctx.Done()"); a != b {
		t.Errorf("samples of a line count: %q, %q", a, b)
	}
	if a, b := normal("its peak, 58 s before the watch"), normal("its peak, 1 min 3 s before the watch"); a != b {
		t.Errorf("a longer time counts: %q, %q", a, b)
	}
	if a, b := normal("   .   1MB   123:\t\t<-ctx.Done()"), normal("  .   1MB   124:\t\t<-ctx.Done()"); a == b {
		t.Errorf("the line of a listing does not count: %q", a)
	}
}

// TestPage runs the commands of doc/tutorial.md up to the section Reading
// pictures, one after another in one shell. It compares what they print with
// what the page shows. The toolchain is the one in goroot/, or in the folder
// that the variable TUTORIAL_GOROOT names.
func TestPage(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	goroot := os.Getenv("TUTORIAL_GOROOT")
	if goroot == "" {
		goroot = filepath.Join(root, "goroot")
	}
	if _, err := os.Stat(filepath.Join(goroot, "pkg", "built")); err != nil {
		t.Skipf("the toolchain in %s is not built: run ./make.bash, or set TUTORIAL_GOROOT", goroot)
	}
	if runtime.GOOS != "linux" {
		t.Skip("the page shows Linux")
	}
	page, err := os.ReadFile(filepath.Join(root, "doc", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	story, _, ok := strings.Cut(string(page), "\n## Reading pictures\n")
	if !ok {
		t.Error("doc/tutorial.md has no section Reading pictures, where its commands end")
	}
	all, err := steps(story)
	if err != nil {
		t.Fatal("doc/tutorial.md: ", err)
	}
	if len(all) == 0 {
		t.Fatal("doc/tutorial.md has no commands")
	}
	dir := t.TempDir()
	address := freeAddress(t)
	here := strings.NewReplacer("$PWD/goroot", goroot, "/tmp/shop", dir, "localhost:6060", address)
	there := strings.NewReplacer(goroot, "gorefs/goroot", root, "gorefs", dir, "/tmp/shop", address, "localhost:6060")
	sh := newShell(t, root)
	for _, tool := range []string{"memreport", "pprof", "heapgraph"} { // builds them
		exec.Command(filepath.Join(goroot, "bin", "go"), "tool", tool, "-h").Run()
	}
	run := func(s step) (printed []string, err error) {
		printed, err = sh.run(here.Replace(s.command))
		for i := range printed {
			printed[i] = there.Replace(printed[i])
		}
		return printed, err
	}
	for _, s := range all {
		printed, err := run(s)
		if err != nil {
			if strings.Contains(s.command, "faults") && faultsRefused(address) {
				t.Logf("doc/tutorial.md:%d: left out: this system does not let a program count its page faults", s.line)
				continue
			}
			t.Fatalf("doc/tutorial.md:%d: $ %s\n%v", s.line, s.command, err)
		}
		for range 2 { // the load may have been late, or a request of it in flight
			if shows(s.output, printed) || !strings.Contains(s.command, "http://") {
				break
			}
			t.Logf("doc/tutorial.md:%d: once more, because it printed\n%s", s.line, strings.Join(printed, "\n"))
			os.RemoveAll(filepath.Join(dir, "report"))
			if printed, err = run(s); err != nil {
				t.Fatalf("doc/tutorial.md:%d: $ %s\n%v", s.line, s.command, err)
			}
		}
		if testing.Verbose() {
			t.Logf("$ %s\n%s", s.command, strings.Join(printed, "\n"))
		}
		if !shows(s.output, printed) {
			t.Errorf("doc/tutorial.md:%d: $ %s\nthe page shows\n%s\nand it prints\n%s", s.line, s.command, strings.Join(s.output, "\n"), strings.Join(printed, "\n"))
		}
	}
}

// faultsRefused reports whether the shop answers that it cannot count page faults.
func faultsRefused(address string) bool {
	c := client{address: address}
	r, err := c.Get("http://" + address + "/debug/pprof/faults?seconds=1")
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return r.StatusCode >= 400
}

// freeAddress returns an address on loopback that nobody listens on. By default,
// the system gives ports of this range to nobody who asks for any port.
func freeAddress(t *testing.T) string {
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 20000+rand.IntN(10000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// A shell runs one command after the other.
type shell struct {
	stdin  io.Writer
	stdout *bufio.Reader
	errors string // file of what commands write to standard error
}

// newShell starts a shell, which ends with the test together with all that it started.
func newShell(t *testing.T, dir string) *shell {
	sh := &shell{errors: filepath.Join(t.TempDir(), "errors")}
	cmd := exec.Command("bash")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOROOT=", "GODEBUG=", "GOGC=", "GOMEMLIMIT=", "PPROF_TMPDIR="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if at, ok := t.Deadline(); ok {
		watchdog := time.AfterFunc(time.Until(at)-time.Minute, end)
		t.Cleanup(func() { watchdog.Stop() })
	}
	t.Cleanup(func() {
		end()
		cmd.Wait()
	})
	sh.stdin, sh.stdout = stdin, bufio.NewReader(stdout)
	return sh
}

// run runs a command and returns the lines that it prints. A command that fails is an error.
func (sh *shell) run(command string) (printed []string, err error) {
	const mark = "the command is done: "
	fmt.Fprintf(sh.stdin, "{ %s\n} 2>%s </dev/null\necho \"%s$?\"\n", command, sh.errors, mark)
	for {
		line, err := sh.stdout.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("the shell has ended: %v", err)
		}
		line = strings.TrimSuffix(line, "\n")
		if status, ok := strings.CutPrefix(line, mark); ok {
			if status != "0" {
				message, _ := os.ReadFile(sh.errors)
				return nil, fmt.Errorf("exit status %s\n%s%s", status, strings.Join(printed, "\n"), message)
			}
			return printed, nil
		}
		printed = append(printed, line)
	}
}
