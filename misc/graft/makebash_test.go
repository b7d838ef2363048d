// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// These tests run make.bash by itself. graft, upstream's make.bash and the go
// command are small scripts here.

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// standIns are the scripts. FAKE_VERSION is the go command's version, and
// FAKE_HASH is the end of the version that graft writes. FAKE_BUILD makes graft
// or the build fail, or makes the build hang.
var standIns = map[string]string{
	"bin/go": `#!/bin/sh
case "$*" in
"env GOVERSION") echo "${FAKE_VERSION:-go1.26.0}" ;;
"env GOCACHE") echo "cache of $(dirname "$0")" ;;
"env GOROOT") dirname "$(dirname "$0")" ;;
"env GOHOSTOS") echo linux ;;
"env GOHOSTARCH") echo amd64 ;;
version) echo "go version $(head -n 1 "$(dirname "$0")/../VERSION") linux/amd64" ;;
"install std cmd") echo "cross $GOOS/$GOARCH cgo $CGO_ENABLED flags ${GOROOT-unset} ${GOEXPERIMENT-unset}" ;;
build*)
	while [ "$1" != -o ]; do shift; done
	cp misc/graft/graft "$2" ;;
*) echo "go $*: unexpected" >&2; exit 1 ;;
esac
`,
	"misc/graft/graft": `#!/bin/sh
goroot=goroot version=go1.99.1
if [ "$2" = -base ]; then goroot=goroot-${3#go} version=$3.7; fi
mkdir -p $goroot/src
echo "$version-refs-${FAKE_HASH:-1}" >$goroot/VERSION
cp misc/graft/upstream $goroot/src/make.bash
[ "$FAKE_BUILD" != nograft ]
`,
	"misc/graft/upstream": `#!/bin/sh
mkdir -p ../bin ../pkg
echo "Building with $GOROOT_BOOTSTRAP into the $GOCACHE"
case $FAKE_BUILD in
fail) echo "compile: boom"; exit 1 ;;
full) echo "write x: no space left on device"; exit 1 ;;
slow) echo $$ >../pid; sleep 60 ;;
esac
cp ../../bin/go ../bin/go
`,
}

// A script is a project with make.bash and the scripts that replace its
// commands.
type script struct {
	t    *testing.T
	root string
	env  []string
}

func newScript(t *testing.T) *script {
	t.Helper()
	return newScriptIn(t, "project")
}

