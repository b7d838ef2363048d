// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the paths of a recording. Package internal/refpath names the
// nodes. Nodes whose paths have the same elements, below roots of the same kind
// with the same labels, are merged. Requests share the result, so it must not
// be changed after it is made.

package pprof

import (
	"internal/profilerecord"
	"internal/refpath"
	"slices"
	"strings"
)

// A refs is a recording with names. Nodes whose paths have the same elements,
// and whose roots belong to the same refsGroup, have one path here.
type refs struct {
	header   profilerecord.RefsProfile // without Nodes and Sites: see paths, samples and sites
	comments []string
	elems    []refpath.Elem // all elements of paths
	groups   []refsGroup    // the beginnings of all paths
	types    []string       // all types of objects; "" if there is no type
	paths    refpath.Tree   // paths of indexes of elems; a path begins with ^index of its group
	samples  []refsSample
	sites    []refsSite
}

// group returns the group at the beginning of a path.
func (r *refs) group(path int32) *refsGroup {
	for {
		elem, parent := r.paths.Last(path)
		if elem < 0 {
			return &r.groups[^elem]
		}
		path = parent
	}
}

// pathText returns the elements of a path as one string, the root's first. A
// frame has the names of its functions, without lines.
func (r *refs) pathText(path int32) string {
	var elems []string // the last first
	for elem, parent := r.paths.Last(path); elem >= 0; elem, parent = r.paths.Last(parent) {
		elems = append(elems, r.elems[elem].String())
	}
	slices.Reverse(elems)
	return strings.Join(elems, " > ")
}

// A refsGroup stands for all roots that have the same kind and the same labels.
// In the text form a group is a line. In the protocol buffer form, a group of
// goroutines has the element (stack) above the frames, so that they are not
// taken for frames that allocate.
type refsGroup struct {
	root   string      // value of the label root
	elem   int32       // the element above all paths in the protocol buffer form, or -1
	labels [][2]string // keys and values of the goroutines' labels, and of the label leaked
}

// leaked reports whether the roots are goroutines that are blocked forever.
func (g *refsGroup) leaked() bool {
	return slices.Contains(g.labels, refsLeakedLabel)
}

// A refsSample has the objects of one type at the end of one path.
type refsSample struct {
	path     int32
	typ      int32
	inferred bool // the type, and with it the path
	refsAmount
}

// A refsAmount is a number of objects, their bytes, how many of these a
// collection scans, and to how many no reference refers.
type refsAmount struct{ objects, bytes, scan, unused int64 }

func amountOf(node *profilerecord.RefsNode) refsAmount {
	return refsAmount{node.Objects, node.Bytes, node.Scan, node.Unused}
}

func (a *refsAmount) add(b refsAmount) {
	a.objects += b.objects
	a.bytes += b.bytes
	a.scan += b.scan
	a.unused += b.unused
}

// A refsSite has the sampled objects of one type that one site allocated and
// that are at the end of one path.
type refsSite struct {
	path, typ int32
	*profilerecord.RefsSite
}

// A refsBuilder makes a refs from a recording.
type refsBuilder struct {
	*refs
	namer       *refpath.Namer
	elems       numbering[refpath.Elem]
	types       numbering[string]
	groupIndex  map[refsGroupKey]int32
	sampleIndex map[refsSampleKey]int32
}

type refsGroupKey struct {
	root, labels string
	leaked       bool
}

type refsSampleKey struct{ path, typ int32 }

// newRefs names the nodes of a recording and merges those with equal paths.
func newRefs(p *profilerecord.RefsProfile) *refs {
	b := newRefsBuilder(p)
	ends := make([]refsEnd, len(p.Nodes)) // by node
	for i := range p.Nodes {
		node := &p.Nodes[i]
		end := refsEnd{path: ends[node.Parent].path, objects: refpath.Unknown, inferred: ends[node.Parent].inferred}
		if i > 0 && node.Parent == 0 {
			end.path = b.group(node)
		}
		end.request = ends[node.Parent].request || node.Request
		if i > 0 && node.Kind != profilerecord.RefsGoroutine {
			name := b.namer.Name(i)
			if !name.IsParent && !end.request {
				end.path = b.paths.Child(end.path, b.elems.number(name.Elem))
			}
			end.objects, end.inferred = name.Objects, end.inferred || node.Inferred
			b.add(end, amountOf(node))
		} else if node.Objects != 0 || node.Scan != 0 {
			b.add(b.lost(end.path), amountOf(node))
		}
		ends[i] = end
	}
	for i := range p.Sites {
		b.addSite(&p.Sites[i], ends)
	}
	b.finish()
	return b.refs
}

