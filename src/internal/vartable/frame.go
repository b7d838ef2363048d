// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package vartable

// Frame variables name the variables to which the pointers in a function's
// frame belong, and the variables that the function captures. They are the
// function's FUNCDATA_FrameVars.
//
// Frame variables are a sequence of entries and a zero byte. There is an entry
// for each variable that the function captures, if it has pointers or is
// captured by reference, for each variable of which a stack map of the function
// has a bit, and for each stack object. Dictionaries (see below) have no
// entries. Captured variables come first, then arguments, then locals, each by
// descending address, so that a word belongs to the first variable whose
// address is not above the word's.
//
// An entry is:
//
//	tag        a byte: form, place and flags
//	position   varint, in words: of captured variables, offset in the closure;
//	           of arguments, up from argp; of locals, down from varp
//	count      if the place is placeArray: varint, the number of elements, or
//	           0 for a part of a map. The form and the type are those of an
//	           element
//	type       if the form has a type (see HasType): 4 bytes of the target's
//	           byte order, the offset from the module's types, or 0 if the
//	           binary lacks the type
//	name       if flagNamed is set: varint length, and text. For a variable of
//	           an inlined function, the text starts with a byte less than a
//	           space, and another byte. As a number of 16 bits, they are the
//	           depth of inlining less 1, times 2048, plus FunctionHash of the
//	           function's name
//	live       if flagShared is set: varint, the number of the stack maps that
//	           have the variable, and as many varints: the index of the first of
//	           these maps, and then the distances from one index to the next
//	itab       if the form is FormIfaceData or FormEfaceData: varint, the
//	           position of the local that has the interface's type word, or 0.
//	           If it is FormMapGroup: the position of the header, or 0
//
// In generic code, the type in an entry can come from a type argument. The
// compiler does not know the type argument, but the dictionary of the frame or
// closure has it. If the compiler can say where the dictionary is and which of
// its words has the type argument, it writes this in records before the entry.
// The tags of such records have no form. A record of the dictionary's place
// belongs to all entries between it and the next such record:
//
//	tag        a byte: flagShared and the place of the dictionary
//	position   varint, as in an entry
//	live       as in an entry
//
// A record of a type argument belongs to the entry that follows it:
//
//	tag        a byte: flagNamed
//	word       varint: the index of the dictionary's word
//
// The format has no version. The compiler and the runtime that reads it are of
// one release, because the linker refuses object files of another.

// A tag has these fields. If flagShared is set, other variables have the same
// slot. If flagNamed is not set, the variable has no name: the compiler has
// made it, or it is in a frame of the runtime's functions or of a wrapper.
const (
	tagForm    = 1<<4 - 1
	tagPlace   = 3 << 4
	flagNamed  = 1 << 6
	flagShared = 1 << 7
)

// Places of variables. For a local that is an array, the tag has placeArray in
// place of PlaceLocal.
const (
	PlaceCaptured = 0 << 4
	PlaceArg      = 1 << 4
	PlaceLocal    = 2 << 4
	placeArray    = 3 << 4
)

// Forms of variables. The type in an entry is the variable's, unless a comment
// says otherwise. The entry of a pointer has the type of its target, and the
// entry of a slice has the type of its elements, because more binaries contain
// these types.
const (
	formNone       = iota
	FormValue      // a struct or array
	FormPointer    // the type is the target's
	FormSlice      // the type is the elements'
	FormString     // without type
	FormMap        //
	FormChan       //
	FormFunc       // without type
	FormEface      // an empty interface, without type
	FormIface      //
	FormUnsafe     // an unsafe.Pointer, without type
	FormClosure    // a closure itself, without type
	FormSliceData  // the pointer of a slice; the type is the elements'
	FormStringData // the pointer of a string, without type
	FormIfaceData  // the data word of an interface
	FormEfaceData  // the data word of an empty interface, without type

	// The parts of a map in the frame. Their tags have the form of a map or of
	// a value, and placeArray with a count of 0, which no array has.
	FormMapHeader // the header; the type is the map's
	FormMapGroup  // the first group; the type is the map's

	// typed has the bits of the forms that have a type.
	typed = 1<<FormValue | 1<<FormPointer | 1<<FormSlice | 1<<FormMap |
		1<<FormChan | 1<<FormIface | 1<<FormSliceData | 1<<FormIfaceData |
		1<<FormMapHeader | 1<<FormMapGroup
)

// isMapPart reports whether a form is that of a part of a map.
func isMapPart(form uint8) bool { return form >= FormMapHeader }

