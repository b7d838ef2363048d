// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import "math/bits"

// A siteEstimate estimates the bytes of a site's objects: those of its sampled
// objects, which are certain, and how many more these objects stand for.
type siteEstimate struct{ sampled, more uint64 }

// estimateSite returns the estimate for a number of sampled objects of one
// size, and for how many objects they stand.
func estimateSite(count, size, rate int64) (e siteEstimate, objects int64) {
	objects, space := scaleHeapSample(count, size, rate)
	sampled := uint64(max(count*size, 0))
	return siteEstimate{sampled, max(uint64(max(space, 0)), sampled) - sampled}, objects
}

// divide divides total bytes, a number that is exact, among sites. If the
// estimates exceed the total, the part of them that is not certain is scaled
// down. Otherwise they are left as they are, because a few samples may be far
// from the truth, and nothing is known of objects that were allocated when
// sampling was off. rest is what no site has.
//
// A rest that is only due to rounding goes to the largest part (see fewBytes).
func divide(total uint64, estimates []siteEstimate) (parts []uint64, rest uint64) {
	var sum siteEstimate
	for _, e := range estimates {
		sum.sampled += e.sampled
		sum.more += e.more
	}
	room := max(total, sum.sampled) - sum.sampled
	parts = make([]uint64, len(estimates))
	rest = total
	largest := -1
	for i, e := range estimates {
		parts[i] = scaleDown(e.sampled, total, sum.sampled) + scaleDown(e.more, room, sum.more)
		rest -= parts[i]
		if parts[i] != 0 && (largest < 0 || parts[i] > parts[largest]) {
			largest = i
		}
	}
	if largest >= 0 && rest <= max(2*uint64(len(parts)), fewBytes) {
		parts[largest] += rest
		rest = 0
	}
	return parts, rest
}

// scaleDown returns n of sum bytes, or the same share of room if that is less.
func scaleDown(n, room, sum uint64) uint64 {
	if sum <= room {
		return n
	}
	hi, lo := bits.Mul64(n, room)
	n, _ = bits.Div64(hi, lo, sum)
	return n
}
