// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

// This file runs testdata/refscorpus, a program that builds heaps of known
// shape and checks each refs and inuse profile of them exactly. A mode is a way
// to build and to run it that could make a difference to a recording.
//
// By default, go test runs one mode once, always with the same random shapes,
// and in short mode without the inuse profile and with fewer refs profiles. The
// first of these commands runs all modes, and the second takes profiles for a
// given time:
//
//	go test runtime/pprof -run=RefsCorpus -v -timeout=0 -refsmodes=.
//	go test runtime/pprof -run=RefsCorpus -v -timeout=0 -refssoak=20m

package pprof_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"internal/platform"
	"internal/race"
	"internal/testenv"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	refsModes = flag.String("refsmodes", "", "run the modes of TestRefsCorpus whose name matches `regexp`, with new random shapes in each run")
	refsCount = flag.Int("refscount", 3, "run each mode of -refsmodes `N` times")
	refsSoak  = flag.Duration("refssoak", 0, "take profiles of the corpus of TestRefsCorpus for `duration`, and watch its memory")
)

// A run counts as hanging if it takes longer than corpusRunTime and than half of
// the time that go test leaves. A run takes less than a minute on two idle cores,
// and some minutes on busy ones with the race detector.
const corpusRunTime = 10 * time.Minute

// corpusLimit returns how long a run may take.
func corpusLimit(t *testing.T) time.Duration {
	end, ok := t.Deadline()
	if !ok {
		return corpusRunTime
	}
	left := time.Until(end)
	return min(max(corpusRunTime, left/2), left-time.Minute)
}

// A corpusBuild is a way to build the corpus.
type corpusBuild struct {
	name  string
	env   []string
	flags []string
	need  func(*testing.T) // skips the test where the program cannot be built or run
}

// A corpusMode is a way to run a build of the corpus.
type corpusMode struct {
	name  string
	build *corpusBuild
	env   []string
	flags []string
}

var (
	corpusPlain    = &corpusBuild{name: "plain"}
	corpusRace     = &corpusBuild{name: "race", flags: []string{"-race"}, need: needRace}
	corpus386      = &corpusBuild{name: "386", env: []string{"GOARCH=386", "CGO_ENABLED=0"}, need: need386}
	corpusStripped = &corpusBuild{name: "stripped", flags: []string{"-ldflags=-s -w"}}
	corpusPIE      = &corpusBuild{name: "pie", flags: []string{"-buildmode=pie"}, need: needPIE}
	corpusExternal = &corpusBuild{name: "external", env: []string{"CGO_ENABLED=1"}, flags: []string{"-ldflags=-linkmode=external"}, need: needCgo}
	corpusNoOpt    = &corpusBuild{name: "noopt", flags: []string{"-gcflags=all=-N -l"}}

	// Without Green Tea, the collector marks objects one by one, with other
	// code.
	corpusNoGreenTea    = &corpusBuild{name: "nogreenteagc", env: []string{"GOEXPERIMENT=nogreenteagc"}}
	corpusNoGreenTea386 = &corpusBuild{name: "nogreenteagc386", env: []string{"GOEXPERIMENT=nogreenteagc", "GOARCH=386", "CGO_ENABLED=0"}, need: need386}
)

