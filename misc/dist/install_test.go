// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dist

// These tests run install.bash with small archives, in which the go command is
// a script. Whatever goes wrong, the folder to install in is afterwards as it
// was before, unless the run is killed.

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	version      = "go1.99.1-refs-01234567"
	otherVersion = "go1.99.1-refs-89abcdef"
	installer    = "../../install.bash"
)

var host = runtime.GOOS + "-" + runtime.GOARCH

// archiveName returns the name of the archive of a version for a platform.
func archiveName(version, platform string) string { return version + "." + platform + ".tar.gz" }

// printed returns a version as go version prints it, go1.99.1 X:refs-01234567.
func printed(version string) string { return strings.Replace(version, "-", " X:", 1) }

// reports returns the script of a go command that prints a version.
func reports(version string) string {
	return fmt.Sprintf("#!/bin/sh\necho go version %s %s/%s\n", printed(version), runtime.GOOS, runtime.GOARCH)
}

// A file is a file in an archive. It is a folder if its name ends in a slash,
// and a link if link is set.
type file struct {
	name string
	mode int64
	text string // the target of a link
	link bool
}

// pack returns an archive that has a go command, and more files.
func pack(t *testing.T, goCommand string, more ...file) []byte {
	t.Helper()
	return packFiles(t, append([]file{
		{name: "go/VERSION", mode: 0o644, text: "1\n"},
		{name: "go/bin/go", mode: 0o755, text: goCommand},
		{name: "go/src/large", mode: 0o644, text: strings.Repeat("0123456789abcdef", 1<<14)},
	}, more...)...)
}

func packFiles(t *testing.T, files ...file) []byte {
	t.Helper()
	var data bytes.Buffer
	zw := gzip.NewWriter(&data)
	tw := tar.NewWriter(zw)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.text))}
		if f.link {
			header = &tar.Header{Name: f.name, Typeflag: tar.TypeSymlink, Linkname: f.text}
			f.text = ""
		}
		if err := tw.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// download writes archives, by their names, and SHA256SUMS to a folder.
func download(t *testing.T, dir string, archives map[string][]byte) {
	t.Helper()
	var sums strings.Builder
	for name, data := range archives {
		write(t, filepath.Join(dir, name), data)
		fmt.Fprintf(&sums, "%s  %s\n", sum(data), name)
	}
	write(t, filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()))
}

// An installation is a folder of archives, and one to install them in.
type installation struct {
	t         *testing.T
	from, dir string
	as        []string // a command that runs install.bash as another user
}

// newInstallation returns an installation with an archive of version for this
// machine.
func newInstallation(t *testing.T) *installation {
	t.Helper()
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	i := &installation{t: t, from: filepath.Join(tmp, "downloads"), dir: filepath.Join(tmp, "sdk")}
	download(t, i.from, map[string][]byte{archiveName(version, host): pack(t, reports(version))})
	return i
}

// archive returns the path of the archive of version.
func (i *installation) archive() string { return filepath.Join(i.from, archiveName(version, host)) }

func (i *installation) command(args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	args = append(append(slices.Clone(i.as), "bash", installer, "-dir", i.dir), args...)
	cmd = exec.Command(args[0], args[1:]...)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr
}

// run runs install.bash, which must succeed, and returns what it prints.
func (i *installation) run(args ...string) string {
	i.t.Helper()
	cmd, stdout, stderr := i.command(args...)
	if err := cmd.Run(); err != nil {
		i.t.Fatalf("install.bash %q: %v\n%s", args, err, stderr)
	}
	return stdout.String()
}

// fail runs install.bash, which must fail, report want, print nothing to standard output,
// and leave everything as it is.
func (i *installation) fail(want string, args ...string) {
	i.t.Helper()
	before := contents(i.t, filepath.Dir(i.dir))
	cmd, stdout, stderr := i.command(args...)
	err := cmd.Run()
	if err == nil || !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
		i.t.Errorf("install.bash %q: %v, want an error with %q:\n%s%s", args, err, want, stdout, stderr)
	}
	after := contents(i.t, filepath.Dir(i.dir))
	delete(after, filepath.Base(i.dir)) // may be made
	delete(before, filepath.Base(i.dir))
	equal(i.t, "files and folders", fmt.Sprint(after), fmt.Sprint(before))
}

