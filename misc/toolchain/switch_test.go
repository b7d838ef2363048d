// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package toolchain

// Another go command switches to the built toolchain if the toolchain is in
// PATH under its version, and GOTOOLCHAIN asks for it. If the go command is
// older, go.mod or go.work can also ask for it. See doc/install.md.

import (
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSwitch(t *testing.T) {
	built := builtVersion(t)
	older := olderGo(t, built)
	bin := t.TempDir()
	path, err := filepath.Abs(goCommand)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(bin, built+exe())); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct{ name, goMod, goWork, env string }{
		{"GOTOOLCHAIN", "go 1.24\n", "", "GOTOOLCHAIN=" + built},
		{"GOTOOLCHAIN with +path", "go 1.24\n", "", "GOTOOLCHAIN=" + built + "+path"},
		{"go.mod", "go 1.24\ntoolchain " + built + "\n", "", "GOTOOLCHAIN=path"},
		{"go.work", "go 1.24\n", "go 1.24\ntoolchain " + built + "\nuse .\n", "GOTOOLCHAIN=path"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := writeModule(t, test.goMod, hello)
			work := "off"
			if test.goWork != "" {
				work = filepath.Join(dir, "go.work")
				if err := os.WriteFile(work, []byte(test.goWork), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(older, "version")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOROOT=", "GOFLAGS=", "GOENV=off", "GOWORK="+work, test.env,
				"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "go version "+releaseFirst(built)+" ") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// olderGo returns a go command in PATH that is of an earlier release than v.
func olderGo(t *testing.T, v string) string {
	t.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, "go"+exe())
		cmd := exec.Command(path, "env", "GOVERSION")
		cmd.Env = append(os.Environ(), "GOROOT=", "GOTOOLCHAIN=local")
		out, err := cmd.Output()
		if err == nil && version.Compare(strings.Fields(string(out))[0], v) < 0 {
			return path
		}
	}
	t.Skip("PATH has no go command of an earlier release")
	panic("not reached")
}
