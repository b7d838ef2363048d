// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dist

// These tests run dist.bash in a project in which make.bash and the go command
// are small scripts, so that nothing is built.

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const standInGo = `#!/bin/sh
case "$*" in
"env GOHOSTOS") echo linux ;;
"env GOHOSTARCH") echo amd64 ;;
"env GOEXE") ;;
"env CC") echo gcc ;;
"env CXX") echo g++ ;;
"env PKG_CONFIG") echo pkg-config ;;
"tool dist list") echo linux/amd64 ;;
"tool distpack")
	packed=$(dirname "$0")/../pkg/distpack
	mkdir -p "$packed"
	echo archive >"$packed/` + version + `.linux-amd64.tar.gz"
	echo module >"$packed/v0.0.1-` + version + `.linux-amd64.zip" ;;
*) echo "go $*: unexpected" >&2; exit 1 ;;
esac
`

const releaseSettings = "package buildcfg\n\n" +
	"const DefaultGO386 = `sse2`\n" +
	"const DefaultGOAMD64 = `v1`\n" +
	"const DefaultGOARM = `7`\n" +
	"const DefaultGOARM64 = `v8.0`\n" +
	"const defaultGOEXPERIMENT = ``\n" +
	"const defaultGO_EXTLINK_ENABLED = \"\"\n" +
	"const defaultGO_LDSO = ``\n" +
	"const DefaultGOFIPS140 = `off`\n" +
	"const DefaultCGO_ENABLED = \"\"\n"

// newStandIn returns the folder of such a project. Its pins are those of
// lib/upstream.json here.
func newStandIn(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dist.bash", "install.bash", "LICENSE", "lib/upstream.json", "misc/demo/processes.bash"} {
		write(t, filepath.Join(dir, name), []byte(readFile(t, filepath.Join(root, name))))
	}
	for name, text := range map[string]string{
		"make.bash":        "#!/bin/sh\n",
		"goroot/VERSION":   version + "\n",
		"goroot/go.env":    "GOTOOLCHAIN=local\n",
		"goroot/bin/go":    standInGo,
		"goroot/bin/gofmt": "",
		"goroot/src/internal/buildcfg/zbootstrap.go": releaseSettings,
		"goroot/pkg/include/textflag.h":              "",
		"goroot/pkg/tool/linux_amd64/compile":        "",
		"goroot/.gitignore":                          "/VERSION\n/go.env\n/bin\n/pkg\nzbootstrap.go\n",
		"goroot/pkg/built":                           version + "\nbuilt with go1.99.0 in /a b\n",
	} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	for _, name := range []string{"dist.bash", "make.bash", "goroot/bin/go"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing of the tools is newer than this file.
	newest, err := os.Stat(filepath.Join(dir, "goroot/bin/go"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range contents(t, filepath.Join(dir, "goroot")) {
		if err := os.Chtimes(filepath.Join(dir, "goroot", name), newest.ModTime(), newest.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	for _, repository := range []string{dir, filepath.Join(dir, "goroot")} {
		write(t, filepath.Join(dir, ".gitignore"), []byte("/goroot\n/dist\n/dist.tmp.*\n"))
		git(t, repository, "init", "-q")
		git(t, repository, "add", "-A")
		git(t, repository, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "-m", "all")
	}
	return dir
}

// git runs a git command without the user's settings, and returns what it
// prints.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestProvenance checks each line of PROVENANCE. lib/upstream.json has two
// releases, and only the first one is in goroot/.
func TestProvenance(t *testing.T) {
	var pin struct{ Version, Hash, Root string }
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(root, "lib", "upstream.json"))), &pin); err != nil {
		t.Fatal(err)
	}
	dir := newStandIn(t)
	makeArchives(t, dir, nil, "host")
	want := fmt.Sprintf(`version        %s
gorefs         commit %s
sources        git tree %s
release        %s
  lib/, src/   %s
  root         %s
built on       linux/amd64
built with     go1.99.0
packed with    cmd/distpack of %[1]s
platforms      linux/amd64
`, version, git(t, dir, "rev-parse", "HEAD"), git(t, filepath.Join(dir, "goroot"), "rev-parse", "HEAD^{tree}"), pin.Version, pin.Hash, pin.Root)
	equal(t, "PROVENANCE", readFile(t, filepath.Join(dir, "dist", "PROVENANCE")), want)
}

// TestRefusesBase checks that dist.bash does not pack goroot/ for a user who
// wants the toolchain on another release.
func TestRefusesBase(t *testing.T) {
	dir := newStandIn(t)
	cmd := exec.Command("bash", filepath.Join(dir, "dist.bash"), "host")
	cmd.Env = append(os.Environ(), "BASE=go1.26")
	out, err := cmd.CombinedOutput()
	if want := "BASE is set to go1.26"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v, want %q:\n%s", err, want, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "dist*")); len(left) != 1 { // dist.bash
		t.Errorf("left behind: %q", left)
	}
}