// contents returns the modes, and the hashes or targets, of all that is in a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what = sum(data)
		case info.Mode()&fs.ModeSymlink != 0:
			if what, err = os.Readlink(path); err != nil {
				return err
			}
		}
		all[name] = info.Mode().String() + " " + what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// entries returns the names in the folder to install in.
func (i *installation) entries() string {
	i.t.Helper()
	entries, err := os.ReadDir(i.dir)
	if err != nil {
		i.t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return fmt.Sprint(names)
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestInstall installs two versions side by side, and removes one and then the other.
func TestInstall(t *testing.T) {
	i := newInstallation(t)
	others := filepath.Join(filepath.Dir(i.from), "others")
	download(t, others, map[string][]byte{
		archiveName(otherVersion, host):         pack(t, reports(otherVersion)),
		archiveName(otherVersion, "plan9-mips"): []byte("for another platform"),
		otherVersion + ".src.tar.gz":            []byte("source"),
	})
	line := i.run(i.archive())
	equal(t, "output", line, `export PATH=`+i.dir+"/"+version+`/bin:"$PATH"`+"\n")
	equal(t, "output again", i.run(i.from), line)
	i.run(others)
	equal(t, "list", i.run("-list"), version+"\n"+otherVersion+"\n")
	for _, v := range []string{version, otherVersion} {
		// By the name that the go command looks for in PATH.
		out, err := exec.Command(filepath.Join(i.dir, v, "bin", v), "version").CombinedOutput()
		if want := "go version " + printed(v) + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"; err != nil || string(out) != want {
			t.Errorf("%q, %v, want %q", out, err, want)
		}
	}
	rest := contents(t, filepath.Join(i.dir, otherVersion))
	i.run("-uninstall", version)
	equal(t, "list", i.run("-list"), otherVersion+"\n")
	equal(t, "the other version", fmt.Sprint(contents(t, filepath.Join(i.dir, otherVersion))), fmt.Sprint(rest))
	i.run("-uninstall", otherVersion)
	equal(t, "left in the folder", i.entries(), "[]")
}

// TestSettings checks that the settings of the user do not matter.
func TestSettings(t *testing.T) {
	i := newInstallation(t)
	download(t, i.from, map[string][]byte{archiveName(version, host): pack(t,
		strings.Replace(reports(version), "\n", "\nenv | grep ^GO | grep -v '^GOENV=off$' | grep -v '^GOTOOLCHAIN=local$' && exit 1\n", 1))})
	for _, name := range []string{"GOROOT", "GOFLAGS", "GOEXPERIMENT", "GOFIPS140", "GOMEMLIMIT", "GODEBUG", "GOTOOLCHAIN"} {
		t.Setenv(name, "wrong")
	}
	i.run(i.from)
}

// TestList checks that -list prints the versions that -uninstall removes.
func TestList(t *testing.T) {
	i := newInstallation(t)
	i.run(i.from)
	for name, text := range map[string]string{"go1": "", "go2": "mine\n", "go3": "no " + sum(nil) + "\n", "other": sum(nil) + "\n"} {
		write(t, filepath.Join(i.dir, name, "INSTALLED"), []byte(text))
		i.fail("", "-uninstall", name)
	}
	symlink(t, version, filepath.Join(i.dir, otherVersion))
	i.fail("was not made by install.bash", "-uninstall", otherVersion)
	equal(t, "list", i.run("-list"), version+"\n")
}

// TestStandardInput runs install.bash as the standard input of bash.
func TestStandardInput(t *testing.T) {
	i := newInstallation(t)
	for _, args := range [][]string{nil, {"-s", "--", "-dir", i.dir, i.from}} {
		script, err := os.Open(installer)
		if err != nil {
			t.Fatal(err)
		}
		defer script.Close()
		cmd := exec.Command("bash", args...)
		cmd.Stdin = script
		out, err := cmd.CombinedOutput()
		if args == nil {
			if want := "usage: install.bash "; !strings.HasPrefix(string(out), want) || cmd.ProcessState.ExitCode() != 2 {
				t.Errorf("%v, want exit status 2 and %q:\n%s", err, want, out)
			}
		} else if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	equal(t, "list", i.run("-list"), version+"\n")
}

// TestHome checks the folder that install.bash takes if it is given none.
func TestHome(t *testing.T) {
	i := newInstallation(t)
	for _, test := range []struct{ home, want string }{
		{"HOME=" + filepath.Dir(i.dir), `export PATH=` + i.dir + "/" + version + `/bin:"$PATH"` + "\n"},
		{"HOME=", ""},
	} {
		cmd := exec.Command("bash", installer, i.archive())
		cmd.Env = append(os.Environ(), test.home)
		out, err := cmd.Output()
		equal(t, test.home, string(out), test.want)
		equal(t, test.home+": success", err == nil, test.want != "")
	}
}

// TestPath checks that a shell can run the line that install.bash prints, whatever
// characters the folders have.
func TestPath(t *testing.T) {
	for _, name := range []string{"a b", `it's $HOME`, `a"b;c`, "-dir", "é*[a]"} {
		t.Run(name, func(t *testing.T) {
			i := newInstallation(t)
			i.dir = filepath.Join(filepath.Dir(i.dir), name, "sdk")
			from := filepath.Join(filepath.Dir(i.from), name, "downloads")
			if err := os.MkdirAll(filepath.Dir(from), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(i.from, from); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", "-c", i.run(from)+`printf %s "$PATH"; go version >&2`)
			cmd.Env = append(os.Environ(), "PATH=/x y/bin:/bin")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			equal(t, "PATH", string(out), filepath.Join(i.dir, version, "bin")+":/x y/bin:/bin")
			if !strings.Contains(stderr.String(), printed(version)) {
				t.Errorf("go version: %s", &stderr)
			}
		})
	}
	i := newInstallation(t)
	i.dir += ":2"
	i.fail("cannot have a colon", i.archive())
}

// TestRelative checks that relative paths are relative to the folder of the user, whatever
// CDPATH is.
func TestRelative(t *testing.T) {
	script, err := filepath.Abs(installer)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"sdk", "-sdk"} {
		t.Run(dir, func(t *testing.T) {
			i := newInstallation(t)
			tmp := filepath.Dir(i.dir)
			if err := os.Rename(i.from, filepath.Join(tmp, "-a:b")); err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(tmp, "cd", dir, "other")
			write(t, other, nil)
			for _, args := range [][]string{{"--", "-a:b/" + archiveName(version, host)}, {"-uninstall", version}} {
				cmd := exec.Command("bash", append([]string{script, "-dir", dir}, args...)...)
				cmd.Dir = tmp
				cmd.Env = append(os.Environ(), "CDPATH="+filepath.Join(tmp, "cd"))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%q: %v\n%s", args, err, out)
				}
				_, err := os.Stat(filepath.Join(tmp, dir, version, "bin", "go"))
				equal(t, "installed", err == nil, args[0] == "--")
				equal(t, "in CDPATH", len(contents(t, filepath.Dir(other))), 2)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	good := pack(t, reports(version))
	tests := []struct {
		name    string
		prepare func(i *installation) (args []string)
		want    string
	}{
		{"no such file", func(i *installation) []string { return []string{i.archive() + "x"} }, "there is no "},
		{"truncated", func(i *installation) []string {
			write(i.t, i.archive(), good[:len(good)/2])
			return []string{i.archive()}
		}, "is not complete, or not the right one: its SHA-256 is " + sum(good[:len(good)/2]) + ", not " + sum(good)},
		{"truncated, with its own hash", func(i *installation) []string {
			write(i.t, i.archive(), good[:len(good)/2])
			return []string{"-sha256", sum(good[:len(good)/2]), i.archive()}
		}, "cannot unpack "},
		{"one byte changed", func(i *installation) []string {
			bad := bytes.Clone(good)
			bad[len(bad)/2] ^= 1
			write(i.t, i.archive(), bad)
			return []string{i.from}
		}, "not the right one"},
		{"another hash is given", func(i *installation) []string {
			return []string{"-sha256", sum(nil), i.archive()}
		}, "not " + sum(nil)},
		{"no SHA256SUMS", func(i *installation) []string {
			remove(i.t, filepath.Join(i.from, "SHA256SUMS"))
			return []string{i.archive()}
		}, "there is no "},
		{"not in SHA256SUMS", func(i *installation) []string {
			write(i.t, filepath.Join(i.from, "SHA256SUMS"), []byte(sum(good)+"  x"+archiveName(version, host)+"\n"))
			return []string{i.archive()}
		}, "does not list " + archiveName(version, host)},
		{"for another platform", func(i *installation) []string {
			download(i.t, i.from, map[string][]byte{archiveName(version, "plan9-mips"): good})
			return []string{filepath.Join(i.from, archiveName(version, "plan9-mips"))}
		}, "is for plan9-mips, and this machine is " + host},
		{"a folder for other platforms", func(i *installation) []string {
			others := filepath.Join(filepath.Dir(i.from), "others")
			download(i.t, others, map[string][]byte{archiveName(version, "plan9-mips"): good})
			return []string{others}
		}, "has no archive for " + host + ", only for plan9-mips"},
		{"an empty folder", func(i *installation) []string {
			return []string{i.t.TempDir()}
		}, "has no archive for " + host},
		{"a folder with two versions", func(i *installation) []string {
			download(i.t, i.from, map[string][]byte{archiveName(otherVersion, host): good})
			return []string{i.from}
		}, "has several archives for " + host},
		{"not an archive's name", func(i *installation) []string {
			return []string{filepath.Join(i.from, "SHA256SUMS")}
		}, "is not named as an archive"},
		{"another version in it", func(i *installation) []string {
			download(i.t, i.from, map[string][]byte{archiveName(version, host): pack(i.t, reports(otherVersion))})
			return []string{i.from}
		}, "has another version in it: go version " + printed(otherVersion)},
		{"go does not run", func(i *installation) []string {
			download(i.t, i.from, map[string][]byte{archiveName(version, host): pack(i.t, "#!/bin/sh\necho no such library >&2; exit 1\n")})
			return []string{i.from}
		}, "does not run in "},
		{"damaged", func(i *installation) []string {
			i.run(i.from)
			remove(i.t, filepath.Join(i.dir, version, "bin", "go"))
			return []string{i.from}
		}, "is damaged: it has no bin/go (to remove it: install.bash -uninstall " + version},
		{"not made by install.bash", func(i *installation) []string {
			write(i.t, filepath.Join(i.dir, version, "precious"), nil)
			return []string{i.from}
		}, "it is left as it is"},
		{"a link that leads nowhere", func(i *installation) []string {
			if err := os.Mkdir(i.dir, 0o777); err != nil {
				i.t.Fatal(err)
			}
			symlink(i.t, "nowhere", filepath.Join(i.dir, version))
			return []string{i.from}
		}, "it is left as it is"},
		{"another archive of the same version", func(i *installation) []string {
			i.run(i.from)
			download(i.t, i.from, map[string][]byte{archiveName(version, host): pack(i.t, reports(version)+"# changed\n")})
			return []string{i.from}
		}, "to remove it: install.bash -uninstall " + version},
		{"a file in place of the folder", func(i *installation) []string {
			write(i.t, i.dir, nil)
			return []string{i.from}
		}, "cannot write to " /* i.dir */},
		{"uninstall what is not there", func(i *installation) []string {
			return []string{"-uninstall", version}
		}, "there is no "},
		{"uninstall what is not ours", func(i *installation) []string {
			write(i.t, filepath.Join(i.dir, version, "precious"), nil)
			return []string{"-uninstall", version}
		}, "was not made by install.bash"},
		{"uninstall a link", func(i *installation) []string {
			i.run(i.from)
			symlink(i.t, version, filepath.Join(i.dir, otherVersion))
			return []string{"-uninstall", otherVersion}
		}, "was not made by install.bash"},
		{"uninstall a path", func(i *installation) []string {
			i.run(i.from)
			return []string{"-uninstall", version + "/../" + version}
		}, "but a path"},
		{"uninstall no version", func(i *installation) []string {
			return []string{"-uninstall", ".."}
		}, "is not a version"},
		{"no arguments", func(i *installation) []string { return nil }, "usage: install.bash "},
		{"two archives", func(i *installation) []string { return []string{i.archive(), i.archive()} }, "usage: install.bash "},
		{"unknown option", func(i *installation) []string { return []string{"-force", i.archive()} }, "usage: install.bash "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			i := newInstallation(t)
			i.fail(test.want, test.prepare(i)...)
		})
	}
}

// TestOutside installs archives with links to what is outside, in the places of the files that
// install.bash makes.
func TestOutside(t *testing.T) {
	goCommand := file{name: "go/bin/go", mode: 0o755, text: reports(version)}
	for _, test := range []struct {
		name  string
		files func(outside string) []file
		want  string
	}{
		{"go", func(outside string) []file {
			return []file{{name: "go", text: outside, link: true}}
		}, "has no folder go\n"},
		{"go/bin", func(outside string) []file {
			return []file{{name: "go/VERSION", mode: 0o644}, {name: "go/bin", text: filepath.Join(outside, "bin"), link: true}}
		}, "has no folder go/bin\n"},
		{"nothing", func(string) []file { return []file{{name: "VERSION", mode: 0o644}} }, "has no folder go\n"},
		{"go/INSTALLED", func(outside string) []file {
			return []file{goCommand, {name: "go/INSTALLED", text: filepath.Join(outside, "file"), link: true}}
		}, "has a file go/INSTALLED"},
		{"go/INSTALLED leads nowhere", func(outside string) []file {
			return []file{goCommand, {name: "go/INSTALLED", text: filepath.Join(outside, "new"), link: true}}
		}, "has a file go/INSTALLED"},
		{"go/bin/VERSION", func(outside string) []file {
			return []file{goCommand, {name: "go/bin/" + version, text: outside, link: true}}
		}, "has a file go/bin/" + version},
		{"beside go", func(outside string) []file {
			return []file{goCommand, {name: "errors", text: filepath.Join(outside, "file"), link: true},
				{name: "home", text: outside, link: true}, {name: version, text: outside, link: true}}
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := newInstallation(t)
			outside := filepath.Join(filepath.Dir(i.dir), "outside")
			write(t, filepath.Join(outside, "file"), []byte("precious"))
			write(t, filepath.Join(outside, "bin", "go"), []byte(reports(version)))
			if err := os.Chmod(filepath.Join(outside, "bin", "go"), 0o755); err != nil {
				t.Fatal(err)
			}
			download(t, i.from, map[string][]byte{archiveName(version, host): packFiles(t, test.files(outside)...)})
			before := contents(t, outside)
			if test.want != "" {
				i.fail(test.want, i.from)
			} else {
				i.run(i.from)
			}
			equal(t, "outside", fmt.Sprint(contents(t, outside)), fmt.Sprint(before))
		})
	}
}

// unprivileged has install.bash run without the rights of the superuser, who may write to
// folders that are read-only.
func (i *installation) unprivileged() {
	i.t.Helper()
	if os.Getuid() != 0 {
		return
	}
	i.as = []string{"setpriv", "--inh-caps=-all", "--bounding-set=-all"}
	if out, err := exec.Command(i.as[0], append(i.as[1:], "true")...).CombinedOutput(); err != nil {
		i.t.Skipf("the superuser may write: %v\n%s", err, out)
	}
}

// another has install.bash run as another user than the superuser.
func (i *installation) another() {
	i.t.Helper()
	if err := os.Chmod(filepath.Dir(filepath.Dir(i.dir)), 0o755); err != nil { // of this test
		i.t.Fatal(err)
	}
	i.as = []string{"setpriv", "--reuid=65534", "--clear-groups"}
	if out, err := exec.Command(i.as[0], append(i.as[1:], "test", "-r", installer, "-a", "-x", filepath.Dir(i.dir))...).CombinedOutput(); err != nil {
		i.t.Skipf("another user cannot run install.bash: %v\n%s", err, out)
	}
}

// TestUnwritable installs to and uninstalls from a folder that the user may not write to.
func TestUnwritable(t *testing.T) {
	i := newInstallation(t)
	i.unprivileged()
	line := i.run(i.from)
	download(t, i.from, map[string][]byte{archiveName(otherVersion, host): pack(t, reports(otherVersion))})
	if err := os.Chmod(i.dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(i.dir, 0o777) })
	i.fail("cannot write to "+i.dir, filepath.Join(i.from, archiveName(otherVersion, host)))
	i.fail("cannot write to "+i.dir, "-uninstall", version)
	equal(t, "output again", i.run("-sha256", sum(pack(t, reports(version))), i.archive()), line)
}

// TestUnreadable installs with a SHA256SUMS that the user may not read.
func TestUnreadable(t *testing.T) {
	i := newInstallation(t)
	i.unprivileged()
	sums := filepath.Join(i.from, "SHA256SUMS")
	if err := os.Chmod(sums, 0); err != nil {
		t.Fatal(err)
	}
	cmd, _, stderr := i.command(i.from)
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "install.bash: cannot read "+sums) {
		t.Errorf("%v\n%s", err, stderr)
	}
}

// TestReadOnly installs and uninstalls an archive that has read-only folders.
func TestReadOnly(t *testing.T) {
	i := newInstallation(t)
	if os.Getuid() == 0 {
		i.another()
		if err := os.Mkdir(i.dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(i.dir, 65534, -1); err != nil {
			t.Fatal(err)
		}
	}
	download(t, i.from, map[string][]byte{archiveName(version, host): pack(t, reports(version),
		file{name: "go/pkg/", mode: 0o555}, file{name: "go/pkg/file", mode: 0o444},
		file{name: "go/pkg/in/", mode: 0o555}, file{name: "go/pkg/in/file", mode: 0o444},
		file{name: "go/bin/", mode: 0o555}, file{name: "go/", mode: 0o555})})
	i.run(i.from)
	for _, name := range []string{"pkg/in", "pkg", "bin", "."} { // as a user may have done
		if err := os.Chmod(filepath.Join(i.dir, version, name), 0o500); err != nil {
			t.Fatal(err)
		}
	}
	i.run("-uninstall", version)
	equal(t, "left in the folder", i.entries(), "[]")
}

// TestDiskFull installs to a file system that is smaller than what is in the archive.
func TestDiskFull(t *testing.T) {
	i := newInstallation(t)
	if err := os.Mkdir(i.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	inside := []string{"--mount", "sh", "-c", `mount -t tmpfs -o size=100k none "$1" && shift || exit 99; "$@"; code=$?; ls -A "$4"; exit $code`, "sh", i.dir}
	if os.Getuid() != 0 {
		inside = append([]string{"--map-root-user"}, inside...)
	}
	cmd := exec.Command("unshare", append(inside, "bash", installer, "-dir", i.dir, i.archive())...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 99 || strings.Contains(stderr.String(), "unshare") {
		t.Skipf("no small file system: %v\n%s", err, &stderr)
	}
	if err == nil || !strings.Contains(stderr.String(), "cannot unpack ") || len(out) != 0 {
		t.Errorf("%v; left behind: %q\n%s", err, out, &stderr)
	}
}

// TestZip installs an archive for Windows, as a shell there would, which uname shows.
func TestZip(t *testing.T) {
	if _, err := exec.LookPath("unzip"); err != nil {
		t.Skip("there is no unzip")
	}
	var data bytes.Buffer
	zw := zip.NewWriter(&data)
	header := &zip.FileHeader{Name: "go/bin/go.exe", Method: zip.Deflate}
	header.SetMode(0o755)
	w, err := zw.CreateHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("#!/bin/sh\necho go version " + printed(version) + " windows/amd64\n")); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	i := newInstallation(t)
	download(t, i.from, map[string][]byte{version + ".windows-amd64.zip": data.Bytes()})
	uname := filepath.Join(t.TempDir(), "uname")
	write(t, uname, []byte("#!/bin/sh\ncase $1 in -s) echo MINGW64_NT-10.0 ;; -m) echo x86_64 ;; esac\n"))
	if err := os.Chmod(uname, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd, stdout, stderr := i.command(i.from)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(uname)+":"+os.Getenv("PATH"))
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	equal(t, "output", stdout.String(), `export PATH=`+i.dir+"/"+version+`/bin:"$PATH"`+"\n")
	out, err := exec.Command(filepath.Join(i.dir, version, "bin", version+".exe")).CombinedOutput()
	if err != nil || string(out) != "go version "+printed(version)+" windows/amd64\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// hold changes the archive to one whose go command, the first time that it
// runs, makes the file held and waits until this file is removed.
func (i *installation) hold() (held string) {
	i.t.Helper()
	tmp := filepath.Dir(i.from)
	held = filepath.Join(tmp, "held")
	write(i.t, filepath.Join(tmp, "hold"), nil)
	download(i.t, i.from, map[string][]byte{archiveName(version, host): pack(i.t, strings.Replace(reports(version), "\n",
		fmt.Sprintf("\nmv %s/hold %s 2>/dev/null && while [ -e %[2]s ]; do sleep 0.01; done\n", tmp, held), 1))})
	return held
}

// start starts install.bash, and returns when a file exists.
func (i *installation) start(file string, env []string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	i.t.Helper()
	cmd, stdout, stderr = i.command(args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return cmd, stdout, stderr
		}
		if time.Now().After(deadline) {
			i.t.Fatal("timed out waiting for install.bash")
		}
	}
}

// end ends install.bash and the commands that it runs.
func (i *installation) end(cmd *exec.Cmd, sig syscall.Signal) {
	i.t.Helper()
	if err := syscall.Kill(-cmd.Process.Pid, sig); err != nil {
		i.t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		i.t.Errorf("install.bash succeeded after %v", sig)
	}
}

// TestInterrupted checks that a signal leaves nothing behind.
func TestInterrupted(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			c := make(chan os.Signal, 1)
			signal.Notify(c, sig) // otherwise install.bash ignores what the test does, as under nohup
			defer signal.Stop(c)
			i := newInstallation(t)
			cmd, _, _ := i.start(i.hold(), nil, i.from)
			i.end(cmd, sig)
			equal(t, "left in the folder", i.entries(), "[]")
		})
	}
}

// TestSecond checks a run during which another run, or the user, makes the
// folder of the same version.
func TestSecond(t *testing.T) {
	for _, test := range []struct {
		name    string
		between func(i *installation)
		want    string // what the first run reports
		success bool
	}{
		{"the same archive", func(i *installation) { i.run(i.from) }, "is installed already\n", true},
		{"another archive", func(i *installation) {
			download(i.t, i.from, map[string][]byte{archiveName(version, host): pack(i.t, reports(version)+"# changed\n")})
			i.run(i.from)
		}, "there is another ", false},
		{"not an archive", func(i *installation) {
			write(i.t, filepath.Join(i.dir, version, "precious"), nil)
		}, "was not made by install.bash", false},
		{"a folder that is two days old", func(i *installation) {
			folders, err := filepath.Glob(filepath.Join(i.dir, ".install.bash.*"))
			if err != nil || len(folders) != 1 {
				i.t.Fatal(folders, err)
			}
			long := time.Now().Add(-49 * time.Hour)
			if err := os.Chtimes(folders[0], long, long); err != nil {
				i.t.Fatal(err)
			}
			i.run(i.from)
		}, "cannot write to ", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := newInstallation(t)
			held := i.hold()
			cmd, stdout, stderr := i.start(held, nil, i.from)
			test.between(i)
			before := contents(t, filepath.Join(i.dir, version))
			remove(t, held)
			err := cmd.Wait()
			if (err == nil) != test.success || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("%v, want %q:\n%s", err, test.want, stderr)
			}
			line := ""
			if test.success {
				line = `export PATH=` + i.dir + "/" + version + `/bin:"$PATH"` + "\n"
			}
			equal(t, "output", stdout.String(), line)
			equal(t, "the version", fmt.Sprint(contents(t, filepath.Join(i.dir, version))), fmt.Sprint(before))
			equal(t, "in the folder", i.entries(), "["+version+"]")
		})
	}
}

