// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The form of pprof: profile.proto, compressed. A location is a frame, and has
// no address, because its function is known here.

package mallocprofile

import (
	"compress/gzip"
	"encoding/binary"
	"io"
	"time"
)

// Numbers of fields.
const (
	profileSampleType = 1
	profileSample     = 2
	profileLocation   = 4
	profileFunction   = 5
	profileString     = 6
	profileTime       = 9
	profilePeriodType = 11
	profilePeriod     = 12
	profileComment    = 13
	profileDefault    = 14
)

// A message is the encoding of a message.
type message []byte

func (m *message) int(field int, v int64) {
	*m = binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3), uint64(v))
}

func (m *message) bytes(field int, v []byte) {
	*m = append(binary.AppendUvarint(binary.AppendUvarint(*m, uint64(field)<<3|2), uint64(len(v))), v...)
}

// A writer makes a profile.
type writer struct {
	out       message
	strings   map[string]int64
	functions map[frame]int64 // without lines
	locations map[frame]int64
}

// writeProto writes the profile for pprof.
func (all *blocks) writeProto(to io.Writer) error {
	w := &writer{strings: map[string]int64{}, functions: map[frame]int64{}, locations: map[frame]int64{}}
	w.string("")
	for _, t := range valueTypes {
		w.pair(profileSampleType, t[0], t[1])
	}
	for _, s := range all.sites {
		w.sample(s)
	}
	w.out.int(profileTime, time.Now().UnixNano())
	w.pair(profilePeriodType, "space", "bytes")
	w.out.int(profilePeriod, all.rate)
	w.out.int(profileComment, w.string(all.comment()))
	w.out.int(profileDefault, w.string("inuse_space"))
	z := gzip.NewWriter(to)
	if _, err := z.Write(w.out); err != nil {
		return err
	}
	return z.Close()
}

// string returns the number of a string. Strings have the order of their
// numbers.
func (w *writer) string(s string) int64 {
	n, ok := w.strings[s]
	if !ok {
		n = int64(len(w.strings))
		w.strings[s] = n
		w.out.bytes(profileString, []byte(s))
	}
	return n
}

func (w *writer) pair(field int, x, y string) {
	var m message
	m.int(1, w.string(x))
	m.int(2, w.string(y))
	w.out.bytes(field, m)
}

func (w *writer) sample(s site) {
	var m message
	for _, f := range s.stack {
		m.int(1, w.location(f))
	}
	for _, v := range s.values {
		m.int(2, v)
	}
	for i := 0; i < len(s.labels); i += 2 {
		var label message
		label.int(1, w.string(s.labels[i]))
		label.int(2, w.string(s.labels[i+1]))
		m.bytes(3, label)
	}
	w.out.bytes(profileSample, m)
}

func (w *writer) location(f frame) int64 {
	id, ok := w.locations[f]
	if !ok {
		id = int64(len(w.locations) + 1)
		w.locations[f] = id
		var line, m message
		line.int(1, w.function(f))
		line.int(2, f.line)
		m.int(1, id)
		m.bytes(4, line)
		w.out.bytes(profileLocation, m)
	}
	return id
}

// function returns the number of f's function. Its system name is the symbol,
// which pprof demangles, or empty, so that pprof leaves a name in brackets.
func (w *writer) function(f frame) int64 {
	f.line = 0
	id, ok := w.functions[f]
	if !ok {
		id = int64(len(w.functions) + 1)
		w.functions[f] = id
		var m message
		m.int(1, id)
		m.int(2, w.string(f.function))
		m.int(3, w.string(f.symbol))
		m.int(4, w.string(f.file))
		w.out.bytes(profileFunction, m)
	}
	return id
}
