// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"gorefs/misc/demo/saved"
)

// TestMain runs an example instead of the tests if the environment names one.
// Each example needs a process of its own, because its profiles are of the
// whole process.
func TestMain(m *testing.M) {
	if os.Getenv("GROWTH_EXAMPLE") != "" {
		os.Args = []string{"growth", os.Getenv("GROWTH_EXAMPLE"), os.Getenv("GROWTH_DIR")}
		main()
		return
	}
	os.Exit(m.Run())
}

// TestAnswers runs the examples and checks the widest frames of their flame
// graphs, which doc/tutorial.md shows.
func TestAnswers(t *testing.T) {
	dirs := make(map[string]string)
	for name := range examples {
		dirs[name] = run(t, name)
	}
	tests := []struct {
		example, profile, sampleType string
		base                         string // profile to subtract
		within                       string // only stacks that have this frame
		below                        string // the widest of the frames that this frame calls
		want                         string
		share                        float64 // its least share of the total
	}{
		{"leak", "memory", "memory_space", "base.memory", "Live heap at the last collection", "", "main.newVisit", 0.7},
		{"spike", "peak", "peak_space", "", "", "main.makeReport", "main.reportLines", 0.7},
		{"spike", "heap", "inuse_space", "", "", "main.spike", "main.fillCache", 0.9},
		{"spike", "growth", "resident_space", "base.growth", "", "main.makeReport", "main.reportLines", 0.7},
		{"stacks", "growth", "stack_growth", "base.growth", "", "", "main.validate", 0.9},
		{"stacks", "growth", "resident_space", "base.growth", "", "", "main.validate", 0.5},
		{"fragmentation", "memory", "memory_space", "base.memory", "", "Go memory", "Fragmented heap", 0.7},
		{"database", "growth", "mapped_space", "base.growth", "", "", "golang.org/x/sys/unix.mmap", 0.9},
		{"database", "growth", "unmapped_space", "base.growth", "", "", "golang.org/x/sys/unix.munmap", 0.9},
		{"database", "growth", "mapped_space", "base.growth", "", "go.etcd.io/bbolt.(*Tx).allocate", "go.etcd.io/bbolt.(*DB).allocate", 0.5},
	}
	for _, test := range tests {
		t.Run(strings.Join([]string{test.example, test.profile, test.sampleType}, "/"), func(t *testing.T) {
			p := read(t, dirs[test.example], test.profile)
			if test.base != "" {
				p = diff(t, p, read(t, dirs[test.example], test.base))
			}
			g := newGraph(t, p, test.sampleType, test.within)
			name, bytes := g.widest(test.below)
			if name != test.want {
				t.Errorf("the widest frame below %q is %s with %d of %d bytes, want %s with %d", test.below, name, bytes, g.total, test.want, g.below(test.below)[test.want])
			}
			if share := float64(bytes) / float64(g.total); share < test.share {
				t.Errorf("%s has %.3f of all, want %.3f", name, share, test.share)
			}
		})
	}
}

// run runs an example and returns the folder of its profiles.
func run(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GROWTH_EXAMPLE="+name, "GROWTH_DIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return dir
}

func read(t *testing.T, dir, name string) *profile.Profile {
	t.Helper()
	p, err := saved.Read(filepath.Join(dir, name+".pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// diff returns p without base, as pprof -diff_base does.
func diff(t *testing.T, p, base *profile.Profile) *profile.Profile {
	t.Helper()
	base.Scale(-1)
	d, err := profile.Merge([]*profile.Profile{p, base})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A graph is a flame graph of one sample type: frames from the root, and their
// bytes. If newGraph is called for one frame, the graph leaves out stacks
// without that frame, as pprof's -focus does.
type graph struct {
	stacks [][]string
	bytes  []int64
	total  int64 // sum of the samples that are not negative
}

func newGraph(t *testing.T, p *profile.Profile, sampleType, within string) *graph {
	t.Helper()
	i := slices.IndexFunc(p.SampleType, func(st *profile.ValueType) bool { return st.Type == sampleType })
	if i < 0 {
		t.Fatalf("the profile has no %s", sampleType)
	}
	g := new(graph)
	for _, s := range p.Sample {
		var stack []string
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				stack = append(stack, strings.Replace(line.Function.Name, "gorefs/misc/demo/growth.", "main.", 1))
			}
		}
		if within != "" && !slices.Contains(stack, within) {
			continue
		}
		g.stacks = append(g.stacks, stack)
		g.bytes = append(g.bytes, s.Value[i])
		g.total += max(s.Value[i], 0)
	}
	return g
}

// below returns the frames that are called by the frame with the given name. If
// name is "", it returns the frames that call nothing, which are the tips of
// the flames.
func (g *graph) below(name string) map[string]int64 {
	frames := make(map[string]int64)
	for i, stack := range g.stacks {
		if name == "" {
			frames[stack[len(stack)-1]] += g.bytes[i]
			continue
		}
		if k := slices.Index(stack, name); k >= 0 && k+1 < len(stack) {
			frames[stack[k+1]] += g.bytes[i]
		}
	}
	return frames
}

// widest returns the frame with the most bytes among the frames that below
// returns.
func (g *graph) widest(name string) (frame string, bytes int64) {
	for f, n := range g.below(name) {
		if n > bytes || n == bytes && f < frame {
			frame, bytes = f, n
		}
	}
	return frame, bytes
}
