// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package demo

import (
	"os/exec"
	"strings"
	"testing"
)

// TestTyped checks that a shell runs a command that demo.bash prints, whatever
// its arguments contain.
func TestTyped(t *testing.T) {
	args := []string{"printf", "%s|", "-top", "/a b/go", "it's", "$HOME", `"`, "a;b", ""}
	script := `root=$(pwd) && . ./processes.bash && typed "$@"`
	line, err := exec.Command("bash", append([]string{"-c", script, "demo.bash"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("bash", "-c", string(line)).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	if have, want := string(out), strings.Join(args[2:], "|")+"|"; have != want {
		t.Errorf("%shas the arguments %s, want %s", line, have, want)
	}
	line, err = exec.Command("bash", "-c", script, "demo.bash", "/p/go", "tool", "pprof", "-http=localhost:8080", "x.pb.gz").Output()
	if want := "/p/go tool pprof -http=localhost:8080 x.pb.gz\n"; err != nil || string(line) != want {
		t.Errorf("have %q, %v, want %q", line, err, want)
	}
}
