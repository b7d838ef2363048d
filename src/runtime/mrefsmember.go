// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Retained sizes of sets: the bytes that would be free if the members of a set
// were not there.
//
// The members are objects, such as those of one type, or references, such as
// those in one field or in one variable. A recording with sets holds the
// members of a set back until all objects that are reached from outside, that
// is, not through members, are claimed. Then it releases the members. The
// objects that are claimed below the members after that are reached only
// through the members.
//
// If an object is a member, no reference claims it before the release, so
// nothing is reached through it. If a reference is a member, nothing is reached
// through this reference, but another reference can claim its target. The set
// therefore retains the target only if each reference to it is a member, or is
// itself reached only through members.
//
// Names cannot be matched while marking. Package runtime/pprof chooses members
// by the names in a recording without sets. The recorder describes a member by
// fields of a node's key and, if the member is a reference, of the key of the
// node that has the reference. If a captured variable has the reference, the
// description also has the function of the closure. It has no other part of the
// path. The recorder looks a reference up among the members when it resolves
// the reference.
//
// A reference has a node only if it is resolved. It is resolved only if its
// target is not yet claimed. The recording without sets therefore lacks the
// names of some members. If such a member matters, its target is not yet
// claimed when the recording with sets reaches the member. Therefore the
// recording with sets resolves the member. Package runtime/pprof looks for
// names in that recording, too, and repeats it with the members that it has
// found. In recordings in which it looks for names, references that fold have
// nodes, too, unless their kind is RefsUnknown.
//
// The nodes of members are flagged in their keys. No reference below such a
// node folds to a node above it. Therefore an object is retained by the set of
// the last flagged node on its path, and by no set if no node on the path is
// flagged. Each set has two further nodes. A member uses one of them if there
// is no room for a node of its own, or if the node above is missing (refsLost).
//
// References of unknown type are followed after those of known type: outside of
// the sets in refsStageOutside, and below a set in refsStageMembersUntyped.
// Finalizers, cleanups and weak handles of objects that are reached from
// outside count as outside. The finalizers, cleanups and weak handles of other
// objects are followed after all sets are released. The objects that they reach
// are not counted for a set, because if the set went away, these objects would
// be freed later: after the finalizers and cleanups have run, or after the
// object of a weak handle is freed.
//
// Sets are released one after the other. An object in two sets counts for the
// last of them. An object that two sets retain only together counts for the
// first of them. So the last set has the objects that it retains alone, and
// each other set has the objects that it retains in addition to the sets after
// it.
//
// The functions marked go:nowritebarrierrec run while marking, on a P that
// cannot be preempted or, if the write barrier has found an object, perhaps
// without a P (mrefsclaim.go). Some of them also run before or after the cycle.
// The others run while no worker marks. start runs when the cycle begins, with
// the world stopped. jobs, stageAfter, more and membersUntyped run in
// gcMarkDone, and membersUntyped also when the cycle begins. The rest run
// before or after the cycle, in the goroutine that holds refsSema.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

// A refsMembership is the part of a node's key that has the set to which its
// objects or its reference belong: 2*set + 1 if the objects are members, and
// 2*set if the reference is, or if setOf has put the objects into the set. It
// is refsFreedLater for specials that are followed after the sets, and 0 for
// all others.
type refsMembership uint8

const refsFreedLater refsMembership = 1

// isOfSet reports whether m is the membership in a set.
//
//go:nowritebarrierrec
func (m refsMembership) isOfSet() bool { return m > refsFreedLater }

// set returns the number of the set, as in profilerecord.RefsNode.
//
//go:nowritebarrierrec
func (m refsMembership) set() uint8 {
	if m == refsFreedLater {
		return profilerecord.RefsFreedLater
	}
	return uint8(m >> 1)
}

// rank returns the rank at which members are held back.
//
//go:nowritebarrierrec
func (m refsMembership) rank() int {
	if m&1 != 0 {
		return refsRankMember
	}
	return refsRankCut
}

// form returns the form of the members with membership m, or 0 if m is not of a
// set.
func (m refsMembership) form() profilerecord.RefsMemberForm {
	switch {
	case !m.isOfSet():
		return 0
	case m&1 != 0:
		return profilerecord.RefsMemberObject
	}
	return profilerecord.RefsMemberReference
}