var corpusModes = []corpusMode{
	{name: "plain", build: corpusPlain},
	{name: "procs1", build: corpusPlain, env: []string{"GOMAXPROCS=1"}},
	{name: "procs2", build: corpusPlain, env: []string{"GOMAXPROCS=2"}},
	{name: "procs8", build: corpusPlain, env: []string{"GOMAXPROCS=8"}},
	{name: "checkmark", build: corpusPlain, env: []string{"GODEBUG=gccheckmark=1"}},
	{name: "stoptheworld1", build: corpusPlain, env: []string{"GODEBUG=gcstoptheworld=1"}},
	{name: "stoptheworld2", build: corpusPlain, env: []string{"GODEBUG=gcstoptheworld=2"}},
	{name: "clobberfree", build: corpusPlain, env: []string{"GODEBUG=clobberfree=1"}},
	{name: "noasyncpreempt", build: corpusPlain, env: []string{"GODEBUG=asyncpreemptoff=1"}},
	{name: "gogc1", build: corpusPlain, env: []string{"GOGC=1"}},
	{name: "gogcoff", build: corpusPlain, env: []string{"GOGC=off"}},
	{name: "memlimit", build: corpusPlain, env: []string{"GOMEMLIMIT=200MiB", "GOGC=off"}},
	{name: "race", build: corpusRace},
	{name: "race8", build: corpusRace, env: []string{"GOMAXPROCS=8"}},
	{name: "386", build: corpus386},
	{name: "386checkmark", build: corpus386, env: []string{"GODEBUG=gccheckmark=1"}},
	{name: "stripped", build: corpusStripped},
	{name: "pie", build: corpusPIE},
	{name: "external", build: corpusExternal},
	{name: "noopt", build: corpusNoOpt},
	{name: "nogreenteagc", build: corpusNoGreenTea},
	{name: "nogreenteagc8", build: corpusNoGreenTea, env: []string{"GOMAXPROCS=8"}},
	{name: "nogreenteagccheckmark", build: corpusNoGreenTea, env: []string{"GODEBUG=gccheckmark=1"}},
	{name: "nogreenteagc386", build: corpusNoGreenTea386},
	{name: "full", build: corpusPlain, flags: []string{"-full"}},
}

func needRace(t *testing.T) {
	t.Helper()
	if !platform.RaceDetectorSupported(runtime.GOOS, runtime.GOARCH) {
		t.Skipf("the race detector does not support %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	needCgo(t)
}

func needCgo(t *testing.T) {
	t.Helper()
	if !testenv.HasCGO() {
		t.Skip("the build needs cgo, which is off or has no C compiler")
	}
}

func need386(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("programs for linux/386 run on linux/amd64, and this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

func needPIE(t *testing.T) {
	t.Helper()
	testenv.MustHaveBuildMode(t, "pie")
	if !platform.InternalLinkPIESupported(runtime.GOOS, runtime.GOARCH) {
		needCgo(t)
	}
}

func TestRefsCorpus(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	c := &corpus{t.TempDir(), make(map[*corpusBuild]error)}
	if *refsModes == "" && *refsSoak == 0 {
		m := corpusDefault()
		if testing.Short() {
			m.flags = append(slices.Clone(m.flags), "-short")
		}
		t.Run(m.name, func(t *testing.T) { c.try(t, m, 1, !testing.Short()) })
		return
	}
	if *refsModes != "" {
		if *refsCount < 1 {
			t.Fatalf("-refscount: %d runs test nothing", *refsCount)
		}
		wanted, err := regexp.Compile(*refsModes)
		if err != nil {
			t.Fatalf("-refsmodes: %v", err)
		}
		modes := slices.DeleteFunc(slices.Clone(corpusModes), func(m corpusMode) bool { return !wanted.MatchString(m.name) })
		if len(modes) == 0 {
			t.Fatalf("-refsmodes: no mode's name matches %s", *refsModes)
		}
		for _, m := range modes {
			m.flags = append([]string{"-seed=0"}, m.flags...)
			t.Run(m.name, func(t *testing.T) { c.try(t, m, *refsCount, true) })
		}
	}
	if *refsSoak > 0 {
		t.Run("soak", func(t *testing.T) { c.soak(t, *refsSoak) })
	}
}

// corpusDefault returns the mode that is run if no flag asks for others: the
// mode that is most like the test's own process.
func corpusDefault() corpusMode {
	name := "plain"
	if race.Enabled {
		name = "race"
	}
	return corpusModes[slices.IndexFunc(corpusModes, func(m corpusMode) bool { return m.name == name })]
}

// A corpus builds the corpus in a directory, in each way once.
type corpus struct {
	dir   string
	built map[*corpusBuild]error
}

// program returns the executable file that a build makes. It skips the test if
// the build is impossible here.
func (c *corpus) program(t *testing.T, b *corpusBuild) string {
	t.Helper()
	if b.need != nil {
		b.need(t)
	}
	file := filepath.Join(c.dir, b.name+".exe")
	err, ok := c.built[b]
	if !ok {
		err = c.build(t, b, file)
		c.built[b] = err
	}
	if err != nil {
		t.Fatalf("building the corpus: %v", err)
	}
	return file
}

// build builds the corpus. It copies the source first, because packages in
// GOROOT/src would be packages of the standard library, and their variables
// would not be the program's own.
func (c *corpus) build(t *testing.T, b *corpusBuild, file string) error {
	src := filepath.Join(c.dir, "src")
	if _, err := os.Stat(src); err != nil {
		if err := os.CopyFS(src, os.DirFS("testdata/refscorpus")); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(src, "go.mod"), []byte("module refs.corpus\ngo 1.26\n"), 0o666); err != nil {
			return err
		}
	}
	cmd := testenv.Command(t, testenv.GoToolPath(t), slices.Concat([]string{"build", "-o", file}, b.flags, []string{"."})...)
	cmd.Dir = src
	cmd.Env = corpusEnv(b.env)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %v\n%s", cmd, err, out)
	}
	return nil
}

// corpusEnv returns the environment with the variables added, and without
// settings of the user that would change the mode.
func corpusEnv(variables []string) []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{"GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT"}, name)
	})
	env = append(env, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOENV=off", "GOFLAGS=", "GOTOOLCHAIN=local", "GOWORK=off")
	return append(env, variables...)
}

