// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the refs profile as a protocol buffer. It writes locations
// and functions first, and then one sample after another. Therefore the samples
// of the protocol buffer are never in memory together.
//
// An element of a path is usually one location. Frames of goroutines have the
// same locations as in other profiles. Other elements are names
// (protonames.go).

package pprof

import (
	"internal/refpath"
	"io"
)

// writeRefsProto writes the profile as a compressed protocol buffer.
func writeRefsProto(w io.Writer, r *refs) error {
	b := newProtoProfile(w, protoHeader{
		sampleTypes: []protoType{{"live_objects", "count"}, {"live_space", "bytes"}, {"scan_space", "bytes"}, {"unused_space", "bytes"}},
		defaultType: "live_space",
		comments:    r.comments,
	})
	b.start = realTime()
	locs := b.elemLocations(r.elems)
	types := make([]int64, len(r.types)) // indexes in the string table
	for i, typ := range r.types {
		types[i] = b.newString(typ)
	}
	key := b.stringIndex("type")
	var path []uint64
	for _, s := range r.samples {
		path = path[:0]
		elem, parent := r.paths.Last(s.path)
		for ; elem >= 0; elem, parent = r.paths.Last(parent) {
			path = append(path, locs[elem]...)
		}
		g := r.groups[^elem]
		if g.elem >= 0 {
			path = append(path, locs[g.elem]...)
		}
		b.pbSample([]int64{s.objects, s.bytes, s.scan, s.unused}, path, func() {
			b.pbLabel(tagSample_Label, "root", g.root, 0)
			for _, l := range g.labels {
				b.pbLabel(tagSample_Label, l[0], l[1], 0)
			}
			if s.inferred {
				b.pbLabel(tagSample_Label, "inferred", "true", 0)
			}
			if typ := types[s.typ]; typ != 0 {
				start := b.pb.startMessage()
				b.pb.int64(tagLabel_Key, key)
				b.pb.int64(tagLabel_Str, typ)
				b.pb.endMessage(tagSample_Label, start)
			}
		})
	}
	return b.build()
}

// elemLocations writes the locations of all elements and returns their IDs. If
// an element has several locations, the leaf's comes first. Frames are written
// before names, because appendLocsForStack numbers the locations of frames
// itself.
func (b *profileBuilder) elemLocations(elems []refpath.Elem) [][]uint64 {
	locs := make([][]uint64, len(elems))
	for i, e := range elems {
		if e.PC != 0 {
			locs[i] = b.appendLocsForStack(nil, []uintptr{e.PC})
		}
	}
	ids := make([]uint64, len(elems))
	next, functions := uint64(len(b.locs))+1, len(b.funcs)
	for i, e := range elems {
		if e.PC != 0 {
			continue
		}
		function, written := b.funcs[e.Name] // written already if a frame has a function of that name
		if !written {
			functions++
			function = functions
			b.nameFunction(function, b.newString(e.Name))
		}
		ids[i] = next
		locs[i] = ids[i : i+1 : i+1]
		b.nameLine(next, function)
		next++
	}
	return locs
}