// refsMembers has the members of the recording's sets.
var refsMembers refsMemberTable

// A refsMemberTable is a hash table of members. The requester changes it before
// and after the cycle. During the cycle only released and claimed change: start
// resets them with the world stopped, workers add to claimed.n, and the
// goroutine in gcMarkDone makes all other changes while no worker marks.
type refsMemberTable struct {
	on       bool
	naming   bool                       // references that fold get nodes, for their names
	sets     uint8                      // number of sets
	released uint8                      // number of sets whose members have been released
	wanted   []profilerecord.RefsMember // on the heap
	slots    *profilerecord.RefsMember  // off the heap; Form is 0 if a slot is empty
	size     uintptr                    // number of slots, a power of two

	claimed refsClaimedSpecials
}

// refsClaimedSpecials counts the specials that refsStageOutsideSpecials finds
// at claimed objects. It does not count those with no references to follow,
// such as the heap profile's. Within the limits below, the stage is repeated as
// long as the number changes, because a cleanup may lead to an object that has
// a cleanup.
type refsClaimedSpecials struct {
	n      atomic.Int64 // number found by the present run of the stage
	before int64        // number found by the previous run, or 0
	times  int
	all    int64 // sum over all runs but the present one
}

// The stage refsStageOutsideSpecials is repeated until it finds as many
// specials as in the run before, or until it has run refsMostClaimedTimes times
// and all runs before the last one together have found refsMostClaimed
// specials. In a long chain of cleanups, each run may reach only one more
// object.
const (
	refsMostClaimedTimes = 16
	refsMostClaimed      = 1 << 22
)

// begin prepares for a recording with these members, or without sets if there
// are none. naming is set if the requester looks for names of members in the
// recording.
func (ms *refsMemberTable) begin(members []profilerecord.RefsMember, naming bool) {
	ms.wanted, ms.sets, ms.naming = members, 0, naming
	for i := range members {
		ms.sets = max(ms.sets, members[i].Set)
	}
	ms.on = ms.sets > 0
}

// start resets released and claimed when the cycle begins. It runs with the
// world stopped.
func (ms *refsMemberTable) start() {
	ms.released = 0
	ms.claimed.n.Store(0)
	ms.claimed.before, ms.claimed.times, ms.claimed.all = 0, 0, 0
}

// alloc makes the table and the nodes of the sets, and reports whether there is
// memory for both.
func (ms *refsMemberTable) alloc() bool {
	if !ms.on {
		return true
	}
	for m := refsMembership(2); m <= refsMembership(ms.sets)*2+1; m++ {
		key := refsKey{kind: profilerecord.RefsNoMemory, member: m}
		if refsNodes.lookUp(&key, true) != refsSetNode(m) {
			return false
		}
	}
	ms.size = 16
	for ms.size < uintptr(len(ms.wanted))*2 {
		ms.size *= 2
	}
	ms.slots = (*profilerecord.RefsMember)(refsSysAlloc(ms.size * unsafe.Sizeof(*ms.slots)))
	if ms.slots == nil {
		return false
	}
	for i := range ms.wanted {
		m := &ms.wanted[i]
		if slot := ms.slot(m); slot.Form == 0 || m.Set > slot.Set {
			*slot = *m
		}
	}
	return true
}

// free frees the memory of the table.
func (ms *refsMemberTable) free() {
	if ms.slots != nil {
		refsSysFree(unsafe.Pointer(ms.slots), ms.size*unsafe.Sizeof(*ms.slots))
		ms.slots = nil
	}
}

// refsSetNode returns the node that members with membership m use if they have
// no nodes of their own.
//
//go:nowritebarrierrec
func refsSetNode(m refsMembership) uint32 { return refsNodeNoMemory + uint32(m) - 1 }

