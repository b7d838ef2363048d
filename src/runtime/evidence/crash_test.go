// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"internal/testenv"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// crash is the part of TestCrash that dies. way says how it dies.
func crash(t *testing.T, way string) {
	dir := os.Getenv("TEST_CRASH_DIR")
	if err := Start(Config{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for range 16 << 20 / 4096 {
		leak = &leaked{next: leak}
	}
	go waitForever()
	switch way {
	case "fatal":
		var m map[string]int
		go func() { m["x"] = 1 }() // in a goroutine that no test recovers
	case "ties":
		large = append(large, leakFirst(), leakSecond(), leakThird())
		go panic("ties")
	case "memory":
		limitAddressSpace(t)
		leakLarge()
	case "other":
		f, err := os.Create(filepath.Join(dir, "other"))
		if err != nil {
			t.Fatal(err)
		}
		debug.SetCrashOutput(f, debug.CrashOptions{})
		debug.SetCrashOutput(f, debug.CrashOptions{}) // may have the descriptor that our file had
		go panic("other")
	}
	select {}
}

// limitAddressSpace limits the address space to 256 MiB more than the process
// has. It is nil except on Linux without the race detector.
var limitAddressSpace func(t *testing.T)

func waitForever() { select {} }

//go:noinline
func leakLarge() {
	for {
		large = append(large, make([]byte, 16<<20))
	}
}

var large [][]byte

//go:noinline
func leakFirst() []byte { return make([]byte, 32<<20) }

//go:noinline
func leakSecond() []byte { return make([]byte, 32<<20) }

//go:noinline
func leakThird() []byte { return make([]byte, 32<<20) }

func TestCrash(t *testing.T) {
	if way := os.Getenv("TEST_CRASH"); way != "" {
		crash(t, way)
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		t.Skip("no crash output")
	}
	for _, test := range []struct {
		way  string
		want []string // texts in the file, in this order
	}{
		{"fatal", []string{"panic: assignment to entry in nil map", "goroutine ", "memory in bytes:", "heap objects\n", "goroutines\n",
			"peak: ", "runtime/evidence.crash", "growth: "}},
		{"memory", []string{"runtime/evidence.leakLarge", "fatal error: ", "memory", "memory in bytes:", "heap objects\n", "goroutines\n",
			"peak: ", "runtime/evidence.leakLarge", "growth: ", "runtime/evidence.leakLarge"}},
		{"ties", []string{"peak: ", "\t33554432\n", "\t33554432\n", "\t33554432\n", "growth: "}},
		{"other", nil},
	} {
		t.Run(test.way, func(t *testing.T) {
			if test.way == "memory" && limitAddressSpace == nil {
				t.Skip("the address space cannot be limited")
			}
			dir := t.TempDir()
			cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestCrash$")
			cmd.Env = append(os.Environ(), "TEST_CRASH="+test.way, "TEST_CRASH_DIR="+dir, "GOTRACEBACK=all")
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the process did not die:\n%s", out)
			}
			if strings.Contains(string(out), "memory in bytes:") {
				t.Errorf("standard error has what only the file should have:\n%s", out)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "crash-*.txt"))
			if len(files) != 1 {
				t.Fatalf("got files %q, want one", files)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			rest := string(data)
			if test.want == nil && rest != "" {
				t.Errorf("the program's own file is set, and ours has:\n%s", rest)
			}
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("no %q after the others:\n%s", want, data)
				}
				rest = after
			}
			if test.way == "ties" {
				_, objects, _ := strings.Cut(string(data), "peak: ")
				objects, _, _ = strings.Cut(objects, "growth: ")
				for _, name := range []string{"leakFirst", "leakSecond", "leakThird"} {
					if n := strings.Count(objects, "runtime/evidence."+name+" "); n != 1 {
						t.Errorf("%s occurs %d times:\n%s", name, n, objects)
					}
				}
			}
			if test.way == "other" {
				other, err := os.ReadFile(filepath.Join(dir, "other"))
				if err != nil || !strings.Contains(string(other), "panic: other") || strings.Contains(string(other), "memory in bytes:") {
					t.Errorf("the program's file: %v\n%s", err, other)
				}
			}
		})
	}
}

// TestStopCrash checks that Stop ends the crash output and removes the file.
func TestStopCrash(t *testing.T) {
	dir := t.TempDir()
	if err := Start(Config{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if files := names(t, dir); len(files) != 1 || !strings.HasPrefix(files[0], crashPrefix) {
		t.Errorf("after Start: got files %q, want one for crashes", files)
	}
	Stop()
	if files := names(t, dir); len(files) != 0 {
		t.Errorf("after Stop: got files %q", files)
	}
	if runtime_unwatchCrash() {
		t.Error("after Stop: crashes are still watched")
	}
}

// TestStopCrashOther checks that Stop leaves the program's crash output.
func TestStopCrashOther(t *testing.T) {
	if err := Start(Config{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil {
			t.Skip(err)
		}
	}
	output := runtime_crashOutputs()
	Stop()
	if runtime_crashOutputs() != output {
		t.Error("Stop has set another crash output")
	}
	debug.SetCrashOutput(nil, debug.CrashOptions{})
}

func TestPruneCrashes(t *testing.T) {
	switch runtime.GOOS {
	case "aix", "illumos", "js", "plan9", "solaris", "wasip1", "windows":
		t.Skip("no flock")
	}
	d := folder{path: t.TempDir()}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(d.path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("crash-20260101T000000.000000Z-1.txt", "oldest")
	write("crash-20260102T000000.000000Z-1.txt", "older")
	write("crash-20260103T000000.000000Z-1.txt", "newest")
	write("crash-20260104T000000.000000Z-1.txt", "") // left by a process that was killed
	write("crash.txt", "")                           // not a file of this package
	inUse, err := d.openCrash(time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	defer inUse.close()
	d.pruneCrashes(2)
	want := []string{filepath.Base(inUse.name), "crash-20260102T000000.000000Z-1.txt", "crash-20260103T000000.000000Z-1.txt", "crash.txt"}
	if got := names(t, d.path); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCreateCrash makes files while another goroutine prunes them.
func TestCreateCrash(t *testing.T) {
	switch runtime.GOOS {
	case "aix", "illumos", "js", "plan9", "solaris", "wasip1", "windows":
		t.Skip("no flock")
	}
	d := folder{path: t.TempDir()}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				d.pruneCrashes(1)
			}
		}
	}()
	for range 200 {
		f, err := d.createCrash(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		d.pruneCrashes(1)
		if _, err := os.Lstat(f.Name()); err != nil {
			t.Error(err)
		}
		f.Close()
	}
	close(stop)
	<-stopped
}