// newRefsBuilder returns a builder for the nodes of p.
func newRefsBuilder(p *profilerecord.RefsProfile) *refsBuilder {
	n := len(p.Nodes)
	b := &refsBuilder{
		refs:        &refs{header: *p, comments: refsComments(p), samples: make([]refsSample, 0, n)},
		namer:       refpath.NewNamer(p.Nodes, pprof_stackSpaceNames().DeepStack),
		elems:       newNumbering[refpath.Elem](n),
		types:       newNumbering[string](0),
		groupIndex:  make(map[refsGroupKey]int32),
		sampleIndex: make(map[refsSampleKey]int32, n),
	}
	b.paths.Grow(n)
	b.header.Nodes, b.header.Sites = nil, nil
	return b
}

// finish puts the elements and types into the refs.
func (b *refsBuilder) finish() {
	b.refs.elems, b.refs.types = b.elems.all, b.types.all
}

// A refsEnd is the end of a path, and the type of the objects at that end.
type refsEnd struct {
	path     int32
	objects  string
	inferred bool // the type of the objects, or of others on the path, is inferred
	request  bool // a goroutine that serves a request for the recording holds the objects, which all have one path
}

// group returns the path of the group to which a root belongs.
func (b *refsBuilder) group(node *profilerecord.RefsNode) int32 {
	set := (*labelMap)(node.Labels)
	key := refsGroupKey{refsRoot(node), set.String(), node.Leaked}
	g, ok := b.groupIndex[key]
	if !ok {
		g = int32(len(b.groups))
		elem := int32(-1)
		switch {
		case node.Request:
			elem = b.elems.number(refpath.Elem{Name: refpath.ThisRequest})
		case node.Kind == profilerecord.RefsGoroutine:
			elem = b.elems.number(refpath.Elem{Name: "(stack)"})
		}
		b.groups = append(b.groups, refsGroup{key.root, elem, refsGroupLabels(set, node.Leaked)})
		b.groupIndex[key] = g
	}
	return b.paths.Child(0, ^g)
}

// refsLeakedLabel is the label of goroutines that are blocked forever.
var refsLeakedLabel = [2]string{"leaked", "true"}

// refsGroupLabels returns the labels of goroutines. A key that refs profiles
// use themselves gets the prefix "goroutine.", because a sample should have
// only one value for a key.
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
		if key == "root" || key == "type" || key == "leaked" || key == "inferred" {
			key = "goroutine." + key
		}
		labels = append(labels, [2]string{key, l.Value})
	}
	return labels
}

// lost returns the end for objects that the runtime counted at the node of path
// because their own nodes are missing: see
// profilerecord.RefsProfile.LostObjects.
func (b *refsBuilder) lost(path int32) refsEnd {
	if path == 0 {
		path = b.group(&profilerecord.RefsNode{Kind: profilerecord.RefsNoMemory})
	}
	return refsEnd{path: b.paths.Child(path, b.elems.number(refpath.Elem{Name: refpath.NotRecorded})), objects: refpath.Unknown}
}

// add adds objects at the end of a path.
func (b *refsBuilder) add(end refsEnd, a refsAmount) {
	if a == (refsAmount{}) {
		return
	}
	key := refsSampleKey{end.path, b.types.number(end.objects)}
	n, ok := b.sampleIndex[key]
	if !ok {
		n = int32(len(b.samples))
		b.samples = append(b.samples, refsSample{path: key.path, typ: key.typ, inferred: end.inferred})
		b.sampleIndex[key] = n
	}
	b.samples[n].add(a)
	b.paths.Add(key.path, a.objects, a.bytes, a.unused)
}

// addSite adds the sampled objects of a site. ends has the end of each node.
func (b *refsBuilder) addSite(s *profilerecord.RefsSite, ends []refsEnd) {
	end := ends[s.Node]
	switch {
	case s.Lost:
		end = b.lost(end.path)
	case s.Tiny:
		end.objects = refpath.TinyBlock
	}
	b.sites = append(b.sites, refsSite{end.path, b.types.number(end.objects), s})
}

// refsRoot returns the label root of paths that begin with a root.
func refsRoot(node *profilerecord.RefsNode) string {
	if node.Request {
		return refpath.ThisRequest
	}
	switch node.Kind {
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