// slot returns the slot of m, which is empty if the table does not have m.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) slot(m *profilerecord.RefsMember) *profilerecord.RefsMember {
	h := uint64(m.Offset)*0xbf58476d1ce4e5b9 ^ uint64(m.Type>>3)*0x94d049bb133111eb ^ uint64(m.Parent>>3)*0x9e3779b97f4a7c15
	h ^= uint64(m.Dyn>>3^m.Func)*0xd6e8feb86659fd93 ^ uint64(m.ParentFunc)<<16 ^ uint64(m.Form)<<8 ^ uint64(m.Kind)
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	for i := uintptr(h >> 32); ; i++ {
		slot := (*profilerecord.RefsMember)(add(unsafe.Pointer(ms.slots), i%ms.size*unsafe.Sizeof(*m)))
		if slot.Form == 0 || refsSameMember(slot, m) {
			return slot
		}
	}
}

// refsSameMember reports whether a and b are equal apart from their sets. The
// race detector would see the comparison of two structs, because their type is
// of another package.
//
//go:nowritebarrierrec
func refsSameMember(a, b *profilerecord.RefsMember) bool {
	return a.Form == b.Form && a.Kind == b.Kind && a.Role == b.Role && a.Offset == b.Offset && a.Type == b.Type &&
		a.Dyn == b.Dyn && a.Func == b.Func && a.Parent == b.Parent && a.ParentFunc == b.ParentFunc
}

// chosen returns the members of the choices, without those that the table has
// in the same set or a later one.
func (ms *refsMemberTable) chosen(choices []profilerecord.RefsChoice) (members []profilerecord.RefsMember) {
	for _, c := range choices {
		m := refsNodes.member(c)
		if m.Form == 0 {
			continue
		}
		if ms.on {
			if slot := ms.slot(&m); slot.Form != 0 && slot.Set >= m.Set {
				continue
			}
		}
		members = append(members, m)
	}
	return members
}

// find returns the set of m, or 0 if m is in no set that is still held back.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) find(m *profilerecord.RefsMember) uint8 {
	if m.Form == 0 {
		return 0
	}
	if slot := ms.slot(m); slot.Form != 0 && slot.Set > ms.released {
		return slot.Set
	}
	return 0
}

// match returns the membership of o and of the reference with the key k that
// leads to it. If they are members of several sets, it returns the membership
// in the last of these sets. exact is as resolve returns it. A tiny block is
// not a member of the set of its type, because several objects share it.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) match(k *refsKey, o *refsObject, exact bool) refsMembership {
	variable, of, reference, object := k.variable(), refsNodes.at(k.parent).ofVariable(), k.reference(), k.object()
	set := max(ms.find(&variable), ms.find(&of), ms.find(&reference))
	if (exact || o.hasHeaderOf(k)) && o.class != tinySpanClass {
		if s := ms.find(&object); s != 0 && s >= set {
			return refsMembership(s)*2 + 1
		}
	}
	return refsMembership(set) * 2
}

// hasHeaderOf reports whether the type that header returns for o is the type of
// the objects of k. If it is, the type of o is certain, even if the reference
// points into o.
//
//go:nowritebarrierrec
func (o *refsObject) hasHeaderOf(k *refsKey) bool {
	if k.role != profilerecord.RefsObject || k.typ == 0 {
		return false
	}
	h := o.header()
	return h != nil && uintptr(unsafe.Pointer(refsElem(h))) == k.typ
}

// setOf puts the objects of k into the set that retains the objects that refer
// to them. The argument is the node of the referring objects. This is needed if
// the parent of k is not that node, but one that does not belong to the set:
// the keys and elements of a map, for example, are below the map and not below
// its storage.
//
//go:nowritebarrierrec
func (k *refsKey) setOf(from uint32) {
	if !refsMembers.on {
		return
	}
	if set := refsNodes.at(from).set; set != 0 && set != profilerecord.RefsFreedLater && set != refsNodes.at(k.parent).set {
		k.member = refsMembership(set) * 2
	}
}

// node returns the node for o, to which a reference with the key k leads.
//
//go:nowritebarrierrec
func (k *refsKey) node(o *refsObject, exact bool) uint32 {
	if refsMembers.on {
		if m := refsMembers.match(k, o, exact); m != 0 {
			k.member = m
		}
	}
	return refsNodes.find(k)
}

// findMember is find for a key with the membership in a set.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) findMember(key *refsKey) uint32 {
	if key.parent&refsLost == 0 {
		if n := ns.lookUp(key, true); n != 0 {
			return n
		}
	}
	return refsSetNode(key.member)
}

