// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes a take of a core file: one moment, with the paths of the live
// heap and the goroutines. Go tool heapgraph reads the core file, and the heap
// graph that it writes stays in the folder.

package main

import (
	"bytes"
	"cmd/internal/filetool"
	"cmp"
	"debug/heapgraph"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

const graphName = "heap.graph"

// coreReason begins the reason of the take of a core file.
const coreReason = "core file "

// readCore makes a take of the core file of an executable, in a folder that is
// empty or new.
func (c *invocation) readCore(exe, core, dir string) (*take, error) {
	if err := filetool.CheckCore("go tool memreport", exe, core); err != nil {
		return nil, err
	}
	if err := makeEmpty(dir); err != nil {
		return nil, err
	}
	graph := filepath.Join(dir, graphName)
	if err := c.heapgraph("core", "-o", graph, exe, core); err != nil {
		return nil, fmt.Errorf("%s: %w", core, err)
	}
	t, err := readGraph(graph)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", core, err)
	}
	t.Program, t.Reason = exe, coreReason+filepath.Base(core)
	if err := t.writeFiles(dir); err != nil {
		return nil, err
	}
	c.say("the heap graph and what is made of it are in %s", dir)
	return readTake(dir)
}

// heapgraph runs go tool heapgraph. What it warns of is printed.
func (c *invocation) heapgraph(args ...string) error {
	command := exec.Command(goCommand(), append([]string{"tool", "heapgraph"}, args...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	err := command.Run()
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if err != nil {
		return fmt.Errorf("go tool heapgraph: %s", cmp.Or(lines[len(lines)-1], err.Error()))
	}
	for _, line := range lines {
		if line != "" {
			c.say("%s", line)
		}
	}
	return nil
}

// goCommand returns the go command of this toolchain, of which go tool sets the
// folder.
func goCommand() string {
	if root := os.Getenv("GOROOT"); root != "" {
		return filepath.Join(root, "bin", "go")
	}
	return "go"
}

// readGraph returns a take with the profiles refs and goroutine that the process
// of a heap graph would have had.
func readGraph(name string) (*take, error) {
	g, err := openGraph(name, nil)
	if err != nil {
		return nil, err
	}
	t := newTake()
	t.Time, t.Moments = g.Time.UTC(), []float64{0}
	for _, missing := range []string{"classes of memory", "growth", "peak", "inuse", "goroutineleak"} {
		t.Missing[missing] = "not in a core file"
	}
	started := startedBy(g)
	if err := t.addProfile("refs.2.pb.gz", pathProfile(g, started)); err != nil {
		return nil, err
	}
	return t, t.addProfile("goroutine.0.pb.gz", goroutineProfile(started))
}

// openGraph reads a heap graph.
func openGraph(name string, o *heapgraph.Options) (*heapgraph.Graph, error) {
	file, err := heapgraph.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Graph(o)
}

func (t *take) addProfile(name string, p *profile.Profile) error {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	t.files[name] = b.Bytes()
	return nil
}

// startedBy returns how many goroutines began with each function.
func startedBy(g *heapgraph.Graph) map[string]int64 {
	counts := make(map[string]int64)
	from, to := g.Roots()
	for v := from; v < to; v++ {
		if g.SecondClass(v) {
			continue // a running goroutine has another root
		}
		for _, r := range g.Goroutines(v) {
			counts[r.Func]++
		}
	}
	return counts
}

// pathProfile returns the live heap by paths.
func pathProfile(g *heapgraph.Graph, started map[string]int64) *profile.Profile {
	w := newProfileWriter("live_objects", "live_space", "unused_space")
	for _, x := range g.Dominators().ByPath() {
		path := strings.Split(x.Name, pathSeparator)
		root := rootKind(path[0])
		if started[path[0]] > 0 {
			root = "stack"
			path = append([]string{stackRoot}, path...)
		}
		slices.Reverse(path)
		w.add(path, root, x.Shallow.Objects, x.Shallow.Bytes, x.Unused)
	}
	return w.p
}

// rootKinds are the kinds of roots whose names have a form of their own.
var rootKinds = []struct{ prefix, kind string }{
	{"(timer)", "timer"}, {"(finalizer", "finalizer"}, {"(cleanup", "cleanup"}, {"(weak handle)", "weak"},
	{"(write barrier)", "barrier"}, {"(allocated during GC)", "allocated"}, {"(not recorded)", "lost"}, {"(unknown)", "lost"},
	{"runtime.", "runtime"},
}

func rootKind(name string) string {
	for _, k := range rootKinds {
		if strings.HasPrefix(name, k.prefix) {
			return k.kind
		}
	}
	return "global"
}

// goroutineProfile returns the goroutines by the function in which they began.
func goroutineProfile(started map[string]int64) *profile.Profile {
	w := newProfileWriter("goroutine")
	for name, n := range started {
		w.add([]string{name}, "", n)
	}
	return w.p
}

// A profileWriter makes a profile whose frames are names.
type profileWriter struct {
	p         *profile.Profile
	locations map[string]*profile.Location
}

func newProfileWriter(types ...string) *profileWriter {
	w := &profileWriter{new(profile.Profile), make(map[string]*profile.Location)}
	for _, name := range types {
		unit := "count"
		if strings.HasSuffix(name, "_space") {
			unit = "bytes"
		}
		w.p.SampleType = append(w.p.SampleType, &profile.ValueType{Type: name, Unit: unit})
	}
	return w
}

// add adds a sample, whose innermost name is the first one.
func (w *profileWriter) add(names []string, root string, values ...int64) {
	s := &profile.Sample{Value: values}
	if root != "" {
		s.Label = map[string][]string{"root": {root}}
	}
	for _, name := range names {
		l := w.locations[name]
		if l == nil {
			id := uint64(len(w.locations) + 1)
			f := &profile.Function{ID: id, Name: name}
			l = &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
			w.locations[name] = l
			w.p.Function = append(w.p.Function, f)
			w.p.Location = append(w.p.Location, l)
		}
		s.Location = append(s.Location, l)
	}
	w.p.Sample = append(w.p.Sample, s)
}
