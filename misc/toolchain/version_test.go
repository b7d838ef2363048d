// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package toolchain

// Programs that were not written for it read the toolchain's version, in one of
// two forms. Its name, go1.27.4-refs-5dcfd7b6, is what runtime.Version returns
// and GOTOOLCHAIN takes. go version, go env GOVERSION and the build information
// of executables have the release first, go1.27.4 X:refs-5dcfd7b6, because
// programs that look for vulnerabilities read the first word as the release.
// Most readers below are the code that such a program uses, not a model of it.
// misc/compat runs the programs themselves.

import (
	"fmt"
	"go/version"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/go-delve/delve/pkg/goversion"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A reader is code that parses versions. read returns an error if that code
// does not accept version, or finds another release in it than base.
type reader struct {
	name string
	read func(version, base string) error
}

var readers = []reader{
	{"go/version", readGoVersion},
	{"x/mod/semver", readSemver},
	{"x/mod/module", readModule},
	{"x/mod/modfile, go.mod", readGoMod},
	{"x/mod/modfile, go.work", readGoWork},
	{"Delve, runtime.Version", readDelve},
	{"Delve, build information", readDelveRelease},
	{"setup-go", readThirdWord},
	{"Delve, DW_AT_producer", readDelveProducer},
}

// TestVersionForm reads the version of the built toolchain, and the same with
// hashes that are the hardest to read: digits only, a leading zero, a number
// with an exponent, letters only.
func TestVersionForm(t *testing.T) {
	built := builtVersion(t)
	base, _, _ := strings.Cut(built, "-")
	for _, hash := range []string{built[len(built)-8:], "01234567", "00000000", "1e100000", "deadbeef"} {
		v := built[:len(built)-8] + hash
		for _, r := range readers {
			t.Run(v+"/"+r.name, func(t *testing.T) {
				if err := r.read(v, base); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// builtVersion returns the toolchain's name, by which the compiler identifies itself.
func builtVersion(t *testing.T) string {
	t.Helper()
	return strings.Fields(mustRun(t, ".", nil, "tool", "compile", "-V"))[2]
}

// releaseFirst returns what go version prints of the toolchain with this name.
func releaseFirst(name string) string { return strings.Replace(name, "-", " X:", 1) }

func readGoVersion(v, base string) error {
	if !version.IsValid(v) || version.Compare(v, base) != 0 || version.Lang(v) != version.Lang(base) {
		return fmt.Errorf("valid: %v; Compare with %s: %d; Lang: %s", version.IsValid(v), base, version.Compare(v, base), version.Lang(v))
	}
	return nil
}

// readSemver reads the version as a semantic version whose prerelease is the
// fork's suffix.
func readSemver(v, base string) error {
	s := "v" + strings.TrimPrefix(v, "go")
	want := strings.TrimPrefix(v, base)
	if !semver.IsValid(s) || semver.Prerelease(s) != want {
		return fmt.Errorf("%s: valid: %v; prerelease %q, want %q", s, semver.IsValid(s), semver.Prerelease(s), want)
	}
	return nil
}

// readModule checks the module version that the go command looks for if the
// toolchain is not in PATH.
func readModule(v, _ string) error {
	return module.Check("golang.org/toolchain", "v0.0.1-"+v+".linux-amd64")
}

func readGoMod(v, _ string) error {
	f, err := modfile.Parse("go.mod", []byte("module m\ngo 1.21\ntoolchain "+v+"\n"), nil)
	if err != nil {
		return err
	}
	return sameName(f.Toolchain, v)
}

func readGoWork(v, _ string) error {
	f, err := modfile.ParseWork("go.work", []byte("go 1.21\ntoolchain "+v+"\n"), nil)
	if err != nil {
		return err
	}
	return sameName(f.Toolchain, v)
}

func sameName(have *modfile.Toolchain, want string) error {
	if have == nil || have.Name != want {
		return fmt.Errorf("toolchain %v, want %s", have, want)
	}
	return nil
}

func readDelve(v, _ string) error {
	have, ok := goversion.Parse(v)
	if !ok || have.String() != v {
		return fmt.Errorf("parsed: %v; as %s, want %s", ok, have.String(), v)
	}
	return nil
}

// readDelveRelease reads the version of a program without debugging information.
func readDelveRelease(v, base string) error {
	want, ok := goversion.Parse(base)
	have, read := goversion.Parse(releaseFirst(v))
	if !ok || !read || have != want {
		return fmt.Errorf("read as %s, want %s", have.String(), want.String())
	}
	return nil
}

// readThirdWord takes the third word of go version's output, as setup-go and
// many scripts do. It must be a release, because setup-go compares it as a
// semantic version, of which a prerelease satisfies no range.
func readThirdWord(v, base string) error {
	word := strings.Split("go version "+releaseFirst(v)+" linux/amd64", " ")[2]
	if word != base || !regexp.MustCompile(`^go\d+\.\d+\.\d+$`).MatchString(word) {
		return fmt.Errorf("the third word is %s, want %s", word, base)
	}
	return nil
}

// readDelveProducer reads what the compiler writes into the debugging information.
func readDelveProducer(v, base string) error {
	want, ok := goversion.Parse(base)
	have := goversion.ParseProducer("Go cmd/compile " + v + "; regabi")
	if !ok || have.Major != want.Major || have.Minor != want.Minor || have.Rev != want.Rev {
		return fmt.Errorf("read as %s, want %s", have.String(), want.String())
	}
	return nil
}

// TestReleaseFirst checks that go version, GOVERSION and the build information
// of a program have the release as their first word, and tell builds apart.
func TestReleaseFirst(t *testing.T) {
	want := releaseFirst(builtVersion(t))
	dir := writeModule(t, "go 1.27\n", hello)
	mustRun(t, dir, nil, "build")
	version, _, _ := strings.Cut(mustRun(t, dir, nil, "version", "-m", "example"+exe()), "\n")
	for _, test := range []struct{ what, got, want string }{
		{"go version", mustRun(t, ".", nil, "version"), "go version " + want + " " + runtime.GOOS + "/" + runtime.GOARCH + "\n"},
		{"go env GOVERSION", mustRun(t, ".", nil, "env", "GOVERSION"), want + "\n"},
		{"go version of a program", version, "example" + exe() + ": " + want},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.what, test.got, test.want)
		}
	}
}
