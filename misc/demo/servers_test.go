// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// serverStandIns are scripts that replace the commands of servers.bash. Those
// that look at a server append a line to $STATES, which says whether the server
// and its load are stopped.
var serverStandIns = map[string]string{
	"goroot/bin/go": `#!/bin/bash
case $1 in
build)
	while [ "$1" != -o ]; do shift; done
	for package in "${@:3}"; do
		name=${package%/v2}
		cp "$STANDINS/program" "$2${name##*/}"
	done ;;
test) states compared ;;
tool) if [ "$2" = heapgraph ]; then echo graph >"$5"; fi ;;
esac
`,
	"bin/program": `#!/bin/bash
name=${0##*/}
case $name in
share | moved) exit ;;
nats-server | orders) echo $$ >"$STATES.server" ;;
load) echo $$ >"$STATES.load" ;;
esac
echo "load is on"
exec /bin/sleep 600
`,
	"bin/states": `#!/bin/bash
line=$1
for process in server load; do
	if [ -f "$STATES.$process" ]; then
		case $(cut -d ' ' -f 3 "/proc/$(cat "$STATES.$process")/stat") in
		T) line="$line, $process stopped" ;;
		[RSD]) line="$line, $process runs" ;;
		esac
	fi
done
echo "$line" >>"$STATES"
`,
	"bin/curl": `#!/bin/bash
while [ $# -gt 0 ]; do
	if [ "$1" = -o ]; then file=$2; fi
	shift
done
case $file in
*/last.graph) states graph ;;
esac
echo saved >"$file"
`,
	"bin/gcore": `#!/bin/bash
states core
echo core >"$2.$3"
`,
	"bin/strip": `#!/bin/bash
echo stripped >"$2"
`,
	// The pauses of 1 and 5 seconds end at once. The pause of 2 seconds is
	// real, because the load must be stopped when it is over.
	"bin/sleep": `#!/bin/bash
case $1 in
1 | 5) ;;
*) exec /bin/sleep "$1" ;;
esac
`,
}

// TestCores checks which processes are stopped while a heap graph and a core
// file are made for comparison: the load, unless the server makes its own, and
// never the server.
func TestCores(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	dir := t.TempDir()
	for name, text := range serverStandIns {
		write(t, filepath.Join(dir, name), text)
	}
	for _, name := range []string{"servers.bash", "processes.bash"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "misc", "demo", name), string(text))
	}
	for _, test := range []struct {
		server string
		want   []string
	}{
		{"nats", []string{"graph, server runs, load stopped", "core, server runs, load stopped", "compared, server runs, load runs"}},
		{"orders", []string{"graph, server runs", "core, server runs", "compared, server runs"}},
	} {
		t.Run(test.server, func(t *testing.T) {
			states := filepath.Join(t.TempDir(), "states")
			cmd := exec.Command(filepath.Join(dir, "misc", "demo", "servers.bash"), filepath.Join(t.TempDir(), "out"), test.server)
			cmd.Env = append(os.Environ(), "CORES=1", "STATES="+states, "STANDINS="+filepath.Join(dir, "bin"),
				"PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			have, err := os.ReadFile(states)
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Split(strings.TrimSpace(string(have)), "\n"); !slices.Equal(lines, test.want) {
				t.Errorf("have %q, want %q", lines, test.want)
			}
		})
	}
}

// write writes an executable file.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
}
