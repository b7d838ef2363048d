// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// start runs the command with arguments.
func start(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), err.String()
}

// output runs the command and returns its output.
func output(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := start(args...)
	if status != 0 {
		t.Fatalf("%v: status %d, %s", args, status, stderr)
	}
	return stdout
}

// checkLines checks that lines follow each other in text, with nothing between
// them. The numbers of spaces in them are not compared.
func checkLines(t *testing.T, text string, want ...string) {
	t.Helper()
	normal := func(lines []string) string {
		var b strings.Builder
		for _, line := range lines {
			b.WriteString("\n" + strings.Join(strings.Fields(line), " "))
		}
		return b.String() + "\n"
	}
	if !strings.Contains(normal(strings.Split(text, "\n")), normal(want)) {
		t.Errorf("there is no\n%s\nin\n%s", strings.Join(want, "\n"), text)
	}
}

func TestOutput(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	for _, test := range []struct {
		args string
		want []string
	}{
		{"top", []string{
			name + ": example.com/app, go1.27, plan9/mips, 2026-11-24 10:00:00 +0000",
			"141664 live in 204 objects: 100.0% reached from roots, 0.0% only from less certain roots, 0.0% not reached.",
			"The snapshot is not truncated.",
			"",
			"retained shallow",
			"size share objects size share objects type",
			"140480 99.2% 199 32768 23.1% 1 []*app.Session",
			"108800 76.8% 200 6400 4.5% 100 app.Session",
			"102400 72.3% 100 102400 72.3% 100 []uint8",
			"32 0.0% 1 32 0.0% 1 app.Config",
			"16 0.0% 1 16 0.0% 1 (unknown)",
		}},
		{"top -sort=objects -n 1", []string{
			"size share objects size share objects type",
			"108800 76.8% 200 6400 4.5% 100 app.Session",
			"(4 more)",
		}},
		{"top -sort=scan -n 1", []string{"scanned shallow part objects type", "0 32768 0.0% 1 []*app.Session", "(4 more)"}},
		{"top -sort=unused -n 1", []string{"unused shallow part objects type", "0 32768 0.0% 1 []*app.Session", "(4 more)"}},
		{"top -sort=shallow -n 1", []string{"102400 72.3% 100 102400 72.3% 100 []uint8", "(4 more)"}},
		{"top -by=root", []string{
			"retained share objects root",
			"140480 99.2% 199 app.sessions",
			"16 0.0% 1 (write barrier)",
			"0 0.0% 0 goroutine app.serve",
		}},
		{"top -by=package", []string{
			"size share objects size share objects package",
			"141600 100.0% 202 141600 100.0% 202 app",
			"16 0.0% 1 16 0.0% 1 (no package)",
		}},
		{"top -by=path -n=2", []string{
			"140480 99.2% 199 32768 23.1% 1 app.sessions > app.sessions []*Session",
			"108800 76.8% 200 6400 4.5% 100 app.sessions > app.sessions []*Session > []*app.Session[elem]",
			"(3 more)",
		}},
		{"tree", []string{
			"retained share shallow number name",
			"141616 100.0% 0 0 (all roots)",
			"140480 99.2% 0 1 app.sessions",
			"140480 99.2% 32768 1 []*app.Session",
			"107712 76.0% 6336 99 app.Session",
			"101376 71.6% 101376 99 []uint8",
			"1136 0.8% 96 4 (4 smaller)",
		}},
		{"tree -depth=1 -share=0.5", []string{
			"141616 100.0% 0 0 (all roots)",
			"140480 99.2% 0 1 app.sessions",
			"1088 0.8% 64 1 app.Session",
			"48 0.0% 32 3 (3 smaller)",
			"",
		}},
	} {
		args := append(strings.Fields(test.args), "-bytes", name)
		checkLines(t, output(t, args...), test.want...)
	}
}

func TestTruncated(t *testing.T) {
	name := (&server{sessions: 100, meta: map[string]string{"truncated": "references", "dropped": "5"}}).file(t)
	checkLines(t, output(t, "top", name),
		"The snapshot is truncated: 5 references are missing, and retained sizes are upper bounds.")
	name = (&server{sessions: 1, meta: map[string]string{"truncated": "claims", "dropped": "1"}}).file(t)
	checkLines(t, output(t, "tree", name),
		"The snapshot is truncated: 1 reference is missing, first references to objects among them, and retained sizes cannot be relied on.")
}