// tagOf returns the form in the tag of a part of a map.
func tagOf(form uint8) uint8 {
	if form == FormMapHeader {
		return FormMap
	}
	return FormValue
}

// partOf is the inverse of tagOf.
func partOf(form uint8) uint8 {
	switch form {
	case FormMap:
		return FormMapHeader
	case FormValue:
		return FormMapGroup
	}
	return form
}

// HasType reports whether entries of a form have a type.
func HasType(form uint8) bool { return typed>>form&1 != 0 }

// Receiver is the name of the variable that a method value captures.
const Receiver = "."

// MaxInlineDepth is the greatest inlining depth that an entry can have. Variables
// of functions that are inlined more deeply have no name.
const MaxInlineDepth = 4

// HashBits is the number of bits of a FunctionHash.
const HashBits = 11

// FunctionHash returns an 11-bit hash of a function's name. An entry does not
// name the inlined function that has its variable. It has only the depth at
// which this function is inlined, and the hash. The reader finds the function
// at that depth by the frame's PC. If the PC is not in the inlined call, the
// reader finds no function at that depth, or another one, whose hash differs in
// most cases.
func FunctionHash(name string) uint16 {
	h := uint32(0)
	for i := range len(name) {
		h = h*31 + uint32(name[i])
	}
	return uint16(h * 0x9e3779b1 >> (32 - HashBits))
}

// A FrameVar is a variable to encode.
type FrameVar struct {
	Place       uint8 // PlaceCaptured, PlaceArg or PlaceLocal
	Form        uint8
	Position    uint32 // in words
	Count       uint32 // number of elements of an array that is a local, or 0
	Name        string // "" if the variable has no name
	InlineDepth uint8  // depth of inlining of the function that has the variable, up to MaxInlineDepth, or 0
	InlineHash  uint16 // FunctionHash of that function's name
	Shared      bool   // other variables have the same slot
	Live        []int  // if Shared: indices of stack maps, ascending
	Itab        uint32 // position in words of the interface's type word, or of the map's header, or 0
}

// Append appends the entry of v to b. It returns the offset in b of the 4 bytes
// for the type, or -1 if the form has no type.
func (v *FrameVar) Append(b []byte) (_ []byte, typeAt int) {
	tag, array := v.Form, v.Count != 0
	if isMapPart(v.Form) {
		tag, array = tagOf(v.Form), true
	}
	tag |= v.Place
	if array {
		tag |= placeArray
	}
	if v.Name != "" {
		tag |= flagNamed
	}
	if v.Shared {
		tag |= flagShared
	}
	b = appendUvarint(append(b, tag), v.Position)
	if array {
		b = appendUvarint(b, v.Count)
	}
	typeAt = -1
	if HasType(v.Form) {
		typeAt = len(b)
		b = append(b, 0, 0, 0, 0)
	}
	if v.Name != "" {
		b = v.appendName(b)
	}
	if v.Shared {
		b = appendLive(b, v.Live)
	}
	if hasItab(v.Form) {
		b = appendUvarint(b, v.Itab)
	}
	return b, typeAt
}

// appendName appends the name of v to b.
func (v *FrameVar) appendName(b []byte) []byte {
	size := uint32(len(v.Name))
	if v.InlineDepth == 0 {
		return append(appendUvarint(b, size), v.Name...)
	}
	inline := uint16(v.InlineDepth-1)<<HashBits | v.InlineHash
	b = append(appendUvarint(b, size+2), byte(inline>>8), byte(inline))
	return append(b, v.Name...)
}

// appendLive appends the indices of stack maps to b.
func appendLive(b []byte, live []int) []byte {
	b = appendUvarint(b, uint32(len(live)))
	last := 0
	for _, m := range live {
		b = appendUvarint(b, uint32(m-last))
		last = m
	}
	return b
}

// hasItab reports whether entries of a form have the position of a type word or
// of a map's header.
func hasItab(form uint8) bool {
	return form == FormIfaceData || form == FormEfaceData || form == FormMapGroup
}

// AppendDict appends a record of the dictionary's place to b. position is in
// words, and live are indices of stack maps.
func AppendDict(b []byte, place uint8, position uint32, live []int) []byte {
	return appendLive(appendUvarint(append(b, flagShared|place), position), live)
}

// AppendTypeArg appends a record of a type argument to b. word is the index of
// the dictionary's word.
func AppendTypeArg(b []byte, word uint32) []byte {
	return appendUvarint(append(b, flagNamed), word)
}

// AppendEnd appends the end of a function's frame variables to b.
func AppendEnd(b []byte) []byte { return append(b, formNone) }

