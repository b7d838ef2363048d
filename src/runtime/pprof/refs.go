// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Refs: the profile of what retains the live heap. writeRefs takes a recording
// of the runtime (internal/profilerecord/refs.go), which has numbers and
// pointers only, and turns it into paths of elements that package
// internal/refpath names. Then it writes them: refsproto.go as a protocol buffer,
// refstext.go as text.
//
// Requests at the same time share recordings, see refsQueue. What they share,
// a refs, is not changed once it is made.

package pprof

import (
	"errors"
	"fmt"
	"internal/profilerecord"
	"internal/refpath"
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
	defer pprof_setRecording(pprof_setRecording(true))
	r, err := refsRequests.take(false)
	if err != nil {
		return fmt.Errorf("runtime/pprof: refs: %w", err)
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
	record func(sites bool) (p *profilerecord.RefsProfile, failed string)

	recording sync.Mutex // held while record runs and its nodes are in memory
	mu        sync.Mutex // protects next, and its sites
	next      *refsFlight
}

// A refsFlight is a recording and the requests that share it.
type refsFlight struct {
	sites bool // one of the requests needs allocation sites; not written once it started
	once  sync.Once
	refs  *refs // set by once, as is err
	err   error
}

// take returns a recording that begins after the call to take, with allocation sites if
// sites is set.
func (q *refsQueue) take(sites bool) (*refs, error) {
	return q.fly(q.join(sites))
}

// fly waits for the recording of f, which the first caller makes.
func (q *refsQueue) fly(f *refsFlight) (*refs, error) {
	f.once.Do(func() {
		q.recording.Lock()
		defer q.recording.Unlock()
		q.leave(f)
		f.err = errors.New("recording panicked") // unless it returns
		p, failed := q.record(f.sites)
		if failed != "" {
			f.err = errors.New(failed)
			return
		}
		f.refs = newRefs(p)
		f.err = nil
		refsCount.Store(int64(len(f.refs.samples)))
	})
	return f.refs, f.err
}

// join returns the next flight.
func (q *refsQueue) join(sites bool) *refsFlight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		q.next = new(refsFlight)
	}
	q.next.sites = q.next.sites || sites
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
	header  profilerecord.RefsProfile // without Nodes and Sites
	elems   []refpath.Elem            // all elements of paths
	groups  []refsGroup               // what all paths begin with
	types   []string                  // all types of objects, "" for none
	paths   refpath.Tree[int32]       // of elements by index, below groups: ^index
	samples []refsSample
	sites   []refsSite
}

// A refsGroup is a kind of roots. Paths that begin with different groups have
// different labels. In the text form it is a line; where there are pictures, frames of
// stacks are below an element, for nothing else tells them from frames that allocate.
type refsGroup struct {
	root   string      // the label root
	elem   int32       // that says so in a picture, or -1
	labels [][2]string // keys and values of goroutines' labels, and leaked
}

// A refsSample is the objects of one type at the end of one path.
type refsSample struct {
	path           int32
	typ            int32
	objects, bytes int64
}

// A refsSite is sampled objects of one type that were allocated at one place and are at
// the end of one path.
type refsSite struct {
	path, typ int32
	*profilerecord.RefsSite
}

// A refsBuilder makes a refs of a recording.
type refsBuilder struct {
	*refs
	elemIndex   map[refpath.Elem]int32
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
	n := len(p.Nodes)
	b := refsBuilder{
		refs:        &refs{header: *p, elems: make([]refpath.Elem, 0, n), samples: make([]refsSample, 0, n)},
		elemIndex:   make(map[refpath.Elem]int32, n),
		groupIndex:  make(map[refsGroupKey]int32),
		typeIndex:   make(map[string]int32),
		sampleIndex: make(map[refsSampleKey]int32, n),
	}
	b.paths.Grow(n)
	b.header.Nodes, b.header.Sites = nil, nil
	namer := refpath.NewNamer(p.Nodes, pprof_stackSpaceNames().DeepStack)
	ends := make([]refsEnd, len(p.Nodes)) // of nodes
	for i := range p.Nodes {
		node := &p.Nodes[i]
		end := refsEnd{path: ends[node.Parent].path, objects: refpath.Unknown}
		if i > 0 && node.Parent == 0 {
			end.path = b.group(node)
		}
		if i > 0 && node.Kind != profilerecord.RefsGoroutine {
			name := namer.Name(i)
			if !name.IsParent {
				end.path = b.paths.Child(end.path, b.elem(name.Elem))
			}
			end.objects = name.Objects
			b.add(end, node.Objects, node.Bytes)
		} else if node.Objects != 0 {
			b.add(b.lost(end.path), node.Objects, node.Bytes)
		}
		ends[i] = end
	}
	for i := range p.Sites {
		b.addSite(&p.Sites[i], ends)
	}
	return b.refs
}

