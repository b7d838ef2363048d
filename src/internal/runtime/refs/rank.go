// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs

import "internal/profilerecord"

// A Rank is the reason for which an object is held back: a later reference may
// give it a better path. The worst reason comes first. An object is held back
// at the node of the reference with the best reason, until a stage releases
// objects of that rank.
type Rank uint8

const (
	RankBarrier   Rank = iota // the object has been found only outside of the recorder's own scans, for example by the write barrier; it was allocated while marking and nothing has found it; or it is a G, an M or a P that waits (see RuntimesWait)
	RankLost                  // its node is missing (see Lost)
	RankPool                  // a sync.Pool refers to it
	RankRegisters             // a word of a register or of a conservatively scanned frame refers to it; the word may be no pointer, or one that is no longer used
	RankUntyped               // a reference of unknown type refers to it
)

// RankOf returns the rank of objects that are held back at node n, whose kind
// is given. pool is set if a sync.Pool refers to objects of the node's type.
func RankOf(n uint32, kind profilerecord.RefsKind, pool bool) Rank {
	switch {
	case n&Lost != 0:
		return RankLost
	case kind == profilerecord.RefsBarrier || kind == profilerecord.RefsAllocated:
		return RankBarrier
	case pool:
		return RankPool
	case kind == profilerecord.RefsRegisters:
		return RankRegisters
	}
	return RankUntyped
}