// node returns the name of this machine as uname has it.
func node(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("uname", "-n").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// dead returns the number of a process that has ended.
func dead(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// TestAtOnce starts runs at once, with and without folders that killed runs left.
func TestAtOnce(t *testing.T) {
	want := newInstallation(t)
	want.run(want.from)
	for _, left := range []int{0, 3} {
		i := newInstallation(t)
		for n := range left {
			write(t, filepath.Join(i.dir, fmt.Sprintf(".install.bash.%s.%d.abcde%d", node(t), dead(t), n), version, "part"), nil)
		}
		var wait sync.WaitGroup
		for range 8 {
			cmd, stdout, stderr := i.command(i.from)
			wait.Go(func() {
				err := cmd.Run()
				if line := `export PATH=` + i.dir + "/" + version + `/bin:"$PATH"` + "\n"; err != nil || stdout.String() != line {
					t.Errorf("%v\n%s%s", err, stdout, stderr)
				}
			})
		}
		wait.Wait()
		equal(t, "in the folder", fmt.Sprint(contents(t, i.dir)), fmt.Sprint(contents(t, want.dir)))
	}
}

// TestKilled checks the runs after one that was killed.
func TestKilled(t *testing.T) {
	install := func(i *installation) *exec.Cmd {
		cmd, _, _ := i.start(i.hold(), nil, i.from)
		return cmd
	}
	uninstall := func(i *installation) *exec.Cmd {
		i.run(i.from)
		waits := filepath.Join(i.t.TempDir(), "rm")
		write(i.t, waits, []byte("#!/bin/sh\ntouch "+waits+".runs\nexec sleep 60\n"))
		if err := os.Chmod(waits, 0o755); err != nil {
			i.t.Fatal(err)
		}
		cmd, _, _ := i.start(waits+".runs", []string{"PATH=" + filepath.Dir(waits) + ":" + os.Getenv("PATH")}, "-uninstall", version)
		return cmd
	}
	again := func(i *installation) {
		cmd, _, stderr := i.command("-uninstall", version)
		if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "there is no "+i.dir) {
			i.t.Errorf("%v\n%s", err, stderr)
		}
	}
	for _, test := range []struct {
		name   string
		killed func(*installation) *exec.Cmd
		next   func(*installation)
		want   string // in the folder
	}{
		{"install, install", install, func(i *installation) { i.run(i.from) }, "[" + version + "]"},
		{"install, uninstall", install, again, "[]"},
		{"uninstall, install", uninstall, func(i *installation) { i.run(i.from) }, "[" + version + "]"},
		{"uninstall, uninstall", uninstall, again, "[]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := newInstallation(t)
			i.end(test.killed(i), syscall.SIGKILL)
			if left := i.entries(); !strings.HasPrefix(left, "[.install.bash.") || strings.Contains(left, " ") {
				t.Errorf("left behind: %s, want one folder of the run", left)
			}
			equal(t, "list", i.run("-list"), "")
			test.next(i)
			equal(t, "in the folder", i.entries(), test.want)
		})
	}
}