// try runs the corpus in a mode, count times with the refs profile and, if
// inuse is set, as many times with the inuse profile. A run with the inuse
// profile takes twice as long.
func (c *corpus) try(t *testing.T, m corpusMode, count int, inuse bool) {
	program := c.program(t, m.build)
	kinds := [][]string{nil}
	if inuse && pprof.Lookup("inuse") != nil {
		kinds = append(kinds, []string{"-inuse"})
	}
	var runs, right, profiles int
	for range count {
		for _, kind := range kinds {
			runs++
			out, err := runCorpus(t, corpusLimit(t), m.env, program, slices.Concat([]string{"-v"}, m.flags, kind)...)
			n, ok := corpusProfiles(out)
			if err == nil && !ok {
				err = errors.New("the last line is not the number of profiles")
			}
			if err != nil {
				t.Errorf("run %d: %v\n%s", runs, err, out)
				continue
			}
			right++
			profiles += n
		}
	}
	t.Logf("%d of %d runs right, with %d profiles", right, runs, profiles)
}

// soak takes profiles, for the time d, of a program whose goroutines allocate
// and move pointers as fast as they can. The program fails if it needs much
// more memory in the last tenth of the time than in the second tenth.
func (c *corpus) soak(t *testing.T, d time.Duration) {
	if end, ok := t.Deadline(); ok && time.Until(end) < d {
		t.Fatalf("-refssoak=%v needs more time than go test allows: say -timeout=0", d)
	}
	out, err := runCorpus(t, d+corpusRunTime, nil, c.program(t, corpusPlain), "-mutators=4", "-soak="+d.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// runCorpus runs a program and returns its output. A program that does not end
// in time prints the stacks of its goroutines, and err reports the timeout.
func runCorpus(t *testing.T, limit time.Duration, env []string, program string, args ...string) (out []byte, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := testenv.CommandContext(t, ctx, program, args...)
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, time.Minute) // a program that hangs may not heed a signal
	cmd.Env = corpusEnv(env)
	out, err = cmd.CombinedOutput()
	if err == nil {
		return out, nil
	}
	err = fmt.Errorf("%s: %w", strings.Join(append(slices.Clip(env), cmd.String()), " "), err)
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: it did not end within %v", err, limit)
	}
	return out, err
}

var corpusRight = regexp.MustCompile(`^([1-9][0-9]*) profiles of .* are right$`)

// corpusProfiles returns the number of profiles that a run has checked without
// an error. This number is in the last line of the output.
func corpusProfiles(out []byte) (n int, ok bool) {
	out = bytes.TrimSuffix(out, []byte("\n"))
	match := corpusRight.FindSubmatch(out[bytes.LastIndexByte(out, '\n')+1:])
	if match == nil {
		return 0, false
	}
	n, err := strconv.Atoi(string(match[1]))
	return n, err == nil
}