// newScriptIn is newScript with the name of the project's directory.
func newScriptIn(t *testing.T, name string) *script {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, root: filepath.Join(dir, name)}
	data, err := os.ReadFile("../../make.bash")
	if err != nil {
		t.Fatal(err)
	}
	put(t, s.root, standIns)
	put(t, s.root, map[string]string{"make.bash": string(data), "VERSION": "go1.99.1-refs\n"})
	for _, name := range []string{"make.bash", "bin/go", "misc/graft/graft", "misc/graft/upstream"} {
		if err := os.Chmod(s.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = append(os.Environ(), "GOOS=", "GOARCH=", "GOROOT_BOOTSTRAP=", "GOROOT=/user's", "GOEXPERIMENT=user's")
	s.with("PATH=" + s.path("bin") + ":" + os.Getenv("PATH"))
	return s
}

func (s *script) path(name string) string { return filepath.Join(s.root, name) }

// with adds variables to the environment.
func (s *script) with(env ...string) *script {
	s.env = append(s.env, env...)
	return s
}

// command returns a command that runs make.bash, not yet started.
func (s *script) command(out *bytes.Buffer) *exec.Cmd {
	cmd := exec.Command(s.path("make.bash"))
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, out, out
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// make runs make.bash, which must succeed or fail as given, and print all of
// want.
func (s *script) make(succeed bool, want ...string) string {
	s.t.Helper()
	var out bytes.Buffer
	err := s.command(&out).Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	equal(s.t, "make.bash succeeds", err == nil, succeed)
	for _, w := range want {
		if !strings.Contains(out.String(), w) {
			s.t.Errorf("make.bash does not say %q:\n%s", w, out.String())
		}
	}
	if s.exists(".make.lock") {
		s.t.Error("the lock is left behind")
	}
	return out.String()
}

func (s *script) exists(name string) bool {
	_, err := os.Lstat(s.path(name))
	return err == nil
}

func TestMakeBuildsWhatChanged(t *testing.T) {
	s := newScript(t)
	s.make(true, "s  Building with "+s.root+" into the cache of "+s.path("bin"), "go version go1.99.1-refs-1", "export PATH="+s.path("goroot/bin"))
	if out := s.make(true, "the tools are up to date"); strings.Contains(out, "Building") {
		t.Errorf("built twice:\n%s", out)
	}
	s.with("FAKE_HASH=2").make(true, "Building", "go1.99.1-refs-2")
}

func TestMakeBase(t *testing.T) {
	s := newScript(t)
	s.make(true, "go version go1.99.1-refs-1")
	s.with("BASE=go1.98").make(true, "Building", "go version go1.98.7-refs-1", "export PATH="+s.path("goroot-1.98/bin"))
	s.make(true, "the tools are up to date")
	s.with("FAKE_BUILD=nograft").make(false, "goroot-1.98/ is not built")
	s.with("FAKE_BUILD=fail", "FAKE_HASH=2").make(false, "the build failed")
	if s.exists("goroot-1.98/bin") || !s.exists("goroot/bin") {
		t.Error("after a failed build on go1.98, its bin is there or the other one is not")
	}
	s.with("FAKE_BUILD=", "FAKE_HASH=", "BASE=go1.99").make(true, "the tools are up to date", "export PATH="+s.path("goroot/bin"))
}

// TestMakeUpstream checks that make.bash makes the directories of releases
// absolute.
func TestMakeUpstream(t *testing.T) {
	s := newScript(t)
	put(t, s.root, map[string]string{"misc/graft/graft": "#!/bin/sh\necho \"upstream: $GOROOT_UPSTREAM.\"\nexit 1\n"})
	if err := os.Chmod(s.path("misc/graft/graft"), 0o755); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]string{"": "", "/a": "/a", "a b": here + "/a b", "/a:b": "/a:" + here + "/b", "a:/b:c": here + "/a:/b:" + here + "/c"} {
		s.with("GOROOT_UPSTREAM="+list).make(false, "upstream: "+want+".")
	}
}

// TestMakeSaysWhichGo checks that make.bash names the go with which it builds,
// and reports when that is not the go that the user names.
func TestMakeSaysWhichGo(t *testing.T) {
	s := newScript(t)
	s.make(true, "building the tools with go1.26.0 in "+s.root+", taken as it is")
	upToDate := "the tools are up to date, built with go1.26.0 in " + s.root + "\n"
	const unused = "GOROOT_BOOTSTRAP is not used"
	if out := s.make(true, upToDate); strings.Contains(out, unused) {
		t.Errorf("no other go is named:\n%s", out)
	}
	if out := s.with("GOROOT_BOOTSTRAP="+s.root).make(true, upToDate); strings.Contains(out, unused) {
		t.Errorf("the same go is named:\n%s", out)
	}
	put(t, s.root, map[string]string{"other/bin/go": standIns["bin/go"]})
	if err := os.Chmod(s.path("other/bin/go"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.with("GOROOT_BOOTSTRAP="+s.path("other")).make(true, upToDate, unused)
	if err := os.Remove(s.path("goroot/pkg/built")); err != nil {
		t.Fatal(err)
	}
	s.make(true, "building the tools with go1.26.0 in "+s.path("other"))

	// Earlier versions of make.bash did not record which go built the
	// tools.
	put(t, s.root, map[string]string{"goroot/pkg/built": "go1.99.1-refs-1\n"})
	s.with("GOROOT_BOOTSTRAP=").make(true, "the tools are up to date\n")
}

// TestMakePrintsCommand checks that a shell can run the command that make.bash
// prints last, whatever characters the path has.
func TestMakePrintsCommand(t *testing.T) {
	for _, name := range []string{"a b", `it's $HOME`, "a\"b;c"} {
		t.Run(name, func(t *testing.T) {
			s := newScriptIn(t, name)
			_, line, found := strings.Cut(s.make(true, "Building"), "to use it: ")
			if !found {
				t.Fatal("make.bash does not say how to use it")
			}
			cmd := exec.Command("sh", "-c", line+`printf %s "$PATH"`)
			cmd.Env = append(os.Environ(), "PATH=/x y/bin:/bin")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", line, err, out)
			}
			equal(t, "PATH", string(out), s.path("goroot/bin")+":/x y/bin:/bin")
		})
	}
}

func TestMakeFailures(t *testing.T) {
	for _, test := range []struct {
		name string
		env  string
		want []string
	}{
		{"go too old", "FAKE_VERSION=go1.23.9", []string{"is go1.23.9: Go 1.24 or later is needed"}},
		{"not a go", "FAKE_VERSION=what", []string{"cannot tell the version"}},
		{"no such bootstrap", "GOROOT_BOOTSTRAP=/nowhere", []string{"there is no /nowhere/bin/go"}},
		{"graft fails", "FAKE_BUILD=nograft", []string{"goroot/ is as it was before"}},
		{"build fails", "FAKE_BUILD=fail", []string{"the build failed", "compile: boom", ".graft/make.log"}},
		{"disk full", "FAKE_BUILD=full", []string{"the disk is full", "the build failed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScript(t)
			s.with(test.env).make(false, test.want...)
			if s.exists("goroot/bin") || s.exists("goroot/pkg") {
				t.Error("a half-built toolchain is left")
			}
			s.with("FAKE_VERSION=go1.24.6", "GOROOT_BOOTSTRAP=", "FAKE_BUILD=").make(true, "Building")
		})
	}
}

func TestMakeNeedsPrograms(t *testing.T) {
	for missing, want := range map[string]string{"go": "there is no go command in PATH", "git": "there is no git command in PATH"} {
		t.Run(missing, func(t *testing.T) {
			s := newScript(t)
			bin := t.TempDir()
			for _, name := range []string{"bash", "env", "dirname", "sed", "cat", "mkdir", "rm", "mv", "ps", "grep", "git", "go"} {
				file, err := exec.LookPath(name)
				if err != nil {
					t.Fatal(err)
				}
				if name == missing {
					continue
				}
				if err := os.Symlink(file, filepath.Join(bin, name)); err != nil {
					t.Fatal(err)
				}
			}
			s.with("PATH="+bin).make(false, want)
		})
	}
}

// TestMakePassesOverItsOwnGo checks that make.bash does not rebuild bin/ with
// the go in bin/, even if that is the go in PATH.
func TestMakePassesOverItsOwnGo(t *testing.T) {
	s := newScript(t)
	s.make(true)
	s.with("FAKE_HASH=2", "PATH="+s.path("goroot/bin")+":"+s.path("bin")+":"+os.Getenv("PATH"))
	s.make(true, "Building with "+s.root+" into")
}

func TestMakeOtherPlatform(t *testing.T) {
	s := newScript(t)
	if out := s.with("GOOS=linux", "GOARCH=amd64").make(true); strings.Contains(out, "cross") {
		t.Errorf("a build for the host is no cross build:\n%s", out)
	}
	s.with("GOARCH=arm64").make(true, "cross linux/arm64 cgo 0 flags unset unset")
	s.with("GOOS=windows", "CGO_ENABLED=1").make(true, "cross windows/arm64 cgo 1")
}

// start starts make.bash with a build that hangs, and returns when the build
// has begun.
func (s *script) start(out *bytes.Buffer) *exec.Cmd {
	s.t.Helper()
	cmd := s.with("FAKE_BUILD=slow").command(out)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	await(s.t, "the build", func() bool {
		data, _ := os.ReadFile(s.path("goroot/pid"))
		return bytes.HasSuffix(data, []byte("\n"))
	})
	return cmd
}

// await waits until done returns true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// builder returns the process of the build that hangs.
func (s *script) builder() int {
	s.t.Helper()
	data, err := os.ReadFile(s.path("goroot/pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

func gone(pid int) func() bool {
	return func() bool { return syscall.Kill(pid, 0) != nil }
}

// catch restores the default action for sig in processes that start from now
// on. If nohup or the like has started these tests so that they ignore sig,
// these processes would ignore it, too. It returns the function that undoes
// this.
func catch(sig os.Signal) func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	return func() { signal.Stop(c) }
}

func TestMakeInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			s := newScript(t)
			defer catch(sig)()
			var out bytes.Buffer
			cmd := s.start(&out)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			equal(t, "exit status", cmd.ProcessState.ExitCode(), 128+int(sig))
			await(t, "the end of the build", gone(s.builder()))
			if s.exists("goroot/bin") || s.exists("goroot/pkg") || s.exists(".make.lock") {
				t.Error("something half-built is left")
			}
			s.with("FAKE_BUILD=").make(true, "Building")
		})
	}
}

func TestMakeTwiceAtOnce(t *testing.T) {
	s := newScript(t)
	var first, second bytes.Buffer
	cmd := s.start(&first)
	if err := s.command(&second).Run(); err == nil {
		t.Error("a second run went on")
	}
	if want := "another make.bash is running here, process " + strconv.Itoa(cmd.Process.Pid); !strings.Contains(second.String(), want) {
		t.Errorf("the second run does not say %q:\n%s", want, second.String())
	}
	if !s.exists("goroot/pkg") || gone(s.builder())() {
		t.Error("the second run disturbed the first")
	}
}

// TestMakeKilled checks a run after kill -9, which leaves a lock, a half-built
// toolchain, and a build that continues.
func TestMakeKilled(t *testing.T) {
	s := newScript(t)
	var out bytes.Buffer
	cmd := s.start(&out)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.WaitDelay = time.Nanosecond // the build that continues holds the output open
	cmd.Wait()
	builder := s.builder()
	s.with("FAKE_BUILD=").make(true, "an earlier run was killed", "Building")
	await(t, "the end of the killed run's build", gone(builder))
}
