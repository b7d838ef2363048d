// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Retained sizes of sets. A set is a type, a variable or another reference,
// given by name, and its members are the objects or references that have this
// name. A first recording is made. refssets.go finds the names of its
// references and of the types to which they lead, and matches these names with
// the sets. For each match, the runtime returns a description, by which it
// recognizes the member in the next recording
// (internal/profilerecord/refsmember.go). A second recording, which may have to
// be repeated, holds the members back (runtime/mrefsmember.go). In its result,
// each node whose objects a set retains has the number of that set.

package pprof

import (
	"errors"
	"fmt"
	"internal/profilerecord"
	"internal/refpath"
	"io"
	"slices"
	"sync/atomic"
	_ "unsafe" // for linkname
)

// A Retained measures what sets retain: the objects that would be free if the
// members of the sets were not there. Unlike the refs profile, which has one
// path to each object, it is exact: an object that can be reached without the
// members is not retained.
//
// The zero value with Sets is ready to use. A Retained must not be used by
// several goroutines at the same time.
type Retained struct {
	// Sets are the names of the sets. Their order matters if sets share
	// members or retain objects together (see below). A set is a type, a
	// global variable, a variable of a function, or another reference, by
	// the name that the refs profile gives it. The type of a reference,
	// which follows a space in its name, may be left out, and so may the
	// parentheses that follow an element of a slice, map or channel. The
	// name of a type may have the whole path of its package. In a name,
	// "..." stands for any text. If a name matches several types, variables
	// or references, the set has all of them.
	//
	// If the set is a type, the members are the objects of that type and
	// the arrays of it, and the set retains them, too. If it is a variable
	// or another reference, the members are references, and the set retains
	// the objects that are reached only through them. Values that are part
	// of another object, of a global variable or of a stack are not
	// members. Neither are objects without pointers whose size class is 16
	// bytes, because several small objects may share a block of this class.
	//
	// A member of several sets counts as a member of the last one. Objects
	// that several sets retain only together count for the first of these
	// sets. So the last set has the objects that it retains alone, and each
	// other set has the objects that it retains in addition to the sets
	// after it.
	Sets []string

	// Match reports whether a set has a name. If nil, names match as
	// described above. A program sets Match to use regular expressions, for
	// example. Match runs during a measurement, and must not take profiles
	// of references.
	Match func(set, name string) bool

	names   []string // sets whose members are known
	members []profilerecord.RefsMember
}

// RetainedStats describes a measurement.
type RetainedStats struct {
	Sets []RetainedSize // in the order of Retained.Sets
	Live int64          // bytes that the collection marked: /gc/heap/live:bytes

	// FreedLater counts objects that only finalizers and cleanups reach,
	// and weak handles that nothing else refers to. If a set retains the
	// objects that have these finalizers, cleanups and handles, the counted
	// objects are freed later: after the finalizers and cleanups have run,
	// or after the object of the handle is freed.
	FreedLater RetainedSize

	// Untyped counts objects that are not retained, and whose type is not
	// known. If a set is a type, some of them may be members of it.
	Untyped RetainedSize

	// Unreached counts objects that were allocated during the collection
	// and to which the collection followed no reference. It also counts
	// objects that only the write barrier found because the program moved
	// the references to them, blocks of tiny objects that are still being
	// filled and that no reference reached, and objects to which only
	// objects of these three kinds lead. All of these may or may not be
	// retained.
	Unreached RetainedSize

	// Lost counts objects whose paths could not be recorded, because there
	// was no room for the paths, because they would have been too long, or
	// because only a user arena holds the objects. Those that a set retains
	// are included in the size of the set, at the end of a path that is too
	// short. Lost also counts members that could not be held back because
	// there was no memory. It is not known whether the sets retain these.
	Lost RetainedSize
}

// A RetainedSize is a number of objects and of their bytes.
type RetainedSize struct {
	Objects, Bytes int64
}

func (s *RetainedSize) add(n *profilerecord.RefsNode) {
	s.Objects += n.Objects
	s.Bytes += n.Bytes
}

// ErrRetainedBusy is the error of [Retained.Write] while another measurement
// runs.
var ErrRetainedBusy = errors.New("runtime/pprof: another measurement of retained sizes is running")

// ErrRetainedSets is wrapped by the error of [Retained.Write] if Sets is empty
// or has too many names, if a name is empty or too long, or if nothing in the
// heap matches one of the names. A name of a reference matches nothing if all
// objects to which the reference leads were already reached by other
// references.
var ErrRetainedSets = errors.New("no such set")

// retainedSetsBusy is true while a measurement runs.
var retainedSetsBusy atomic.Bool

// Write measures what the sets retain, and writes a profile to w. The profile
// has the paths from the sets to the objects, as the refs profile has the paths
// from the roots. The sample values are retained_objects and retained_space.
// The label set is the name of the set, the label type is the type of the
// objects, and the label root is retained. The debug parameter is that of
// [Profile.WriteTo].
//
// The first call takes two garbage collections. The first one finds the members
// of the sets. The second one marks everything else before them. It may find
// more members: references to objects that other references reached first in
// the first collection. In this case it is repeated, up to ten collections in
// all. Later calls with the same Sets take one collection, and know only the
// types and references that the first call has found. If the first call finds
// nothing with the name of a set, it returns an error that has the name.
func (r *Retained) Write(w io.Writer, debug int) (RetainedStats, error) {
	defer pprof_setRecording(pprof_setRecording(true))
	result, stats, err := r.measure()
	switch {
	case err == ErrRetainedBusy:
		return RetainedStats{}, err
	case err == nil && debug > 0:
		err = writeRefsText(w, result)
	case err == nil:
		err = writeRefsProto(w, result)
	}
	if err != nil {
		return RetainedStats{}, fmt.Errorf("runtime/pprof: retained: %w", err)
	}
	return stats, nil
}

