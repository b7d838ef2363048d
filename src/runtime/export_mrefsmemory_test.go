// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsmemory_test.go and mrefsstage_test.go.

package runtime

// RefsAlone is a refsAlone.
type RefsAlone struct{ a refsAlone }

const RefsAloneWork = refsAloneWork

func (a *RefsAlone) Want()                                  { a.a.want() }
func (a *RefsAlone) Take() (alone, ok bool)                 { return a.a.take() }
func (a *RefsAlone) Lets(work int64) (done int64, may bool) { return a.a.lets(work) }
func (a *RefsAlone) Did(work int64) bool                    { return a.a.did(work) }
func (a *RefsAlone) HandOver(work int64)                    { a.a.handOver(work) }

// RefsChunks returns how many of the first n chunks of words have different
// places, in a region that is large enough.
func RefsChunks(n uint32) (places int) {
	seen := make(map[[2]uint32]bool)
	for i := range n {
		region, chunk := refsChunkPlace(i)
		if chunk < refsRegionLen(region) {
			seen[[2]uint32{region, chunk}] = true
		}
	}
	return len(seen)
}
