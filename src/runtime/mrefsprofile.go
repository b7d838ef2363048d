// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The result of a recording for runtime/pprof: records of the nodes
// (internal/runtime/refs), with pointers in place of addresses; allocation sites
// of sampled objects; and the cost of the recording.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/refs"
	"internal/vartable"
	"unsafe"
)

// pprof_refs records references in a garbage collection and returns the result,
// with the allocation sites of sampled objects if sites is set. If there is no
// result, failed is the reason.
//
//go:linkname pprof_refs
func pprof_refs(sites bool) (p *profilerecord.RefsProfile, failed string) {
	semacquire(&refsSema)
	defer semrelease(&refsSema)
	if sites {
		memLabels.pinned.Add(1)
		defer memLabels.pinned.Add(-1)
	}
	start := nanotime()
	if failed := refsRecord(sites); failed != "" {
		return nil, failed
	}
	refsRaceAcquire()
	refsMemory.reserve.giveUp()
	p = refsProfile(start)
	refsFree()
	return p, ""
}

// refsProfile returns the result of the recording. It runs after the recording
// cycle. start is when the requester got refsSema, in ns, as nanotime returns
// it.
func refsProfile(start int64) *profilerecord.RefsProfile {
	objects, bytes := uint64(0), uint64(0)
	for id := range refsPs.n {
		rp := refsOf(id)
		rp.cache.flush()
		objects += rp.newObjects
		bytes += rp.newBytes
	}
	refsPaths.Count(refs.NodeAllocated, int64(objects), int64(bytes))
	refsPaths.Verify()
	n := refsPaths.Len()
	p := &profilerecord.RefsProfile{
		Nodes:       make([]profilerecord.RefsNode, n),
		Cycle:       refsMarking.cycle,
		Live:        refsRecording.live,
		Scan:        uint64(refsRecording.scan),
		Duration:    refsRecording.markEnd - start,
		Paused:      refsRecording.paused,
		Memory:      refsMemory.used.Load(),
		LostObjects: refsPaths.LostObjects.Load(),
		LostBytes:   refsPaths.LostBytes.Load(),
	}
	for i := range n {
		refsRecordNode(refsPaths.At(i), &p.Nodes[i])
	}
	if refsSites.wanted {
		p.Sites, p.SitesBefore = refsSites.records(), refsSites.before
		refsSites.before = p.Cycle
		p.LostSites = refsSites.lostObjects.Load()
		p.LostSiteBytes = refsSites.lostBytes.Load()
	}
	return p
}

// refsRecordNode makes r the record of node.
func refsRecordNode(node *refs.Node, r *profilerecord.RefsNode) {
	node.Record(r)
	r.Type, r.Dyn = refsRealType(node.Type), refsRealType(node.Dynamic)
	switch node.Kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal:
		g := refsGlobalAt(int(node.Place))
		r.Name, r.Static = g.pkg+g.name, unsafe.Pointer(g.typ)
	case profilerecord.RefsModuleData:
		r.Name = refsDataName(node.Place)
	case profilerecord.RefsLocal:
		refsRecordVariable(node, refsVarAt(node.Place), r)
	case profilerecord.RefsGoroutine:
		if i := node.Labels.Load(); i != 0 {
			r.Labels = refsLabels.sets[i-1]
		}
	case profilerecord.RefsCaptured:
		f := findfunc(refsPaths.At(node.Parent).Func)
		if v, ok := refsFindVar(f, vartable.PlaceCaptured, node.Place, -1); ok {
			refsRecordVariable(node, v, r)
		}
	}
}

// refsRecordVariable fills in the fields of r, the record of node, that describe
// the variable v.
func refsRecordVariable(node *refs.Node, v refs.Variable, r *profilerecord.RefsNode) {
	r.Static = refsRealType(uintptr(unsafe.Pointer(node.Describe(&v, r))))
	r.Name = refsVarName(&v)
}

// refsRealType returns the type at p. It returns nil if p is 0, or if the
// recorder has mistaken other memory for a type. A type is in a module, or
// package reflect has made it and keeps it.
func refsRealType(p uintptr) unsafe.Pointer {
	if p != 0 && !refsModuleType(p) {
		if !isReadable(unsafe.Pointer(p), unsafe.Sizeof(_type{})) {
			return nil
		}
		str := *(*int32)(unsafe.Pointer(p + unsafe.Offsetof(_type{}.Str)))
		reflectOffsLock()
		_, ok := reflectOffs.m[str]
		reflectOffsUnlock()
		if !ok {
			return nil
		}
	}
	return unsafe.Pointer(p)
}

// refsDataName returns a name for the word at p in a module's data or bss: the
// name of the module, the section, and the offset in the section.
func refsDataName(p uintptr) string {
	md := &firstmoduledata
	for md.next != nil && (p < md.data || p >= md.edata) && (p < md.bss || p >= md.ebss) {
		md = md.next
	}
	name, section, start := md.pluginpath, "data", md.data
	if name == "" {
		name = md.modulename
	}
	if name == "" {
		name = "main"
	}
	if p >= md.bss && p < md.ebss {
		section, start = "bss", md.bss
	}
	return refs.DataName(name, section, uint64(p-start))
}
