// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the properties of a snapshot as a whole.

package heapgraph

import (
	"fmt"
	"strconv"
	"time"
)

// An Amount is a number of objects and their bytes.
type Amount struct {
	Objects int64
	Bytes   int64
}

func (a *Amount) add(b Amount) {
	a.Objects += b.Objects
	a.Bytes += b.Bytes
}

// Sub returns the difference a - b.
func (a Amount) Sub(b Amount) Amount {
	return Amount{a.Objects - b.Objects, a.Bytes - b.Bytes}
}

// Meta describes a snapshot.
type Meta struct {
	GoVersion   string // as runtime.Version
	OS, Arch    string // as runtime.GOOS and runtime.GOARCH
	PointerSize int    // in bytes: 4 or 8
	MainPath    string // path of the main package

	Time  time.Time // at which the collection was requested, or at which the core file was last modified
	Cycle int64     // number of the collection
	Live  Amount    // objects that the collection marked

	// Allocated and Lost are parts of Live. Allocated counts objects that
	// were allocated while the collection marked and that no reference
	// claimed. They have no type. Lost counts objects whose own paths could
	// not be recorded, for example because there was no memory. They have
	// the type and path of an element above them, or the path "(not
	// recorded)" and no type.
	Allocated Amount
	Lost      Amount

	// Truncated says which records are missing because there was no memory
	// for them. It is empty if none are. If it is "references", some of the
	// references other than the first to each object are missing. Retained
	// sizes are then upper bounds, because a missing reference may be
	// another way to an object. If it is "claims", some first references
	// are missing, too, and so are objects to which no other reference
	// leads. Dropped is the number of missing references.
	Truncated string
	Dropped   int64

	MarkTime time.Duration // from the start of the recording to the end of marking; 0 for a core file
	Memory   int64         // memory of the recording at its end, in bytes; 0 for a core file

	Values map[string]string // all keys of the file, and their values
}

// decode sets the fields from m.Values.
func (m *Meta) decode() error {
	v := m.Values
	m.GoVersion, m.OS, m.Arch = v["go.version"], v["go.os"], v["go.arch"]
	m.MainPath, m.Truncated = v["main.path"], v["truncated"]
	var size, ns int64
	for key, p := range map[string]*int64{
		"pointer.size":      &size,
		"gc.cycle":          &m.Cycle,
		"live.bytes":        &m.Live.Bytes,
		"live.objects":      &m.Live.Objects,
		"allocated.bytes":   &m.Allocated.Bytes,
		"allocated.objects": &m.Allocated.Objects,
		"lost.bytes":        &m.Lost.Bytes,
		"lost.objects":      &m.Lost.Objects,
		"dropped":           &m.Dropped,
		"mark.ns":           &ns,
		"memory.bytes":      &m.Memory,
	} {
		text, ok := v[key]
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return metaError(key, text)
		}
		*p = n
	}
	m.MarkTime = time.Duration(ns)
	m.PointerSize = int(size)
	if size != 4 && size != 8 {
		return metaError("pointer.size", v["pointer.size"])
	}
	if text := v["time"]; text != "" {
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return metaError("time", text)
		}
		m.Time = t
	}
	switch m.Truncated {
	case "", "references", "claims":
		return nil
	}
	return metaError("truncated", m.Truncated)
}

func metaError(key, value string) error {
	return fmt.Errorf("heapgraph: META has %s %q", key, value)
}
