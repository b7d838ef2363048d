// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

// grow adds a path with growth, and to the whole heap what is not moved.
func (f *facts) grow(root string, bytes, objects int64, whole int64, names ...string) {
	for i := range f.Moments {
		f.Moments[i].Live += int64(i) * whole / (spaced + 1)
	}
	at := f.Refs
	at.NewBytes += whole
	for _, name := range names {
		c := &element{Name: name, Root: root, Bytes: 10 * mb, Objects: 100, NewBytes: bytes, NewCount: objects}
		at.Children = append(at.Children, c)
		at = c
	}
}

func TestFindLive(t *testing.T) {
	const path = "main.visits > map[string]*main.visit[value]"
	leak := func(f *facts) {
		f.grow("global", 9*mb, 31000, 9*mb, "main.visits", "map[string]*main.visit[value]", "main.visit.pages []string")
	}
	testFindings(t, findLive, []findingTest{
		{"leak", leak, []string{path}},
		{"two leaks", func(f *facts) {
			leak(f)
			f.grow("global", 4*mb, 10, 4*mb, "main.log", "main.log.head *node", "main.node.next *node")
		}, []string{path, "main.log > main.log.head *node > main.node.next *node"}},
		{"two fields, each half", func(f *facts) {
			f.grow("global", 8*mb, 10, 8*mb, "main.server")
			root := f.Refs.Children[len(f.Refs.Children)-1]
			root.Children = []*element{{Name: "a", NewBytes: 4 * mb, NewCount: 5}, {Name: "b", NewBytes: 4 * mb, NewCount: 5}}
		}, []string{"main.server > a", "main.server > b"}},
		{"many small fields", func(f *facts) {
			f.grow("global", 8*mb, 10, 8*mb, "main.server")
			root := f.Refs.Children[len(f.Refs.Children)-1]
			for _, name := range []string{"a", "b", "c", "d", "e"} {
				root.Children = append(root.Children, &element{Name: name, NewBytes: 1.6 * mb, NewCount: 5})
			}
		}, []string{"main.server"}},
		{"a variable of main", func(f *facts) {
			f.grow("stack", 6*mb, 10, 6*mb, "(stack)", "runtime.main", "main.main", "main.main.all []uint8")
			f.Refs.Bytes = 500 * mb
		}, []string{"(stack) > runtime.main > main.main > main.main.all []uint8"}},
		{"another goroutine", func(f *facts) { f.grow("stack", 6*mb, 10, 6*mb, "(stack)", "main.run", "main.run.all []uint8") },
			[]string{"(stack) > main.run > main.run.all []uint8"}},
		{"requests of a goroutine", func(f *facts) {
			f.grow("stack", 6*mb, 10, 6*mb, "(stack)", "main.run", "main.run.all []uint8")
			f.Refs.Bytes = 500 * mb
		}, nil},
		{"many goroutines", func(f *facts) {
			f.grow("stack", 6*mb, 10, 6*mb, "(stack)")
			root := f.Refs.Children[len(f.Refs.Children)-1]
			for _, name := range []string{"a", "b", "c", "d"} {
				root.Children = append(root.Children, &element{Name: name, NewBytes: 1.5 * mb, NewCount: 5})
			}
		}, nil},
		{"less than the least", func(f *facts) { f.grow("global", growthLeast-1, 10, growthLeast, "main.x") }, nil},
		{"less than the share", func(f *facts) {
			f.Refs.Bytes = 1000 * mb
			f.grow("global", 9*mb, 10, 9*mb, "main.x")
		}, nil},
		{"moved from another path", func(f *facts) {
			f.grow("global", 9*mb, 10, 9*mb, "main.x")
			f.grow("global", -9*mb, -10, -9*mb, "main.y")
		}, nil},
		{"the heap goes up and down", func(f *facts) {
			leak(f)
			f.Moments[collected[1]].Live += 5 * mb
		}, nil},
		{"leak of a busy server", func(f *facts) {
			leak(f)
			for _, i := range collected[1:3] {
				f.Moments[i].Live += 5 * mb
			}
			f.Moments[collected[3]].During = 5 * mb
		}, []string{path}},
		{"a busy server has grown in the first third", func(f *facts) {
			leak(f)
			for i := 3; i < len(f.Moments); i++ {
				f.Moments[i].Live = 39 * mb
			}
			for _, i := range collected[1:3] {
				f.Moments[i].Live += 5 * mb
			}
			f.Moments[collected[3]].During = 5 * mb
		}, nil},
		{"the live heap is not known", func(f *facts) {
			leak(f)
			for i := range f.Moments {
				f.Moments[i].Live = 0
			}
		}, nil},
		{"a request makes a large slice", func(f *facts) {
			leak(f)
			for i := range f.Moments {
				f.Moments[i].Live = 30 * mb
			}
			f.Moments[collected[3]].Live = 39 * mb
		}, nil},
		{"a timer", func(f *facts) { f.grow("timer", 6*mb, 10, 6*mb, "(timer) main.expire") }, []string{"(timer) main.expire"}},
		{"timers of requests", func(f *facts) {
			f.grow("timer", 6*mb, 10, 6*mb, "(timer) main.expire")
			f.Refs.Bytes = 500 * mb
		}, nil},
		{"a queue of finalizers", func(f *facts) { f.grow("finalizer", 6*mb, 10, 6*mb, "(finalizer queue)", "(argument) *main.T") },
			[]string{"(finalizer queue) > (argument) *main.T"}},
		{"lost", func(f *facts) { f.grow("lost", 9*mb, 10, 9*mb, "(not recorded)") }, nil},
		{"the write barrier", func(f *facts) { f.grow("barrier", 9*mb, 10, 9*mb, "(write barrier)") }, nil},
		{"this request", func(f *facts) { f.grow("(this request)", 9*mb, 10, 9*mb, "(this request)") }, nil},
		{"allocated during the collection", func(f *facts) { f.grow("allocated", 9*mb, 10, 9*mb, "x") }, nil},
		{"one object becomes larger", func(f *facts) {
			f.grow("global", 9*mb, 0, 9*mb, "main.x", "main.x.log []uint8")
			f.Refs.Children[2].Children[0].Objects = 1
		}, []string{"main.x > main.x.log []uint8"}},
		{"many objects become larger", func(f *facts) { f.grow("global", 9*mb, 0, 9*mb, "main.x", "main.chunk.stream []uint8") }, nil},
		{"objects become larger and move to another map", func(f *facts) {
			f.grow("global", 9*mb, 0, 9*mb, "main.x")
			f.Refs.Children[2].Children = []*element{{Name: "a", NewBytes: 8 * mb, NewCount: 50, Objects: 100}, {Name: "b", NewBytes: mb, NewCount: -50, Objects: 100}}
		}, nil},
		{"a pool", func(f *facts) {
			f.grow("global", 12*mb, 20, 12*mb, "main.server", "main.server.pool.local *sync.poolLocal")
			f.Refs.leavePools()
		}, nil},
		{"a pool and a list", func(f *facts) {
			f.grow("global", 12*mb, 20, 12*mb, "main.server", "main.server.pool.local *sync.poolLocal")
			root := f.Refs.Children[2]
			root.NewBytes, root.NewCount = 18*mb, 30
			root.Children = append(root.Children, &element{Name: "main.server.list []*T", NewBytes: 6 * mb, NewCount: 10})
			f.Refs.NewBytes += 6 * mb
			f.Refs.leavePools()
		}, []string{"main.server > main.server.list []*T"}},
		{"one object becomes larger while requests allocate", func(f *facts) {
			f.grow("global", 9*mb, 0, 9*mb, "main.x")
			f.Refs.Children[2].Objects = 1
			f.grow("allocated", 9*mb, 99, 9*mb, "(allocated during GC)")
		}, []string{"main.x"}},
		{"one object has become larger", func(f *facts) { f.grow("global", 9*mb, 0, 12*mb, "main.x") }, nil},
		{"parts of many objects", func(f *facts) {
			f.grow("global", 8*mb, 100, 8*mb, "main.tree", "main.node.child *node")
			f.Refs.Children[2].Children[0].Children = []*element{{Name: "a", NewBytes: 4 * mb, NewCount: 5}, {Name: "b", NewBytes: 4 * mb, NewCount: 5}}
		}, []string{"main.tree > main.node.child *node"}},
		{"objects move between variables of a goroutine", func(f *facts) {
			f.grow("stack", 6*mb, 10, 6*mb, "(stack)", "main.run")
			f.Refs.Children[2].Children[0].Children = []*element{{Name: "main.run.a", NewBytes: 50 * mb, NewCount: 50}, {Name: "main.run.b", NewBytes: -44 * mb, NewCount: -40}}
		}, []string{"(stack) > main.run"}},
	})
}

func TestFindLiveSites(t *testing.T) {
	testFindings(t, findLive, []findingTest{
		{"leak", func(f *facts) {
			f.Refs, f.SiteRate = nil, 512<<10
			f.growing(objects, mb)
			f.Sites = []site{{Code: "main.keep a/b.go:7", Bytes: 40 * mb, NewBytes: 10 * mb}}
		}, []string{"main.keep a/b.go:7"}},
		{"too few samples", func(f *facts) {
			f.Refs, f.SiteRate = nil, 512<<10
			f.growing(objects, mb)
			f.Sites = []site{{Code: "main.keep a/b.go:7", Bytes: 40 * mb, NewBytes: 8 * mb}}
		}, nil},
		{"others went", func(f *facts) {
			f.Refs, f.SiteRate = nil, 512<<10
			f.growing(objects, mb)
			f.Sites = []site{{Code: "main.keep", NewBytes: 10 * mb}, {Code: "main.drop", NewBytes: -10 * mb}}
		}, nil},
	})
}