// variable returns the member for k if k is a global variable, a block of data
// or bss (RefsModuleData), or a variable of a frame. For other keys, the Form
// is 0.
//
//go:nowritebarrierrec
func (k *refsKey) variable() (m profilerecord.RefsMember) {
	switch k.kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal, profilerecord.RefsModuleData, profilerecord.RefsLocal:
		m.Form, m.Kind, m.Offset = profilerecord.RefsMemberVariable, k.kind, k.off
	}
	return m
}

// ofVariable returns the member for references in the variable k: the variable
// itself. If k is no variable, the Form is 0.
//
//go:nowritebarrierrec
func (k *refsKey) ofVariable() profilerecord.RefsMember {
	if k.isCapturedVariable() {
		return k.reference()
	}
	return k.variable()
}

// isCapturedVariable reports whether k is a variable that a closure has
// captured and that is not itself a reference.
//
//go:nowritebarrierrec
func (k *refsKey) isCapturedVariable() bool {
	return k.kind == profilerecord.RefsCaptured && k.role == profilerecord.RefsVariable
}

// reference returns the member for the reference of k. Its Form is 0 unless the
// reference is in an object of known type, in a closure or in a variable. For a
// captured variable, the member is the variable.
//
//go:nowritebarrierrec
func (k *refsKey) reference() (m profilerecord.RefsMember) {
	parent := refsNodes.at(k.parent)
	if k.kind < profilerecord.RefsField || k.kind == profilerecord.RefsUnknown || k.parent&refsLost != 0 {
		return m
	}
	m.Role, m.Parent, m.ParentFunc = parent.role, parent.typ, parent.fn
	if parent.role == profilerecord.RefsVariable {
		m.Parent, m.ParentFunc = parent.off, uintptr(parent.kind)
		if parent.isCapturedVariable() {
			m.ParentFunc = refsNodes.at(parent.parent).fn
		}
	}
	m.Form, m.Kind, m.Offset, m.Dyn = profilerecord.RefsMemberReference, k.kind, k.off, k.dyn
	if k.role == profilerecord.RefsClosure {
		m.Func = k.fn
	}
	return m
}

// object returns the member for objects of the type of k. Its Form is 0 if the
// type is not known, or if k is a variable.
//
//go:nowritebarrierrec
func (k *refsKey) object() (m profilerecord.RefsMember) {
	if k.untyped && k.typ == 0 || k.role == profilerecord.RefsVariable || k.role == refsRoleDirect {
		return m
	}
	m.Form, m.Role, m.Type = profilerecord.RefsMemberObject, k.role, k.typ
	if k.role == profilerecord.RefsClosure {
		m.Func = k.fn
	}
	return m
}

// member returns the member that c chooses. Its Form is 0 if the node has no
// such member.
func (ns *refsNodeTable) member(c profilerecord.RefsChoice) (m profilerecord.RefsMember) {
	k := &ns.at(uint32(c.Node)).refsKey
	switch c.Form {
	case profilerecord.RefsMemberVariable:
		m = k.variable()
	case profilerecord.RefsMemberReference:
		m = k.reference()
	case profilerecord.RefsMemberObject:
		m = k.object()
	}
	m.Set = c.Set
	return m
}

// holds reports whether members with membership m are still held back.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) holds(m refsMembership) bool {
	return m.isOfSet() && m.set() > ms.released
}

// isStale reports whether c is an entry that holds objects back for a set that
// has been released since.
//
//go:nowritebarrierrec
func (c *refsCached) isStale() bool {
	return c.child&refsHeld != 0 && !refsMembers.holds(refsNodes.at(c.child).member)
}

// better reports whether an object that is held back at node old is to be held
// back at node n instead, because of their sets. This is so if both nodes are
// of references that are members, and the set of n is released before that of
// old.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) better(old, n uint32) bool {
	return ms.on && refsRank(old) == refsRankCut && refsRank(n) == refsRankCut && refsNodes.at(n).set < refsNodes.at(old).set
}