// A FrameEntry is a decoded variable.
type FrameEntry struct {
	At          int // offset of the entry, or of the first record before it if there are records
	Place       uint8
	Form        uint8
	InlineDepth uint8
	InlineHash  uint16
	Live        bool // the variable is in the stack map, or its slot has no other variable
	Named       bool // the variable has a name
	Position    uint32
	Count       uint32
	Type        uint32 // 0 if the binary lacks the type, or the form has none
	Itab        uint32
	NameAt      int // offset of the name
	NameSize    int // 0 if the variable has no name
	Dict        FrameDict
}

// A FrameDict says where the dictionary is that has the type argument of an
// entry.
type FrameDict struct {
	Place    uint8
	Live     bool   // the dictionary is in the stack map, or in the closure
	Known    bool   // the type in the entry comes from a type argument, and Word is set
	Position uint32 // in words
	Word     uint32 // index of the word of the dictionary
}

// A FrameReader decodes a function's entries one after another.
type FrameReader struct {
	data []byte
	at   int // offset of the next byte; more than len(data) if the data end too early
	dict FrameDict
}

// NewFrameReader returns a reader of the entries at the start of data. A zero
// byte in place of a tag ends the entries.
func NewFrameReader(data []byte) FrameReader { return FrameReader{data: data} }

// Next decodes an entry to v, and reports whether there was one. It returns
// false at the end of the entries, and also if data ends too early. stackMap is
// the index of a stack map, or -1.
func (r *FrameReader) Next(v *FrameEntry, stackMap int32) bool {
	*v = FrameEntry{At: r.at, Live: true}
	r.dict.Known = false
	tag := r.byte()
	for tag != 0 && tag&tagForm == formNone {
		r.record(tag, stackMap)
		tag = r.byte()
	}
	if tag == 0 {
		return false
	}
	v.Dict = r.dict
	v.Form, v.Place = tag&tagForm, tag&tagPlace
	v.Position = r.uvarint()
	if v.Place == placeArray {
		v.Place = PlaceLocal
		if v.Count = r.uvarint(); v.Count == 0 {
			v.Form = partOf(v.Form)
		}
	}
	if HasType(v.Form) {
		v.Type = r.native()
	}
	if tag&flagNamed != 0 {
		r.name(v)
	}
	if tag&flagShared != 0 {
		v.Live = r.live(stackMap)
	}
	if hasItab(v.Form) {
		v.Itab = r.uvarint()
	}
	return r.at <= len(r.data)
}

// record decodes a record about the dictionary, behind its tag.
func (r *FrameReader) record(tag uint8, stackMap int32) {
	if tag&flagNamed != 0 {
		r.dict.Word, r.dict.Known = r.uvarint(), true
		return
	}
	r.dict.Place = tag & tagPlace
	r.dict.Position = r.uvarint()
	r.dict.Live = r.live(stackMap) || r.dict.Place == PlaceCaptured
}

// name decodes the name of v.
func (r *FrameReader) name(v *FrameEntry) {
	size := int64(r.uvarint())
	if size > int64(len(r.data)-r.at) {
		r.at = len(r.data) + 1
		return
	}
	end := r.at + int(size)
	if r.at < end && r.data[r.at] < ' ' {
		n := uint16(r.data[r.at]) << 8
		if r.at++; r.at < end {
			n |= uint16(r.data[r.at])
			r.at++
		}
		v.InlineDepth, v.InlineHash = uint8(n>>HashBits)+1, n%(1<<HashBits)
	}
	v.Named, v.NameAt, v.NameSize = true, r.at, end-r.at
	r.at = end
}

// live decodes indices of stack maps, and reports whether stackMap is among
// them.
func (r *FrameReader) live(stackMap int32) (has bool) {
	m := uint32(0)
	for n := r.uvarint(); n > 0 && r.at <= len(r.data); n-- {
		m += r.uvarint()
		has = has || m == uint32(stackMap)
	}
	return has
}

// byte decodes a byte. It returns 0 if the data have ended.
func (r *FrameReader) byte() (b byte) {
	if r.at < len(r.data) {
		b = r.data[r.at]
	}
	r.at++
	return b
}

// uvarint decodes a varint. It returns 0 if the data have ended.
func (r *FrameReader) uvarint() (v uint32) {
	v, r.at = uvarint(r.data, r.at)
	return v
}

// native decodes a number of 4 bytes. It returns 0 if the data have ended.
func (r *FrameReader) native() (v uint32) {
	if at := r.at; at <= len(r.data)-4 {
		v = native(r.data[at:])
	}
	r.at += 4
	return v
}