func TestHeader(t *testing.T) {
	name := (&server{sessions: 100, meta: map[string]string{
		"main.path": "", "time": "", "allocated.bytes": "2048", "allocated.objects": "1",
		"lost.bytes": "64", "lost.objects": "4", "live.bytes": "1"}}).file(t)
	checkLines(t, output(t, "top", name),
		name+": go1.27, plan9/mips",
		"138.34kB live in 204 objects: 100.0% reached from roots, 0.0% only from less certain roots, 0.0% not reached.",
		"2.00kB in 1 object was allocated while the snapshot was taken, and has no type.",
		"64B in 4 objects has the type of an object above it, because its own path could not be recorded.",
		"The snapshot is not truncated.")
}

// TestDamaged checks the error for a file that ends early, at each length, and
// the different error for a file that is damaged.
func TestDamaged(t *testing.T) {
	whole := (&server{sessions: 2}).encode(t)
	name := writeTemp(t, nil)
	for n := range whole {
		if err := os.WriteFile(name, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := start("top", name)
		if status != 1 || stdout != "" || stderr != "heapgraph: "+name+": file is incomplete: it has no END\n" {
			t.Fatalf("%d of %d bytes: status %d\n%s%s", n, len(whole), status, stdout, stderr)
		}
	}
	whole[len(whole)-1]++
	name = writeTemp(t, whole)
	status, _, stderr := start("top", name)
	if status != 1 || !strings.HasPrefix(stderr, "heapgraph: "+name+": section ") {
		t.Errorf("status %d\n%s", status, stderr)
	}
}

func TestErrors(t *testing.T) {
	name := (&server{sessions: 2}).file(t)
	checkErrors(t, name, []errorTest{
		{"", 2, "Heapgraph explains"},
		{"frob", 2, "heapgraph: there is no command \"frob\""},
		{"help frob", 2, "heapgraph: there is no help for \"frob\""},
		{"top", 2, "heapgraph: top takes 1 argument, and not 0: snapshot\nSee “go tool heapgraph help top”.\n"},
		{"top FILE FILE", 2, "heapgraph: top takes 1 argument, and not 2"},
		{"why FILE", 2, "heapgraph: why takes 2 arguments, and not 1: snapshot object"},
		{"top -x FILE", 2, "heapgraph: flag provided but not defined: -x"},
		{"top -by=color FILE", 2, "heapgraph: -by=color is not"},
		{"top FILE -sort=name", 2, "heapgraph: -sort=name is not"},
		{"tree -share=101 FILE", 2, "heapgraph: -depth must"},
		{"tree -depth=-1 FILE", 2, "heapgraph: -depth must"},
		{"why -paths=0 FILE app.Session", 2, "heapgraph: -paths must"},
		{"why FILE 0xg", 2, "heapgraph: 0xg is not an address"},
		{"why FILE (x", 1, "heapgraph: FILE: no object has a type that is or matches (x"},
		{"why FILE 0x10", 0, ""},
		{"why FILE 0x100000", 1, "heapgraph: FILE: no object is at 0x100000"},
		{"object FILE app.Nothing", 1, "heapgraph: FILE: no object has a type that is or matches app.Nothing"},
		{"export hprof FILE", 2, "heapgraph: hprof is not a format"},
		{"export -o=FILE/x pprof FILE", 1, "heapgraph: "},
		{"top FILE.x", 1, "heapgraph: open FILE.x: "},
		{"top -- -x", 1, "heapgraph: open -x: "},
	})
}

// An errorTest is a command, with its exit status and the beginning of its
// standard error. FILE in args and want stands for the name of a file.
type errorTest struct {
	args   string
	status int
	want   string
}

// checkErrors runs commands. name is that of the file.
func checkErrors(t *testing.T, name string, tests []errorTest) {
	t.Helper()
	for _, test := range tests {
		status, _, stderr := start(strings.Fields(strings.ReplaceAll(test.args, "FILE", name))...)
		if want := strings.ReplaceAll(test.want, "FILE", name); status != test.status || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: status %d, %s", test.args, status, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range []string{"help", "-h", "-help", "--help"} {
		text := output(t, args)
		for _, c := range commands() {
			if !strings.Contains(text, "\t"+c.name) {
				t.Errorf("%s: no %s in\n%s", args, c.name, text)
			}
		}
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		text := output(t, "help", c.name)
		if !strings.HasPrefix(text, "Usage: go tool heapgraph "+c.name+" [flags] "+c.args+"\n") || text != output(t, c.name, "-h") {
			t.Errorf("help of %s is\n%s", c.name, text)
		}
		checkLines(t, string(doc), c.name+" "+c.short)
		for _, line := range strings.Split(c.long, "\n") {
			if len(line) > 80 {
				t.Errorf("help of %s has a line of %d bytes", c.name, len(line))
			}
		}
	}
}
