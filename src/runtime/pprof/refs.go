// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Refs: the profile of what retains the live heap. writeRefs takes a recording
// of the runtime (internal/profilerecord/refs.go), which has numbers and
// pointers only, and turns it into paths of named elements. Then it writes them:
// refsproto.go as a protocol buffer, refstext.go as text. refsnames.go names.
//
// Requests at the same time share recordings, see refsQueue. What they share,
// a refs, is not changed once it is made.

package pprof

import (
	"errors"
	"internal/pathtree"
	"internal/profilerecord"
	"io"
	"sync"
	"sync/atomic"
	_ "unsafe" // for linkname
)

var refsProfile = &Profile{
	name:  "refs",
	count: countRefs,
	write: writeRefs,
}

// refsRequests is the queue of all requests for the profile.
var refsRequests = refsQueue{record: pprof_refs}

// refsCount is the number of samples of the latest recording.
var refsCount atomic.Int64

// countRefs returns the number of samples of the latest recording, 0 if there
// was none. It does not record, for lists of profiles ask for counts.
func countRefs() int {
	return int(refsCount.Load())
}

// writeRefs records and writes a refs profile.
func writeRefs(w io.Writer, debug int) error {
	r, err := refsRequests.take()
	if err != nil {
		return err
	}
	if debug > 0 {
		return r.writeText(w)
	}
	return r.writeProto(w)
}

// A refsQueue makes recordings one after another. All requests that arrive
// while one is made get the next, so that each gets a recording that began after
// it asked, and waits for no more than two.
type refsQueue struct {
	record func() (p *profilerecord.RefsProfile, failed string)

	recording sync.Mutex // held while record runs and its nodes are in memory
	mu        sync.Mutex // protects next
	next      *refsFlight
}

// A refsFlight is a recording and the requests that share it.
type refsFlight struct {
	once sync.Once
	refs *refs // set by once, as is err
	err  error
}

// take returns a recording that begins after the call to take.
func (q *refsQueue) take() (*refs, error) {
	return q.fly(q.join())
}

// fly waits for the recording of f, which the first caller makes.
func (q *refsQueue) fly(f *refsFlight) (*refs, error) {
	f.once.Do(func() {
		q.recording.Lock()
		defer q.recording.Unlock()
		q.leave(f)
		f.err = errors.New("runtime/pprof: refs: recording panicked") // unless it returns
		p, failed := q.record()
		if failed != "" {
			f.err = errors.New("runtime/pprof: refs: " + failed)
			return
		}
		f.refs = newRefs(p)
		f.err = nil
		refsCount.Store(int64(len(f.refs.samples)))
	})
	return f.refs, f.err
}

// join returns the next flight.
func (q *refsQueue) join() *refsFlight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = new(refsFlight)
	}
	return q.next
}

// leave makes f, which is the next flight, no longer that: it starts.
func (q *refsQueue) leave(f *refsFlight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next != f {
		panic("pprof: refs: flight left twice")
	}
	q.next = nil
}

// A refs is a recording with names. Nodes of the recording that come to the same
// names on the same path are one here.
type refs struct {
	header  profilerecord.RefsProfile // without Nodes
	elems   []refsElem                // all elements of paths
	groups  []refsGroup               // what all paths begin with
	types   []string                  // all types of objects, "" for none
	paths   pathtree.Tree[int32]      // of elements by index, below groups: ^index
	samples []refsSample
}

// A refsGroup is a kind of roots. Paths that begin with different groups have
// different labels.
type refsGroup struct {
	root   string      // the label root
	labels [][2]string // keys and values of goroutines' labels, and leaked
}

// A refsSample is the objects of one type at the end of one path.
type refsSample struct {
	path           int32
	typ            int32
	objects, bytes int64
}

// A refsBuilder makes a refs of a recording.
type refsBuilder struct {
	*refs
	elemIndex   map[refsElem]int32
	groupIndex  map[refsGroupKey]int32
	typeIndex   map[string]int32
	sampleIndex map[refsSampleKey]int32
}

type refsGroupKey struct {
	root, labels string
	leaked       bool
}

type refsSampleKey struct{ path, typ int32 }

