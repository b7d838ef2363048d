// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A decoder of the profiles that the corpus takes. It decodes only the parts of
// profile.proto that these profiles use, and panics at anything that is not as
// it should be.

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

const between = " > " // between the elements of a path

// A sample is a decoded sample of a profile.
type sample struct {
	elements []string // root first
	objects  int64
	bytes    int64
	scan     int64
	unused   int64
	root     string   // value of the label root
	typ      string   // value of the label type
	labels   []string // other labels, as key=value, without age and bytes

	retainedBy string // value of the label retained_by of inuse profiles: the path
}

func (s *sample) path() string { return strings.Join(s.elements, between) }

type profile struct {
	samples  []*sample
	comments []string
}

// message calls field for each field of a protocol buffer message: with a
// number if the field is a varint, and with its bytes if it is not.
func message(b []byte, field func(tag int, number uint64, data []byte)) {
	for len(b) > 0 {
		key := varint(&b)
		switch key & 7 {
		case 0:
			field(int(key>>3), varint(&b), nil)
		case 2:
			n := varint(&b)
			field(int(key>>3), 0, b[:n])
			b = b[n:]
		default:
			panic(fmt.Sprintf("wire type %d", key&7))
		}
	}
}

func varint(b *[]byte) uint64 {
	v, n := binary.Uvarint(*b)
	if n <= 0 {
		panic("a number is cut off")
	}
	*b = (*b)[n:]
	return v
}

// repeated appends a value of a repeated field: one number, or, if data is not
// nil, the packed numbers in data.
func repeated(list []uint64, number uint64, data []byte) []uint64 {
	if data == nil {
		return append(list, number)
	}
	for len(data) > 0 {
		list = append(list, varint(&data))
	}
	return list
}

// parts are the tables of a profile, which refer to each other by number.
type parts struct {
	strings       []string
	types         [][2]uint64
	samples       [][]byte
	locations     map[uint64][]uint64 // numbers of functions, innermost first
	functions     map[uint64]uint64   // numbers of their names
	comments      []uint64
	defaultSample uint64
}

func split(b []byte) *parts {
	p := &parts{locations: map[uint64][]uint64{}, functions: map[uint64]uint64{}}
	message(b, func(tag int, number uint64, data []byte) {
		switch tag {
		case 1:
			var t [2]uint64
			message(data, func(tag int, number uint64, _ []byte) { t[tag-1] = number })
			p.types = append(p.types, t)
		case 2:
			p.samples = append(p.samples, data)
		case 4:
			p.location(data)
		case 5:
			p.function(data)
		case 6:
			p.strings = append(p.strings, string(data))
		case 13:
			p.comments = repeated(p.comments, number, data)
		case 14:
			p.defaultSample = number
		}
	})
	return p
}

func (p *parts) location(b []byte) {
	var id uint64
	var functions []uint64
	message(b, func(tag int, number uint64, data []byte) {
		switch tag {
		case 1:
			id = number
		case 4:
			message(data, func(tag int, number uint64, _ []byte) {
				if tag == 1 {
					functions = append(functions, number)
				}
			})
		}
	})
	if p.locations[id] != nil || len(functions) == 0 {
		panic(fmt.Sprintf("location %d is there twice, or has no function", id))
	}
	p.locations[id] = functions
}

func (p *parts) function(b []byte) {
	var id, name uint64
	message(b, func(tag int, number uint64, _ []byte) {
		switch tag {
		case 1:
			id = number
		case 2:
			name = number
		}
	})
	p.functions[id] = name
}

func (p *parts) sample(b []byte) *sample {
	var locations, values []uint64
	s := new(sample)
	message(b, func(tag int, number uint64, data []byte) {
		switch tag {
		case 1:
			locations = repeated(locations, number, data)
		case 2:
			values = repeated(values, number, data)
		case 3:
			var key, value uint64
			message(data, func(tag int, number uint64, _ []byte) {
				switch tag {
				case 1:
					key = number
				case 2:
					value = number
				}
			})
			s.label(p.strings[key], p.strings[value])
		}
	})
	for i := len(locations) - 1; i >= 0; i-- {
		functions := p.locations[locations[i]]
		for j := len(functions) - 1; j >= 0; j-- {
			s.elements = append(s.elements, p.strings[p.functions[functions[j]]])
		}
	}
	if isStack := len(s.elements) > 0 && s.elements[0] == "(stack)"; isStack != (s.root == "stack" && !*inuse) {
		panic(fmt.Sprintf("%q is at the root %s", s.elements, s.root))
	} else if isStack {
		s.elements = s.elements[1:]
	}
	if *inuse {
		s.elements = strings.Split(s.retainedBy, between)
	}
	if len(values) != 4 || len(s.elements) == 0 {
		panic(fmt.Sprintf("sample %q has %d values", s.elements, len(values)))
	}
	s.objects, s.bytes, s.scan, s.unused = int64(values[0]), int64(values[1]), int64(values[2]), int64(values[3])
	return s
}

func (s *sample) label(key, value string) {
	switch key {
	case "root":
		s.root = value
	case "type":
		s.typ = value
	case "retained_by":
		s.retainedBy = value
	case "age", "bytes":
	default:
		s.labels = append(s.labels, key+"="+value)
	}
}

func readProfile(compressed []byte) *profile {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	check(err)
	b, err := io.ReadAll(z)
	check(err)
	parts := split(b)
	var types []string
	for _, t := range parts.types {
		types = append(types, parts.strings[t[0]]+"/"+parts.strings[t[1]])
	}
	what := profiles[wanted()]
	if got := strings.Join(types, " "); got != what+"_objects/count "+what+"_space/bytes scan_space/bytes unused_space/bytes" {
		panic("sample types are " + got)
	}
	if got := parts.strings[parts.defaultSample]; got != what+"_space" && got != "" {
		panic("the default sample type is " + got)
	}
	p := new(profile)
	for _, c := range parts.comments {
		p.comments = append(p.comments, parts.strings[c])
	}
	for _, b := range parts.samples {
		p.samples = append(p.samples, parts.sample(b))
	}
	return p
}
