// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dist

// TestArchives makes the archives for this platform twice, and compares them. From these it
// goes the way of a user with a clean HOME and no network: install, select, build, uninstall.

import (
	goversion "go/version"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func TestArchives(t *testing.T) {
	if testing.Short() {
		t.Skip("packing takes a minute")
	}
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(tmp, "first")
	makeArchives(t, root, nil, "-o", first, "host")
	copied := filepath.Join(tmp, "another folder", "gorefs")
	copyProject(t, copied)
	makeArchives(t, copied, []string{"TZ=Asia/Tokyo", "GOAMD64=v3", "GOFLAGS=-race"}, "host")
	sums := readFile(t, filepath.Join(first, "SHA256SUMS"))
	equal(t, "SHA256SUMS of another folder", readFile(t, filepath.Join(copied, "dist", "SHA256SUMS")), sums)
	files := checkSums(t, first, sums)

	v := strings.TrimSpace(strings.SplitN(readFile(t, filepath.Join(root, "goroot", "VERSION")), "\n", 2)[0])
	module := "golang.org/toolchain/@v/v0.0.1-" + v + "." + host
	for _, name := range []string{archiveName(v, host), v + ".src.tar.gz", module + ".zip", module + ".mod", module + ".info", "PROVENANCE", "install.bash"} {
		if !files[name] {
			t.Errorf("there is no %s", name)
		}
	}

	// A failed run replaces nothing.
	cmd := exec.Command(filepath.Join(copied, "dist.bash"), "plan9/none")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "there is no platform plan9/none") {
		t.Errorf("%v\n%s", err, out)
	}
	equal(t, "SHA256SUMS after a failed run", readFile(t, filepath.Join(copied, "dist", "SHA256SUMS")), sums)
	if left, _ := filepath.Glob(filepath.Join(copied, "dist.tmp.*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}

	u := newUser(t, filepath.Join(copied, "dist"), v)
	u.install()
	u.selectByPath()
	u.selectByName()
	u.selectByProxy()
	u.uninstall()
}

// TestRefuses checks that dist.bash leaves a folder alone that it has not made.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "precious"), nil)
	before := contents(t, dir)
	for _, out := range []string{dir, filepath.Join(dir, "precious"), filepath.Join(dir, "precious", "dist")} {
		message, err := exec.Command(filepath.Join(root, "dist.bash"), "-o", out, "host").CombinedOutput()
		want := out + " is not a folder that dist.bash made"
		if out == filepath.Join(dir, "precious", "dist") {
			want = "cannot write to " + filepath.Dir(out)
		}
		if err == nil || !strings.Contains(string(message), want) {
			t.Errorf("-o %s: %v, want %q:\n%s", out, err, want, message)
		}
	}
	after := contents(t, dir)
	equal(t, "files", len(after), len(before))
	equal(t, "file", after["precious"], before["precious"])
}

// TestRefusesTools checks that dist.bash packs no tools but those that make.bash built, with the
// settings of a release.
func TestRefusesTools(t *testing.T) {
	dir := newStandIn(t)
	refuses := func(want string) {
		t.Helper()
		out, err := exec.Command(filepath.Join(dir, "dist.bash"), "host").CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v, want %q:\n%s", err, want, out)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "dist*")); len(left) != 1 { // dist.bash
			t.Errorf("left behind: %q", left)
		}
	}
	for _, test := range []struct{ file, old, new, want string }{
		{"src/internal/buildcfg/zbootstrap.go", "DefaultGOAMD64 = `v1`", "DefaultGOAMD64 = `v3`", "goroot/ was built with DefaultGOAMD64=v3, not v1"},
		{"src/internal/buildcfg/zbootstrap.go", "defaultGO_LDSO = ``", "defaultGO_LDSO = `/lib/ld.so`", "goroot/ was built with defaultGO_LDSO=/lib/ld.so, not the default"},
		{"bin/gofmt", "", "", "goroot/bin/gofmt is not as make.bash built it"},
	} {
		name := filepath.Join(dir, "goroot", test.file)
		was := readFile(t, name)
		if test.old != "" && strings.Count(was, test.old) != 1 {
			t.Fatalf("%s has no %q", test.file, test.old)
		}
		write(t, name, []byte(strings.Replace(was, test.old, test.new, 1)))
		refuses(test.want)
		write(t, name, []byte(was))
	}
}