// TestLeft checks which of the files and folders that look like those of killed runs are removed.
func TestLeft(t *testing.T) {
	long := 49 * time.Hour
	run := fmt.Sprintf(".%d.abcdef", dead(t))
	here := ".install.bash." + node(t) + run
	for _, test := range []struct {
		name, file string
		age        time.Duration
		owner      int
		link, kept bool
	}{
		{name: "of this machine", file: here + "/file"},
		{name: "of another user", file: here + "/file", owner: 65534, age: long, kept: true},
		{name: "of another machine", file: ".install.bash.x." + node(t) + run + "/file", kept: true},
		{name: "old, of another machine", file: ".install.bash.x." + node(t) + run + "/file", age: long},
		{name: "of this process", file: fmt.Sprintf(".install.bash.%s.%d.abcdef/file", node(t), os.Getpid()), kept: true},
		{name: "a file", file: here, age: long, kept: true},
		{name: "a link", file: here, link: true, kept: true},
		{name: "an editor's folder", file: ".install.bash.swp/file", age: long, kept: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := newInstallation(t)
			name := filepath.Join(i.dir, test.file)
			if test.link {
				write(t, filepath.Join(i.dir, "other", "file"), nil)
				symlink(t, "other", name)
			} else {
				write(t, name, nil)
			}
			if test.owner != 0 {
				if os.Getuid() != 0 {
					t.Skip("only the superuser can make files of other users")
				}
				if err := os.Chown(filepath.Dir(name), test.owner, test.owner); err != nil {
					t.Fatal(err)
				}
			}
			for _, path := range []string{name, filepath.Dir(name)} {
				if err := os.Chtimes(path, time.Time{}, time.Now().Add(-test.age)); err != nil {
					t.Fatal(err)
				}
			}
			i.run(i.from)
			_, err := os.Lstat(name)
			equal(t, "kept", err == nil, test.kept)
			i.run("-uninstall", version)
		})
	}
}

// TestCannotRemove uninstalls when rm fails.
func TestCannotRemove(t *testing.T) {
	i := newInstallation(t)
	i.run(i.from)
	fails := filepath.Join(t.TempDir(), "rm")
	write(t, fails, []byte("#!/bin/sh\nexit 1\n"))
	if err := os.Chmod(fails, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd, _, stderr := i.command("-uninstall", version)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(fails)+":"+os.Getenv("PATH"))
	if err := cmd.Run(); err == nil || !strings.HasPrefix(stderr.String(), "install.bash: cannot remove all of "+i.dir+"/.install.bash.") {
		t.Errorf("%v\n%s", err, stderr)
	}
	equal(t, "list", i.run("-list"), "")
	i.run(i.from)
	equal(t, "in the folder", i.entries(), "["+version+"]")
}

// TestAnotherUser uninstalls a version that another user has installed.
func TestAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only the superuser can run install.bash as another user")
	}
	i := newInstallation(t)
	i.run(i.from)
	if err := os.Chmod(i.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	i.another()
	i.fail("belongs to another user", "-uninstall", version)
}
