// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// These checks run the debugger, and tools that read the toolchain's version or
// its packages.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// debugScript has the commands that a user types in Delve. The breakpoint is on
// the line after the one that programs/debugged marks.
const debugScript = `break main.go:%d
continue
args
locals
print numbers
print ages
print figure
print *entry
stack
goroutines -t
next
set total = 100
print total
clearall
continue
quit
`

// debug builds programs/debugged with the side's compiler, unoptimized as dlv
// debug does, and runs Delve on it.
func debug(ctx context.Context, j *job) error {
	file, err := j.program(ctx, "debugged", "-gcflags=all=-N -l")
	if err != nil {
		return err
	}
	line, err := lineAfter(filepath.Join("programs", "debugged", "main.go"), "// the breakpoint")
	if err != nil {
		return err
	}
	if err := j.write("script", fmt.Sprintf(debugScript, line)); err != nil {
		return err
	}
	out, err := j.output(ctx, j.dir, "dlv", "exec", "--allow-non-terminal-interactive=true", "--init", j.path("script"), file)
	if err != nil {
		return err
	}
	out = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(out, "")
	if n := strings.Count(out, " main.park ("); n != 3 {
		return fmt.Errorf("%d goroutines are in park, want 3", n)
	}
	return expect(out,
		"> [Breakpoint 1] main.inspect() ",
		`text = "argument"`, "number = 40", "total = 42",
		"[]int len: 3, cap: 3, [3,1,4]", `"ana": 31`, "main.shape(main.square) {side: 7}", `{key: "key", value: 42}`,
		"in main.inspect", "in main.main", "[chan receive]", "main.park",
		"\n100\n", "released 2", "has exited with status 0")
}

// lineAfter returns the number of the line after the one that has the text.
func lineAfter(file, text string) (int, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	before, _, ok := strings.Cut(string(data), text)
	if !ok {
		return 0, fmt.Errorf("%s lacks %q", file, text)
	}
	return strings.Count(before, "\n") + 2, nil
}

const starlark = "go.starlark.net@v0.0.0-20260908191801-89a6a09411d5"

// parseInStarlark calls the function of rules_go that parses a toolchain's
// version, with the side's version. The function is written in Starlark,
// Bazel's language.
func parseInStarlark(ctx context.Context, j *job) error {
	pin, version := "github.com/bazelbuild/rules_go@v0.65.0", strings.TrimPrefix(j.side.version, "go")
	dir, err := j.moduleDir(ctx, pin)
	if err != nil {
		return err
	}
	source, err := os.ReadFile(filepath.Join(dir, "go/private/sdk.bzl"))
	if err != nil {
		return err
	}
	function := regexp.MustCompile(`(?ms)^def parse_version\(.*?^def `).FindString(string(source))
	if function == "" {
		return fmt.Errorf("%s has no parse_version", pin)
	}
	if err := j.write("parse.star", strings.TrimSuffix(function, "def ")+fmt.Sprintf("print(parse_version(%q))\n", version)); err != nil {
		return err
	}
	if err := j.run(ctx, j.dir, "go", "install", "go.starlark.net/cmd/starlark@"+after(starlark, "@")); err != nil {
		return err
	}
	out, err := j.output(ctx, j.dir, "starlark", j.path("parse.star"))
	if err != nil {
		return err
	}
	release, suffix, _ := strings.Cut(version, "-")
	want := "(" + strings.ReplaceAll(release, ".", ", ")
	if suffix != "" {
		want += fmt.Sprintf(", %q", "-"+suffix)
	}
	return expect(out, want+")")
}

func after(text, separator string) string {
	_, rest, _ := strings.Cut(text, separator)
	return rest
}

const goMod = "module example\n\ngo 1.27\n"

// editorServer has gopls check a file with an error, and find a definition.
func editorServer(ctx context.Context, j *job) error {
	for name, text := range map[string]string{
		"edited/go.mod":  goMod,
		"edited/main.go": "package main\n\nimport \"runtime\"\n\nfunc main() {\n\tvar n int = \"text\"\n\tprintln(n, runtime.Version())\n}\n",
	} {
		if err := j.write(name, text); err != nil {
			return err
		}
	}
	out, err := j.output(ctx, j.path("edited"), "gopls", "check", "main.go")
	if err != nil {
		return err
	}
	if err := expect(out, "cannot use \"text\""); err != nil {
		return err
	}
	out, err = j.output(ctx, j.path("edited"), "gopls", "definition", "main.go:7:22")
	if err != nil {
		return err
	}
	return expect(out, "func runtime.Version() string", j.side.goroot)
}

// findDefect runs staticcheck on two packages, one of which has a defect.
func findDefect(ctx context.Context, j *job) error {
	for name, text := range map[string]string{
		"checked/go.mod":       goMod,
		"checked/good/good.go": "// Package good has no defect.\npackage good\n\n// Max returns the larger number.\nfunc Max(a, b int) int { return max(a, b) }\n",
		"checked/bad/bad.go":   "// Package bad has one.\npackage bad\n\nimport \"time\"\n\n// Wait sleeps.\nfunc Wait() { time.Sleep(5) }\n",
	} {
		if err := j.write(name, text); err != nil {
			return err
		}
	}
	if out, err := j.output(ctx, j.path("checked"), "staticcheck", "./good"); err != nil || out != "" {
		return fmt.Errorf("staticcheck of a good package: %v %s", err, out)
	}
	out, err := j.output(ctx, j.path("checked"), "staticcheck", "./...")
	if err == nil || strings.Count(out, "\n") != 1 {
		return fmt.Errorf("staticcheck finds %d defects, want one: %v", strings.Count(out, "\n"), err)
	}
	return expect(out, "bad.go:7", "SA1004")
}