func makeArchives(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "dist.bash"), args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("dist.bash %q: %v\n%s", args, err, out)
	}
}

// copyProject copies the project with its built tools, which stay older than goroot/pkg/built.
func copyProject(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name == "demo-out" || name == "dist" || strings.HasPrefix(name, "dist.tmp.") || strings.HasPrefix(name, "goroot-") {
			continue
		}
		if out, err := exec.Command("cp", "-a", filepath.Join(root, e.Name()), dir).CombinedOutput(); err != nil {
			t.Fatalf("cp: %v\n%s", err, out)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkSums checks that SHA256SUMS lists all files in a folder, and returns them.
func checkSums(t *testing.T, dir, sums string) map[string]bool {
	t.Helper()
	files := make(map[string]bool)
	for name, what := range contents(t, dir) {
		mode, hash, _ := strings.Cut(what, " ")
		if strings.HasPrefix(mode, "d") || name == "SHA256SUMS" {
			continue
		}
		files[name] = true
		if want := "-rw-r--r--"; mode != want && name != "install.bash" {
			t.Errorf("%s has the mode %s, want %s", name, mode, want)
		}
		if !strings.Contains(sums, hash+"  "+name+"\n") {
			t.Errorf("SHA256SUMS does not list %s with %s", name, hash)
		}
	}
	equal(t, "number of files", strings.Count(sums, "\n"), len(files))
	return files
}

// A user has a folder of archives, a clean HOME, and no network.
type user struct {
	t       *testing.T
	from    string
	version string
	home    string
	older   string // the folder of a go command of an earlier release, or empty
	offline []string
	bin     string // of the installed toolchain
}

func newUser(t *testing.T, from, version string) *user {
	t.Helper()
	u := &user{t: t, from: from, version: version, home: t.TempDir()}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		cmd := exec.Command(filepath.Join(dir, "go"), "env", "GOVERSION")
		cmd.Env = append(os.Environ(), "GOROOT=", "GOTOOLCHAIN=local")
		out, err := cmd.Output()
		if err == nil && goversion.Compare(releaseOf(out), version) < 0 {
			u.older = dir
			break
		}
	}
	for _, args := range [][]string{{"unshare", "--net"}, {"unshare", "--net", "--map-root-user"}} {
		if exec.Command(args[0], append(args[1:], "true")...).Run() == nil {
			u.offline = args
			break
		}
	}
	if u.offline == nil {
		t.Log("there is no unshare: the network is there")
	}
	return u
}

// releaseOf returns the release that go env GOVERSION has printed.
func releaseOf(out []byte) string {
	release, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return release
}

// run runs a command in dir with a PATH, and returns what it prints to standard output.
func (u *user) run(dir, path string, env []string, args ...string) string {
	u.t.Helper()
	args = append(append(u.offline[:len(u.offline):len(u.offline)], "env"), args...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=" + u.home, "PATH=" + path + "/usr/bin:/bin", "GOFLAGS=-modcacherw"}, env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("%q %q: %v\n%s%s", env, args, err, out, &stderr)
	}
	return string(out)
}

func (u *user) install() {
	u.t.Helper()
	line := u.run(u.home, "", nil, "bash", filepath.Join(u.from, "install.bash"), u.from)
	out, err := exec.Command("sh", "-c", "PATH=; "+line+`echo "${PATH%:}"`).CombinedOutput()
	u.bin = strings.TrimSpace(string(out))
	if want := filepath.Join(u.home, "sdk", u.version, "bin"); err != nil || u.bin != want {
		u.t.Fatalf("%v: PATH begins with %q, want %q", err, u.bin, want)
	}
	equal(u.t, "version of the archive's files", readFile(u.t, filepath.Join(u.home, "sdk", u.version, "VERSION")),
		readFile(u.t, filepath.Join(root, "goroot", "VERSION")))
	entries, err := os.ReadDir(u.home)
	if err != nil || len(entries) != 1 {
		u.t.Errorf("the installation leaves %v in HOME, %v", entries, err)
	}
}

const program = `package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

func main() {
	println(runtime.Version())
	if err := pprof.Lookup("refs").WriteTo(os.Stdout, 0); err != nil {
		panic(err)
	}
}
`

// build builds a workspace's program with the go command in PATH, and checks which toolchain
// did, and that the program can take a profile of its live heap.
func (u *user) build(name, path, workspace string, env ...string) {
	u.t.Helper()
	dir := u.t.TempDir()
	write(u.t, filepath.Join(dir, "go.work"), []byte(workspace+"use ./m\n"))
	write(u.t, filepath.Join(dir, "m", "go.mod"), []byte("module example\ngo 1.24\n"))
	write(u.t, filepath.Join(dir, "m", "main.go"), []byte(program))
	u.run(dir, path, env, "go", "build", "-o", "program", "example")
	equal(u.t, name+": the program's version", u.run(dir, path, env, "go", "version", "program"), "program: "+printed(u.version)+"\n")
	if profile := u.run(dir, path, env, "./program"); !strings.HasPrefix(profile, "\x1f\x8b") {
		u.t.Errorf("%s: the profile is no compressed profile: %.40q", name, profile)
	}
}

func (u *user) selectByPath() { u.build("PATH", u.bin+":", "go 1.24\n") }

// selectByName has another Go first in PATH, which switches.
func (u *user) selectByName() {
	if u.older == "" {
		u.t.Log("PATH has no go command of an earlier release: it cannot switch")
		return
	}
	path := u.older + ":" + u.bin + ":"
	u.build("GOTOOLCHAIN", path, "go 1.24\n", "GOTOOLCHAIN="+u.version)
	u.build("go.work, GOTOOLCHAIN=path", path, "go 1.24\ntoolchain "+u.version+"\n", "GOTOOLCHAIN=path")
	u.build("go.work, GOTOOLCHAIN=auto", path, "go 1.24\ntoolchain "+u.version+"\n", "GOTOOLCHAIN=auto")
}

// selectByProxy has no toolchain in PATH but the other Go, which downloads from the folder.
func (u *user) selectByProxy() {
	if u.older == "" {
		return
	}
	path := u.older + ":"
	proxy := []string{"GOPROXY=file://" + strings.ReplaceAll(u.from, " ", "%20"), "GONOSUMDB=golang.org/toolchain"}
	u.build("GOPROXY, go.work", path, "go 1.24\ntoolchain "+u.version+"\n", append(proxy, "GOTOOLCHAIN=auto")...)
	u.build("GOPROXY, GOTOOLCHAIN", path, "go 1.24\n", append(proxy, "GOTOOLCHAIN="+u.version)...)
	dir := filepath.Join(u.home, "go", "pkg", "mod", "golang.org", "toolchain@v0.0.1-"+u.version+"."+host)
	if _, err := os.Stat(filepath.Join(dir, "bin", "go")); err != nil {
		u.t.Error(err)
	}
}

// uninstall removes what the installation made. What builds made stays.
func (u *user) uninstall() {
	u.t.Helper()
	u.run(u.home, "", nil, "bash", filepath.Join(u.from, "install.bash"), "-uninstall", u.version)
	if entries, err := os.ReadDir(filepath.Join(u.home, "sdk")); err != nil || len(entries) != 0 {
		u.t.Errorf("left in sdk: %v, %v", entries, err)
	}
	for _, name := range []string{"go", u.version} {
		if _, err := exec.LookPath(filepath.Join(u.bin, name)); err == nil {
			u.t.Errorf("%s is left", name)
		}
	}
}
