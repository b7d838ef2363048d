// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refpath

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A memory is a path with memory at its end. Slashes separate the elements of
// the path.
type memory struct {
	path           string
	objects, bytes int64
}

func (m *memory) unused() int64 { return m.bytes / 10 }

// makeTree makes a tree of paths. The function returns the elements' texts.
func makeTree(paths []memory) (*Tree, func(int32) string) {
	t := new(Tree)
	var texts []string
	for _, m := range paths {
		n := int32(0)
		for e := range strings.SplitSeq(m.path, "/") {
			if !slices.Contains(texts, e) {
				texts = append(texts, e)
			}
			n = t.Child(n, int32(slices.Index(texts, e)))
		}
		t.Add(n, m.objects, m.bytes, m.unused())
	}
	return t, func(elem int32) string { return texts[elem] }
}

func text(t *testing.T, paths []memory, mode Mode) string {
	t.Helper()
	var b strings.Builder
	tree, name := makeTree(paths)
	if err := tree.Write(&b, mode, name); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	tests := []struct {
		name  string
		mode  Mode
		paths []memory
		want  string
	}{
		{"empty", Amount, nil, `
         bytes  share     flat bytes     objects   flat objs       mean       unused  path
`},
		{"largest first", Amount, []memory{{"a", 1, 10}, {"a/x", 2, 20}, {"b/y", 3, 60}, {"b/z", 1, 10}}, `
         bytes  share     flat bytes     objects   flat objs       mean       unused  path
            70  70.0%              0           4           0          0            7  b
            60  60.0%             60           3           3         20            6    y
            10  10.0%             10           1           1         10            1    z
            30  30.0%             10           3           1         10            3  a
            20  20.0%             20           2           2         10            2    x
`},
		{"small paths share a line", Amount, []memory{{"a/b", 1, 9999000}, {"a/c/d", 7, 400}, {"a/e", 2, 500}, {"f/g", 3, 60}}, `
         bytes  share     flat bytes     objects   flat objs       mean       unused  path
       9999900 100.0%              0          10           0          0       999990  a
       9999000 100.0%        9999000           1           1    9999000       999900    b
           900   0.0%              0           9           0          0           90    (2 smaller)
            60   0.0%              0           3           0          0            6  (1 smaller)
`},
		{"one small path that ends", Amount, []memory{{"a/b", 1, 9999000}, {"a/c", 7, 400}}, `
         bytes  share     flat bytes     objects   flat objs       mean       unused  path
       9999400 100.0%              0           8           0          0       999940  a
       9999000 100.0%        9999000           1           1    9999000       999900    b
           400   0.0%            400           7           7         57           40    c
`},
		{"the same path twice", Amount, []memory{{"a/b", 1, 10}, {"a/b", 2, 20}}, `
         bytes  share     flat bytes     objects   flat objs       mean       unused  path
            30 100.0%              0           3           0          0            3  a
            30 100.0%             30           3           3         10            3    b
`},
		{"delta", Delta, []memory{{"a/x", -2, -200}, {"b", 0, 0}, {"a/y", 1, 50}, {"c/z", 5, 80}}, `
         bytes     flat bytes     objects   flat objs  path
           +80             +0          +5          +0  c
           +80            +80          +5          +5    z
          -150             +0          -1          +0  a
           +50            +50          +1          +1    y
          -200           -200          -2          -2    x
`},
		{"delta that cancels out below one path", Delta, []memory{{"a/x", 1, 100}, {"a/y", -1, -100}}, `
         bytes     flat bytes     objects   flat objs  path
            +0             +0          +0          +0  a
          +100           +100          +1          +1    x
          -100           -100          -1          -1    y
`},
	}
	for _, tt := range tests {
		if got := "\n" + text(t, tt.paths, tt.mode); got != tt.want {
			t.Errorf("%s:%s\nwant%s", tt.name, got, tt.want)
		}
	}
}

// TestRandom checks the text of random trees. It compares the numbers of each
// line with sums over the paths, and checks that no memory is missing.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for mode := Amount; mode <= Delta; mode++ {
		for range 100 {
			var paths []memory
			for range 1 + random.IntN(100) {
				path := make([]string, 1+random.IntN(5))
				for i := range path {
					path[i] = string(rune('a' + random.IntN(4)))
				}
				bytes := random.Int64N(1 << random.IntN(30))
				if mode == Delta && random.IntN(3) == 0 {
					bytes = -bytes
				}
				paths = append(paths, memory{strings.Join(path, "/"), bytes / 8, bytes})
			}
			checkText(t, paths, mode)
		}
	}
}

// checkText checks the text of a tree of paths.
func checkText(t *testing.T, paths []memory, mode Mode) {
	all, flat, unused := make(map[string]int64), make(map[string]int64), make(map[string]int64)
	var total int64
	for _, m := range paths {
		total += m.bytes
		flat[m.path] += m.bytes
		for p := m.path; p != ""; p = p[:max(strings.LastIndexByte(p, '/'), 0)] {
			all[p] += m.bytes
			unused[p] += m.unused()
		}
	}
	var above []string
	lines := strings.Split(strings.TrimSuffix(text(t, paths, mode), "\n"), "\n")
	for _, line := range lines[1:] {
		fields := strings.Fields(line)
		var bytes, flatBytes, notUsed int64
		if mode == Amount {
			fmt.Sscan(fields[6], &notUsed)
			fields = slices.Delete(slices.Delete(fields, 1, 2), 4, 6)
		}
		fmt.Sscan(fields[0], &bytes)
		fmt.Sscan(fields[1], &flatBytes)
		total -= flatBytes
		if strings.HasSuffix(line, "smaller)") {
			total -= bytes
			continue
		}
		numbers := line[:len(line)-1] // the name is one letter, after the indent and two more spaces
		indent := len(numbers) - len(strings.TrimRight(numbers, " ")) - 2
		above = append(above[:indent/2], fields[4])
		path := strings.Join(above, "/")
		if bytes != all[path] || flatBytes != flat[path] {
			t.Fatalf("%s: %d bytes, flat %d, want %d, %d", path, bytes, flatBytes, all[path], flat[path])
		}
		if mode == Amount && notUsed != unused[path] {
			t.Fatalf("%s: %d unused, want %d", path, notUsed, unused[path])
		}
		delete(all, path)
	}
	if total != 0 {
		t.Fatalf("%d bytes are missing in\n%s", total, strings.Join(lines, "\n"))
	}
	least := int64(0)
	for _, bytes := range flat {
		least += max(bytes, -bytes)
	}
	for path := range maps.Keys(all) {
		if bytes := flat[path]; max(bytes, -bytes) > 0 && max(bytes, -bytes) >= least/1000 {
			t.Fatalf("no line for %s with %d bytes", path, bytes)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriteFails(t *testing.T) {
	full := errors.New("disk full")
	tree, name := makeTree([]memory{{"a", 1, 1}})
	if err := tree.Write(failing{full}, Amount, name); err != full {
		t.Errorf("error %v, want %v", err, full)
	}
}