// newRefs names the nodes of a recording and merges those of equal names.
func newRefs(p *profilerecord.RefsProfile) *refs {
	b := refsBuilder{
		refs:        &refs{header: *p},
		elemIndex:   make(map[refsElem]int32),
		groupIndex:  make(map[refsGroupKey]int32),
		typeIndex:   make(map[string]int32),
		sampleIndex: make(map[refsSampleKey]int32),
	}
	b.header.Nodes = nil
	namer := newRefsNamer(p.Nodes)
	paths := make([]int32, len(p.Nodes)) // of nodes
	for i := range p.Nodes {
		node := &p.Nodes[i]
		path := paths[node.Parent]
		if i > 0 && node.Parent == 0 {
			path = b.group(node)
		}
		if i > 0 && node.Kind != profilerecord.RefsGoroutine {
			name := namer.name(i)
			if !name.isParent {
				path = b.paths.Child(path, b.elem(name.elem))
			}
			b.add(path, name.objects, node)
		} else if node.Objects != 0 {
			b.addLost(path, node)
		}
		paths[i] = path
	}
	return b.refs
}

// group returns the path of the group to which a root belongs.
func (b *refsBuilder) group(node *profilerecord.RefsNode) int32 {
	set := (*labelMap)(node.Labels)
	key := refsGroupKey{refsRoot(node.Kind), set.String(), node.Leaked}
	g, ok := b.groupIndex[key]
	if !ok {
		g = int32(len(b.groups))
		b.groups = append(b.groups, refsGroup{key.root, refsGroupLabels(set, node.Leaked)})
		b.groupIndex[key] = g
	}
	return b.paths.Child(0, ^g)
}

// refsGroupLabels returns the labels of goroutines. A key can have one value in a
// profile, therefore those that refs profiles have themselves get the prefix goroutine.
func refsGroupLabels(set *labelMap, leaked bool) [][2]string {
	var labels [][2]string
	if leaked {
		labels = append(labels, [2]string{"leaked", "true"})
	}
	if set == nil {
		return labels
	}
	for _, l := range set.Set.List {
		key := l.Key
		if key == "root" || key == "type" || key == "leaked" {
			key = "goroutine." + key
		}
		labels = append(labels, [2]string{key, l.Value})
	}
	return labels
}

// elem returns the index of an element.
func (b *refsBuilder) elem(e refsElem) int32 {
	n, ok := b.elemIndex[e]
	if !ok {
		n = int32(len(b.elems))
		b.elems = append(b.elems, e)
		b.elemIndex[e] = n
	}
	return n
}

// addLost adds the objects of a node that is no element of a path. They are there
// because memory for their own did not suffice.
func (b *refsBuilder) addLost(path int32, node *profilerecord.RefsNode) {
	lost := profilerecord.RefsNode{Kind: profilerecord.RefsNoMemory}
	if path == 0 {
		path = b.group(&lost)
	}
	b.add(b.paths.Child(path, b.elem(refsElem{name: refsNotRecorded})), refsUnknown, node)
}

// add adds the objects of a node, which are of a type, at the end of a path.
func (b *refsBuilder) add(path int32, typ string, node *profilerecord.RefsNode) {
	if node.Objects == 0 && node.Bytes == 0 {
		return
	}
	t, ok := b.typeIndex[typ]
	if !ok {
		t = int32(len(b.types))
		b.types = append(b.types, typ)
		b.typeIndex[typ] = t
	}
	key := refsSampleKey{path, t}
	n, ok := b.sampleIndex[key]
	if !ok {
		n = int32(len(b.samples))
		b.samples = append(b.samples, refsSample{path: path, typ: t})
		b.sampleIndex[key] = n
	}
	b.samples[n].objects += node.Objects
	b.samples[n].bytes += node.Bytes
	b.paths.Add(path, node.Objects, node.Bytes)
}

// refsRoot returns the label for paths that begin with a root of that kind.
func refsRoot(kind profilerecord.RefsKind) string {
	switch kind {
	case profilerecord.RefsGlobal, profilerecord.RefsModuleData:
		return "global"
	case profilerecord.RefsGoroutine:
		return "stack"
	case profilerecord.RefsFinalizer, profilerecord.RefsFinalizerQueue:
		return "finalizer"
	case profilerecord.RefsCleanup, profilerecord.RefsCleanupQueue:
		return "cleanup"
	case profilerecord.RefsTimer:
		return "timer"
	case profilerecord.RefsWeak:
		return "weak"
	case profilerecord.RefsBarrier:
		return "barrier"
	case profilerecord.RefsAllocated:
		return "allocated"
	case profilerecord.RefsNoMemory:
		return "lost"
	}
	return "runtime"
}

//go:linkname pprof_refs runtime.pprof_refs
func pprof_refs() (p *profilerecord.RefsProfile, failed string)