// lets is refsStage.lets for a recording with sets.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) lets(s refsStage, n uint32) bool {
	rank := refsRank(n)
	switch s {
	case refsStagePools:
		return rank == refsRankPool
	case refsStageOutside, refsStageMembersUntyped:
		return rank > refsRankCut && rank < refsRankMember
	case refsStageMembers:
		m := refsNodes.at(n).member
		return n&refsLost == 0 && m.isOfSet() && m.set() == ms.released
	}
	return s >= refsStageBarrier
}

// lostStage returns the stage from which on objects of unknown type are claimed
// at once even if their nodes are missing (refsLost).
//
//go:nowritebarrierrec
func (ms *refsMemberTable) lostStage() refsStage {
	if ms.on {
		return refsStageOutside
	}
	return refsStageBarrier
}

// membersUntyped is untyped for a recording with sets.
func (s refsStage) membersUntyped() bool {
	switch s {
	case refsStageOutside, refsStageOutsideSpecials, refsStageMembersUntyped:
		return true
	}
	return s >= refsStageFreedLater
}

// stageAfter returns the stage that follows s in a recording with sets.
func (ms *refsMemberTable) stageAfter(s refsStage) refsStage {
	switch {
	case s == refsStageOutsideSpecials && ms.claimed.more():
		return s
	case s == refsStageMembersUntyped && ms.released < ms.sets:
		return refsStageMembers
	}
	return s + 1
}

// more reports whether refsStageOutsideSpecials has to be repeated: its last
// run has found another number of specials than the run before, and it has not
// reached both limits.
func (c *refsClaimedSpecials) more() bool {
	return c.n.Load() != c.before && (c.times < refsMostClaimedTimes || c.all < refsMostClaimed)
}

// jobs prepares a stage of a recording with sets, and returns the number of its
// root jobs, or 0 in a recording without sets.
func (ms *refsMemberTable) jobs(s refsStage) uint32 {
	if !ms.on {
		return 0
	}
	switch s {
	case refsStageOutsideSpecials:
		c := &ms.claimed
		c.before = c.n.Swap(0)
		c.times++
		c.all += c.before
		return uint32(work.nSpanRoots)
	case refsStageFreedLater:
		return uint32(work.nSpanRoots)
	case refsStageMembers:
		ms.released++
	}
	return refsReleaseJobs()
}

// skips reports whether sp, a special of span s, waits for the next run of
// refsStageOutsideSpecials or for refsStageFreedLater, because its object is
// not claimed. In refsStageOutsideSpecials, it counts sp if the object is
// claimed and sp has references to follow.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) skips(s *mspan, sp *special) bool {
	if refsMarking.stage != refsStageOutsideSpecials {
		return false
	}
	index := sp.offset / s.elemsize
	var o refsObject
	o.fromSpan(s.base()+index*s.elemsize, s, index)
	if o.claimable() {
		return true
	}
	switch sp.kind {
	case _KindSpecialFinalizer, _KindSpecialWeakHandle, _KindSpecialCleanup:
		ms.claimed.n.Add(1)
	}
	return false
}

// ofSpecials returns the membership for the keys of specials.
//
//go:nowritebarrierrec
func (ms *refsMemberTable) ofSpecials() refsMembership {
	if refsMarking.stage == refsStageFreedLater {
		return refsFreedLater
	}
	return 0
}

// pprof_refsRetained records references with the sets of the given members, of
// which there may be none, and returns the result. If choose is not nil, it
// calls choose with the result, and also returns the chosen members that were
// not given in the same set or a later one. If there is no result, failed is
// the reason.
//
//go:linkname pprof_refsRetained
func pprof_refsRetained(members []profilerecord.RefsMember, choose func(*profilerecord.RefsProfile) []profilerecord.RefsChoice) (p *profilerecord.RefsProfile, more []profilerecord.RefsMember, failed string) {
	semacquire(&refsSema)
	defer semrelease(&refsSema)
	refsMembers.begin(members, choose != nil)
	defer refsMembers.begin(nil, false)
	start := nanotime()
	if failed := refsRecord(false); failed != "" {
		return nil, nil, failed
	}
	defer refsFree()
	refsRaceAcquire()
	refsMemory.reserve.giveUp()
	p = refsProfile(start)
	if choose != nil {
		more = refsMembers.chosen(choose(p))
	}
	return p, more, ""
}