// A refsEnd is the end of a path, and the type of the objects there.
type refsEnd struct {
	path    int32
	objects string
}

// group returns the path of the group to which a root belongs.
func (b *refsBuilder) group(node *profilerecord.RefsNode) int32 {
	set := (*labelMap)(node.Labels)
	key := refsGroupKey{refsRoot(node.Kind), set.String(), node.Leaked}
	g, ok := b.groupIndex[key]
	if !ok {
		g = int32(len(b.groups))
		elem := int32(-1)
		if node.Kind == profilerecord.RefsGoroutine {
			elem = b.elem(refpath.Elem{Name: "(stack)"})
		}
		b.groups = append(b.groups, refsGroup{key.root, elem, refsGroupLabels(set, node.Leaked)})
		b.groupIndex[key] = g
	}
	return b.paths.Child(0, ^g)
}

// refsLeakedLabel is the label of goroutines that are blocked for ever.
var refsLeakedLabel = [2]string{"leaked", "true"}

// refsGroupLabels returns the labels of goroutines. A key can have one value in a
// profile, therefore those that refs profiles have themselves get the prefix goroutine.
func refsGroupLabels(set *labelMap, leaked bool) [][2]string {
	var labels [][2]string
	if leaked {
		labels = append(labels, refsLeakedLabel)
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
func (b *refsBuilder) elem(e refpath.Elem) int32 { return intern(&b.elems, b.elemIndex, e) }

// typ returns the index of a type.
func (b *refsBuilder) typ(name string) int32 { return intern(&b.types, b.typeIndex, name) }

// intern returns the index of v in all, to which it is appended if it is not there yet.
func intern[T comparable](all *[]T, index map[T]int32, v T) int32 {
	n, ok := index[v]
	if !ok {
		n = int32(len(*all))
		*all = append(*all, v)
		index[v] = n
	}
	return n
}

// lost returns where the objects of a node at path are that is no element of a path.
// They are there because memory for their own did not suffice.
func (b *refsBuilder) lost(path int32) refsEnd {
	if path == 0 {
		path = b.group(&profilerecord.RefsNode{Kind: profilerecord.RefsNoMemory})
	}
	return refsEnd{b.paths.Child(path, b.elem(refpath.Elem{Name: refpath.NotRecorded})), refpath.Unknown}
}

// add adds objects at the end of a path.
func (b *refsBuilder) add(end refsEnd, objects, bytes int64) {
	if objects == 0 && bytes == 0 {
		return
	}
	key := refsSampleKey{end.path, b.typ(end.objects)}
	n, ok := b.sampleIndex[key]
	if !ok {
		n = int32(len(b.samples))
		b.samples = append(b.samples, refsSample{path: key.path, typ: key.typ})
		b.sampleIndex[key] = n
	}
	b.samples[n].objects += objects
	b.samples[n].bytes += bytes
	b.paths.Add(key.path, objects, bytes)
}

// addSite adds the sampled objects of a site, of a node whose end is in ends.
func (b *refsBuilder) addSite(s *profilerecord.RefsSite, ends []refsEnd) {
	end := ends[s.Node]
	switch {
	case s.Lost:
		end = b.lost(end.path)
	case s.Tiny:
		end.objects = refpath.TinyBlock
	}
	b.sites = append(b.sites, refsSite{end.path, b.typ(end.objects), s})
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

// pprof_refs and pprof_setRecording are defined in runtime/mrefsprofile.go and
// runtime/mrefshooks.go.
//
//go:linkname pprof_refs runtime.pprof_refs
func pprof_refs(sites bool) (p *profilerecord.RefsProfile, failed string)

//go:linkname pprof_setRecording runtime.pprof_setRecording
func pprof_setRecording(on bool) (was bool)
