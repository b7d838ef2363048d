// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The refs profile as a protocol buffer. Locations and functions come first,
// then sample after sample is written, so that only the paths are in memory.
//
// An element of a path is a location. Frames of goroutines are the locations
// that other profiles have. Other elements have no address and one line, of a
// function of their name. Its system name is empty: pprof takes a name with
// brackets for C++ else, and cuts it.

package pprof

import (
	"fmt"
	"internal/profilerecord"
	"io"
	"time"
)

// writeProto writes the profile as a compressed protocol buffer.
func (r *refs) writeProto(w io.Writer) error {
	b := newProfileBuilder(w)
	b.pbHeader(protoHeader{
		periodType:  protoType{"space", "bytes"},
		period:      1,
		sampleTypes: []protoType{{"live_objects", "count"}, {"live_space", "bytes"}},
		defaultType: "live_space",
		doc:         "Profile",
	})
	b.pbComments(refsComments(&r.header))
	locs := r.writeLocations(b)
	types := make([]int64, len(r.types)) // in the string table
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
		b.pbSample([]int64{s.objects, s.bytes}, path, func() {
			b.pbLabel(tagSample_Label, "root", g.root, 0)
			for _, l := range g.labels {
				b.pbLabel(tagSample_Label, l[0], l[1], 0)
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

// pbComments writes comments on the profile.
func (b *profileBuilder) pbComments(comments []string) {
	for _, c := range comments {
		b.pb.int64(tagProfile_Comment, b.stringIndex(c))
	}
}

// writeLocations writes the locations of all elements and returns their IDs,
// leaf first. A frame's come first, for appendLocsForStack numbers them.
func (r *refs) writeLocations(b *profileBuilder) [][]uint64 {
	locs := make([][]uint64, len(r.elems))
	for i, e := range r.elems {
		if e.PC != 0 {
			locs[i] = b.appendLocsForStack(nil, []uintptr{e.PC})
		}
	}
	ids := make([]uint64, len(r.elems))
	next, functions := uint64(len(b.locs))+1, len(b.funcs)
	for i, e := range r.elems {
		if e.PC != 0 {
			continue
		}
		function, written := b.funcs[e.Name] // a frame's
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

// newString adds s, which nothing written later will look for, to the string table,
// and returns its index there. It is stringIndex for names of which there may be very
// many, each once.
func (b *profileBuilder) newString(s string) int64 {
	if s == "" {
		return 0
	}
	b.strings = append(b.strings, s)
	return int64(len(b.strings) - 1)
}

// nameLocation writes the location id, which is a name and nothing else.
func (b *profileBuilder) nameLocation(id uint64, name string) {
	function, written := b.funcs[name]
	if !written {
		function = len(b.funcs) + 1
		b.funcs[name] = function
		b.nameFunction(function, b.stringIndex(name))
	}
	b.nameLine(id, function)
}

// nameFunction writes the function id, which has a name, by its index in the string
// table, and nothing else.
func (b *profileBuilder) nameFunction(id int, name int64) {
	start := b.pb.startMessage()
	b.pb.uint64Opt(tagFunction_ID, uint64(id))
	b.pb.int64Opt(tagFunction_Name, name)
	b.pb.endMessage(tagProfile_Function, start)
}

// nameLine writes the location id, which is in a function that is a name.
func (b *profileBuilder) nameLine(id uint64, function int) {
	start := b.pb.startMessage()
	b.pb.uint64Opt(tagLocation_ID, id)
	b.pbLine(tagLocation_Line, uint64(function), 0)
	b.pb.endMessage(tagProfile_Location, start)
	b.flush()
}

// refsComments tells about the recording itself. Each line names the cycle, for
// the difference of two profiles has the comments of both.
func refsComments(p *profilerecord.RefsProfile) []string {
	cycle := fmt.Sprintf("GC cycle %d: ", p.Cycle)
	return []string{
		cycle + fmt.Sprintf("%d bytes live", p.Live),
		cycle + fmt.Sprintf("recorded in %v, added stop-the-world time %v", time.Duration(p.Duration), time.Duration(p.Paused)),
		cycle + fmt.Sprintf("memory used for recording: %d bytes", p.Memory),
		cycle + fmt.Sprintf("not shown on their own path for want of memory: %d bytes in %d objects", p.LostBytes, p.LostObjects),
	}
}