// measure makes the recordings.
func (r *Retained) measure() (*refs, RetainedStats, error) {
	if !retainedSetsBusy.CompareAndSwap(false, true) {
		return nil, RetainedStats{}, ErrRetainedBusy
	}
	defer retainedSetsBusy.Store(false)
	sets := slices.Clone(r.Sets)
	record := r.recordKnown
	if !slices.Equal(r.names, sets) || len(sets) == 0 {
		record = r.recordNew
	}
	p, err := record(sets)
	if err != nil {
		return nil, RetainedStats{}, err
	}
	stats := newRetainedStats(p, len(sets))
	return newRetainedRefs(p, sets, &stats), stats, nil
}

// recordKnown records sets whose members are known.
func (r *Retained) recordKnown(sets []string) (*profilerecord.RefsProfile, error) {
	p, _, failed := pprof_refsRetained(r.members, nil)
	if failed != "" {
		return nil, errors.New(failed)
	}
	return p, nil
}

// newRetainedStats adds up the nodes of a recording with n sets.
func newRetainedStats(p *profilerecord.RefsProfile, n int) RetainedStats {
	s := RetainedStats{
		Sets: make([]RetainedSize, n),
		Live: int64(p.Live),
		Lost: RetainedSize{p.LostObjects, p.LostBytes},
	}
	unreached := make([]bool, len(p.Nodes))
	for i := range p.Nodes {
		node := &p.Nodes[i]
		unreached[i] = node.Kind == profilerecord.RefsBarrier || node.Kind == profilerecord.RefsAllocated || unreached[node.Parent]
		switch {
		case node.Set == profilerecord.RefsFreedLater:
			s.FreedLater.add(node)
		case node.Set > 0:
			s.Sets[node.Set-1].add(node)
		case unreached[i]:
			s.Unreached.add(node)
		case node.Untyped && node.Type == nil:
			s.Untyped.add(node)
		}
	}
	return s
}

// newRetainedRefs makes the paths below the sets.
func newRetainedRefs(p *profilerecord.RefsProfile, sets []string, stats *RetainedStats) *refs {
	b := newRefsBuilder(p)
	b.title, b.values = "retained", "retained"
	b.comments = append(retainedSetsComments(p.Cycle, sets, stats), b.comments...)
	roots := make([]int32, len(sets)) // path of each set
	for i, set := range sets {
		b.groups = append(b.groups, refsGroup{"retained", b.elems.number(refpath.Elem{Name: "(retained) " + set}), [][2]string{{"set", set}}})
		roots[i] = b.paths.Child(0, ^int32(i))
	}
	ends := make([]refsEnd, len(p.Nodes))
	for i := range p.Nodes {
		if i == 0 || p.Nodes[i].Kind == profilerecord.RefsGoroutine {
			continue
		}
		name := b.namer.Name(i) // called even if no set retains the objects, because a name depends on the parent's name
		if set := p.Nodes[i].Set; set > 0 && set != profilerecord.RefsFreedLater {
			ends[i] = b.addRetained(&p.Nodes[i], name, ends, roots[set-1])
		}
	}
	b.finish()
	return b.refs
}

// addRetained adds the objects of node, which a set retains, and returns the
// end of the node's path. root is the path of the set. Objects that are members
// themselves are below an element with their type, because several references
// may refer to them.
func (b *refsBuilder) addRetained(node *profilerecord.RefsNode, name refpath.Name, ends []refsEnd, root int32) refsEnd {
	end := refsEnd{ends[node.Parent].path, name.Objects}
	switch node.Member {
	case profilerecord.RefsMemberObject:
		if typ := objectType(node); typ != nil {
			end.objects = typ.String()
		}
		name = refpath.Name{Elem: refpath.Elem{Name: end.objects}}
		end.path = root
	case profilerecord.RefsMemberReference:
		end.path = root
	}
	if !name.IsParent {
		end.path = b.paths.Child(end.path, b.elems.number(name.Elem))
	}
	b.add(end, node.Objects, node.Bytes)
	return end
}

// retainedSetsComments returns the comments on sets.
func retainedSetsComments(cycle uint32, sets []string, stats *RetainedStats) []string {
	var comments []string
	comment := func(what string, s RetainedSize) {
		comments = append(comments, fmt.Sprintf("GC cycle %d: %s: %d bytes in %d objects", cycle, what, s.Bytes, s.Objects))
	}
	for i, set := range sets {
		comment("retained by "+set, stats.Sets[i])
	}
	comment("freed later, by finalizers and cleanups", stats.FreedLater)
	comment("not retained, of unknown type", stats.Untyped)
	comment("allocated during GC or found by the write barrier only", stats.Unreached)
	return comments
}

// pprof_refsRetained is defined in runtime/mrefsmember.go.
//
//go:linkname pprof_refsRetained runtime.pprof_refsRetained
func pprof_refsRetained(members []profilerecord.RefsMember, choose func(*profilerecord.RefsProfile) []profilerecord.RefsChoice) (p *profilerecord.RefsProfile, more []profilerecord.RefsMember, failed string)
