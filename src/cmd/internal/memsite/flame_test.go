// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memsite

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A testTree is a tree of nodes with sizes and names.
type testTree struct {
	parents  []int
	children [][]int
	sizes    []int64
	names    []string
}

// add adds a node and returns its number.
func (t *testTree) add(parent int, size int64, name string) int {
	n := len(t.parents)
	t.parents, t.children = append(t.parents, parent), append(t.children, nil)
	t.sizes, t.names = append(t.sizes, size), append(t.names, name)
	if parent >= 0 {
		t.children[parent] = append(t.children[parent], n)
	}
	return n
}

func (t *testTree) Parent(n int) int     { return t.parents[n] }
func (t *testTree) Children(n int) []int { return t.children[n] }
func (t *testTree) Size(n int) int64     { return t.sizes[n] }

func (t *testTree) label(b *Box) Label {
	if b.Rest != nil {
		return Label{Name: fmt.Sprint(len(b.Rest))}
	}
	return Label{Name: t.names[b.Node], Prefix: "f ", Link: fmt.Sprint("/", b.Node), Marked: b.Node == 2}
}

func TestDraw(t *testing.T) {
	x := new(testTree)
	root := x.add(-1, 10_000, "all")
	a := x.add(root, 8000, "example.com/a.T")
	x.add(a, 6000, "[]uint8")
	x.add(root, 1990, "map[string]*x/b.T")
	for range 10 {
		x.add(root, 1, "c.T")
	}
	for node, want := range map[int][]string{
		root: {"0.000% 0 100.000% root f all", "0.000% 20 80.000% c f a.T", "0.000% 40 60.000% plain match f []uint8",
			"80.000% 20 19.900% c f map[string]*b.T", "99.900% 20 0.100% rest "},
		a: {"0.000% 0 100.000% root above f all", "0.000% 20 100.000% c f a.T", "0.000% 40 75.000% plain match f []uint8"},
	} {
		p := Draw(x, node)
		p.SetLabels(x.label)
		var got []string
		for _, b := range p.Boxes {
			class := strings.TrimRight(b.Class, "01234567")
			got = append(got, fmt.Sprintf("%s %d %s %s %s", b.X, b.Y, b.Width, class, b.Text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("node %d: boxes\n%s\nwant\n%s", node, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	p := Draw(x, root)
	p.SetLabels(x.label)
	var names []string
	for _, c := range p.Legend {
		names = append(names, c.Name)
	}
	want := []string{"what is above all", "package a", "no package, such as []uint8", "package b", "several, too small for boxes"}
	if !slices.Equal(names, want) || p.Height != 3*boxHeight || p.Hidden != 10 {
		t.Errorf("legend %q, height %d, hidden %d", names, p.Height, p.Hidden)
	}
	if p := Draw(new(testTreeOfNothing), 0); len(p.Boxes) != 0 || p.Height != 0 {
		t.Errorf("of nothing: %+v", p)
	}
}

// A testTreeOfNothing has a node without a size.
type testTreeOfNothing struct{}

func (*testTreeOfNothing) Parent(int) int     { return -1 }
func (*testTreeOfNothing) Children(int) []int { return nil }
func (*testTreeOfNothing) Size(int) int64     { return 0 }

// TestDrawMost checks that a picture has no more than the most boxes, and that
// these are the widest and highest.
func TestDrawMost(t *testing.T) {
	const columns, levels = 100, 3000
	x := new(testTree)
	root := x.add(-1, columns, "all")
	for range columns {
		up := root
		for range levels {
			up = x.add(up, 1, "x")
		}
	}
	p := Draw(x, root)
	if len(p.Boxes) != mostBoxes || p.Hidden != columns {
		t.Errorf("%d boxes, %d hidden", len(p.Boxes), p.Hidden)
	}
	if most := mostBoxes / columns * boxHeight; slices.ContainsFunc(p.Boxes, func(b Box) bool { return b.Y > most }) {
		t.Errorf("a box is below %d", most)
	}
}

func TestPackageName(t *testing.T) {
	for name, want := range map[string]string{
		"[]*example.com/a.T": "a", "goroutine a.(*U).f": "a", "map[int]*b/c.T": "c", "main.T[example.com/a.X]": "main",
		"[]uint8": "", "(write barrier)": "", "gopkg.in/yaml%2ev3.Node": "yaml%2ev3", "main.x []uint8": "main",
	} {
		if got := PackageName(name); got != want {
			t.Errorf("the package of %s is %q, want %q", name, got, want)
		}
	}
}

// TestFlameEscapes draws a tree whose names are hostile.
func TestFlameEscapes(t *testing.T) {
	const name = `</title><script>alert("1")</script>&'.x`
	x := new(testTree)
	x.add(x.add(-1, 10, name), 10, name)
	p := Draw(x, 0)
	p.Name = name
	p.SetLabels(func(b *Box) Label { return Label{Name: name, Prefix: name, Title: name, Link: "javascript:" + name} })
	var out bytes.Buffer
	if err := Templates(nil).ExecuteTemplate(&out, "flame", p); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.Contains(s, "<script") || strings.Contains(s, `"1"`) || strings.Contains(s, "javascript:") {
		t.Errorf("not escaped: %s", s)
	}
}
