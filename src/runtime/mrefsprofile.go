// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The result of a recording for runtime/pprof: records of the nodes
// (mrefsnode.go), with pointers in place of addresses; allocation sites of
// sampled objects; and the cost of the recording.

package runtime

import (
	"internal/profilerecord"
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
	refsNodes.count(refsNodeAllocated, int64(objects), int64(bytes))
	n := min(refsNodes.n.Load(), refsMaxNodes)
	p := &profilerecord.RefsProfile{
		Nodes:       make([]profilerecord.RefsNode, n),
		Cycle:       refsMarking.cycle,
		Live:        refsRecording.live,
		Duration:    refsRecording.markEnd - start,
		Paused:      refsRecording.paused,
		Memory:      refsMemory.used.Load(),
		LostObjects: refsNodes.lostObjects.Load(),
		LostBytes:   refsNodes.lostBytes.Load(),
	}
	for i := range n {
		refsNodes.at(i).record(&p.Nodes[i])
	}
	if refsSites.wanted {
		p.Sites = refsSites.records()
		p.LostSites = refsSites.lostObjects.Load()
		p.LostSiteBytes = refsSites.lostBytes.Load()
	}
	return p
}

// record makes r the record of node.
func (node *refsNode) record(r *profilerecord.RefsNode) {
	r.Parent = int32(node.parent)
	r.Kind = node.kind
	r.Role = node.role
	r.Untyped = node.untyped
	r.Second = node.second
	r.Offset = node.off
	r.Type = refsRealType(node.typ)
	r.Objects = node.objects.Load()
	r.Bytes = node.bytes.Load()
	switch node.role {
	case refsRoleDirectory, refsRoleMapTable:
		r.Role = profilerecord.RefsTable
	case refsRoleGroups:
		r.Role = profilerecord.RefsGroups
	case refsRoleDirect:
		r.Role = profilerecord.RefsVariable
	}
	r.PC = node.fn
	r.Dyn = nil
	switch node.kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal:
		g := refsGlobalAt(int(node.off))
		r.Name = g.pkg + g.name
		r.Static = unsafe.Pointer(g.typ)
		r.Offset = 0
		r.Dyn = refsRealType(node.dyn)
	case profilerecord.RefsModuleData:
		r.Name = (*moduledata)(unsafe.Pointer(node.dyn)).dataName(node.off)
		r.Offset = 0
	case profilerecord.RefsLocal:
		node.recordVariable(refsVarAt(node.off), r)
		r.Dyn = refsRealType(node.dyn)
	case profilerecord.RefsFrame, profilerecord.RefsCleanup, profilerecord.RefsCleanupQueue, profilerecord.RefsTimer:
		r.PC, r.Offset = node.off, 0
	case profilerecord.RefsGoroutine:
		r.PC, r.Offset = 0, 0
		r.Leaked = node.off == refsLeaked
		if i := node.labels.Load(); i != 0 {
			r.Labels = refsLabels.sets[i-1]
		}
	case profilerecord.RefsCaptured:
		r.Dyn = refsRealType(node.dyn)
		f := findfunc(refsNodes.at(node.parent).fn)
		if v, ok := refsFindVar(f, vartable.PlaceCaptured, node.off, -1); ok {
			node.recordVariable(v, r)
		}
	default:
		r.Dyn = refsRealType(node.dyn)
	}
}

// recordVariable fills in the fields of r, the record of node, that describe
// the variable v. If v's type is a type argument, the type is taken from the
// node, because v does not have it.
func (node *refsNode) recordVariable(v refsVar, r *profilerecord.RefsNode) {
	r.Name, r.Form, r.Count, r.Offset = v.name(), v.Form, uintptr(v.Count), 0
	r.InlineDepth, r.InlineHash = v.InlineDepth, v.InlineHash
	r.Static = refsRealType(v.typed)
	switch {
	case !v.Dict.Known:
	case node.role == profilerecord.RefsVariable:
		r.Static = r.Type
	case node.role == profilerecord.RefsObject && node.fn != 0:
		r.Static, r.PC = refsRealType(node.fn), 0
	}
}

// refsRealType returns the type at p. It returns nil if p is 0, or if the
// recorder has mistaken other memory for a type. A type is in a module, or
// package reflect has made it and keeps it.
func refsRealType(p uintptr) unsafe.Pointer {
	if p != 0 && !refsModuleType(p) {
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

// dataName returns a name for the word at p in the module's data or bss: the
// name of the module, the section, and the offset in the section.
func (md *moduledata) dataName(p uintptr) string {
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
	var buf [20]byte
	i := len(buf)
	for off := p - start; ; off /= 16 {
		i--
		buf[i] = "0123456789abcdef"[off%16]
		if off < 16 {
			break
		}
	}
	return name + "(" + section + "+0x" + string(buf[i:]) + ")"
}
