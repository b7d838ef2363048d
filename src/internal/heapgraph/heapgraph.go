// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package heapgraph writes and reads the file of a heap graph: the live objects
// of a garbage collection or of a core file, the roots, and the references from
// both to live objects. runtime/pprof and go tool heapgraph core write the
// file, and debug/heapgraph reads it. doc/design/heapgraph.md in the repository
// of gorefs has the reasons for the format.
//
// # Sections
//
// A file is the line [Magic] and then sections, in any order except that the
// first is META and the last is END. A section is a header and a payload. The
// header has 13 bytes: the kind (1 byte), the length of the payload, its length
// in the file, and a checksum (4 bytes each, little-endian). The checksum is
// CRC-32C of the 9 bytes before it and of the payload in the file. If the
// lengths differ, the payload is deflated (RFC 1951). No payload is longer than
// [MaxPayload], and none becomes longer by being deflated.
//
// A payload is a sequence of records. Each record is a sequence of numbers and
// texts. A number is an unsigned varint of package encoding/binary, or a signed
// one where ± says so. A text is its length and that number of bytes. (string)
// and (type) stand for the number of a string and of a type (see Numbers). A
// section can be decoded without the sections before it: its first record has
// distances from 0 in place of distances from the record before. Only the
// distance of a node's parent counts from the node's own number, which depends
// on the NODES before.
//
//	kind            a record
//	1   META        key (text), value (text)
//	2   STRINGS     text
//	3   TYPES       name (string), size in bytes, number n of fields, and n times
//	                    distance in bytes from the field before, name (string),
//	                    type (type)
//	4   NODES       distance from the parent's number, or 0; class;
//	                    element (string); type (type); type as text (string)
//	5   SPANS       distance from the end of the span before ±, number of slots,
//	                    size of a slot in words, number of words before the
//	                    value in each slot (the allocator's header), or 0
//	6   REFS        distance of the word that has the reference from that of the
//	                    record before, distance of its target from the target
//	                    before ±
//	7   CLAIMS      distance of the object from that of the record before, node
//	8   ROOTREFS    goroutine, node, distance of the target from that of the
//	                    record before ±
//	9   SPECIALS    distance of the object from that of the record before ±, node,
//	                    distance of the target from the object ±
//	10  GOROUTINES  class, function with which it began (string), reason for
//	                    which it waits or last waited (string), number n of
//	                    labels, and n times key (string), value (string)
//	127 END         number of the sections before, and of records of the kinds 1
//	                    to 10
//	128 OWNERS      as SPECIALS. A reference of ROOTREFS with this node and
//	                    target, and no goroutine, is in the word at the
//	                    address or, if the root of the node is a finalizer, a
//	                    cleanup or a weak handle, in the special of the object
//	                    at the address. No object need be there
//	129 SUMS        node, less that of the record before; how many bytes of its
//	                    objects the collection has scanned; to how many no
//	                    reference refers
//	130 CREATORS    goroutine, less that of the record before; function with the
//	                    go statement that started it (string), name of its file
//	                    (string), line
//	131 HULLS       distance of the object from that of the record before ±;
//	                    distance, in bytes from its beginning, of the first byte
//	                    to which a reference refers; of the one behind the last,
//	                    from the first
//	132 WAITS       goroutine, less that of the record before; for how many
//	                    minutes it has waited
//
// A record of OWNERS whose object and target are the same, and whose node is the
// root of finalizers, stands for no reference: the object has a finalizer, which
// holds what the object refers to.
//
// HULLS has the objects of which references are known to refer to a part, such
// as an array of which a slice is left. In the storage of maps and channels,
// entries count as if they stood at its beginning.
//
// A reader skips sections of unknown kinds from 128 on, and refuses files with
// other unknown kinds. A file that has no END is incomplete: the process ended,
// or its writer failed. A writer that fails writes no END.
//
// # Numbers
//
// Strings, types, nodes and goroutines are numbered from 1 in the order of the
// file, each kind by itself. The number 0 stands for none. A record may have
// the number of an item that comes later in the file, except that the parent of
// a node comes before the node.
//
// Addresses and distances between them are in words of the pointer size.
// Addresses count from a place that the writer chooses, so that they are not
// those in the process. The address of an object is that of its slot. No two
// spans overlap, no span has more than [MaxSlots] slots, and all spans together
// have at most [MaxWords] words. An object has at most one claim.
//
// An array type has one field, which is its first element and whose name is
// [Elem], unless the array has no elements. The fields of a struct are in the
// order of their offsets. The type of the groups of a map has the map's name. If
// its first field is named [Elem], that is the first slot, a type without a name
// that has the fields key and value; if not, it has the fields key and value,
// which are arrays. The type of the buffer of a channel has the channel's name,
// and one field, as an array type. The type of closures has no name, and the
// captured variables as fields. Other types have no fields. A size of 0 is not
// known. A type that does not describe the objects of its nodes, such as the type
// of a map for its other parts, is a name alone: it has neither size nor fields.
package heapgraph

// Magic is the first line of a file.
const Magic = "go heap graph 1\n"

// Limits of the format.
const (
	MaxPayload = 4 << 20 // bytes of a section's payload
	MaxString  = 1 << 20 // bytes of a string that a Writer writes
	MaxSlots   = 1024    // slots of a span
	MaxWords   = 1 << 56 // words of all spans: their sizes in bytes have room in an int64
)

// Elem is the name of the field of an array type that stands for its elements.
const Elem = "[]"

// A Kind is the kind of a section.
type Kind uint8

const (
	KindMeta Kind = 1 + iota
	KindStrings
	KindTypes
	KindNodes
	KindSpans
	KindRefs
	KindClaims
	KindRootRefs
	KindSpecials
	KindGoroutines

	KindEnd Kind = 127

	// A reader skips sections of this kind and of higher kinds that it does
	// not know.
	firstOptional Kind = 128

	// KindOwners is optional: it helps to explain the other sections.
	KindOwners Kind = 128

	// KindSums is optional: it has the sums of a refs profile that do not
	// follow from the other sections.
	KindSums Kind = 129

	// KindCreators is optional: it says where goroutines were started.
	KindCreators Kind = 130

	// KindHulls is optional: it says which parts of objects are used.
	KindHulls Kind = 131

	// KindWaits is optional: it says how long goroutines have waited.
	KindWaits Kind = 132

	numKinds = int(KindGoroutines) + 1
)

var kindNames = [numKinds]string{
	"", "META", "STRINGS", "TYPES", "NODES", "SPANS", "REFS", "CLAIMS", "ROOTREFS", "SPECIALS", "GOROUTINES",
}

// String returns the name of the kind.
func (k Kind) String() string {
	switch {
	case k == KindEnd:
		return "END"
	case k == KindOwners:
		return "OWNERS"
	case k == KindSums:
		return "SUMS"
	case k == KindCreators:
		return "CREATORS"
	case k == KindHulls:
		return "HULLS"
	case k == KindWaits:
		return "WAITS"
	case k >= firstOptional:
		return "optional"
	case int(k) < numKinds && k != 0:
		return kindNames[k]
	}
	return "unknown"
}

// Counts has the number of records of each kind that has records.
type Counts [numKinds]uint64

// Classes of nodes and goroutines. References from nodes of the second class,
// and from goroutines of the second class, count only for objects that other
// references do not reach. References in objects that are claimed at nodes of
// the second class are in ROOTREFS, with the object's node.
const (
	InheritedClass = 0 // the class of the parent
	FirstClass     = 1
	SecondClass    = 2
)

// A Pair is a record of REFS or CLAIMS.
type Pair struct {
	Addr  uint64 // address of the word that has the reference, or of the object
	Value uint64 // address of the target, or number of the node
}

// A Type is a record of TYPES.
type Type struct {
	Name   uint64 // string
	Size   uint64 // in bytes
	Fields []Field
}

// A Field is a field of a struct, or the first element of an array.
type Field struct {
	Offset uint64 // in bytes
	Name   uint64 // string
	Type   uint64 // number
}

// A Node is a record of NODES.
type Node struct {
	Parent  uint64 // number, or 0 for a root
	Class   uint64 // not InheritedClass if Parent is 0; nodes below one of the second class are of the second class, too
	Element uint64 // string
	Type    uint64 // number of the type of the objects
	Text    uint64 // string: the type as text
}

// A Span is a record of SPANS.
type Span struct {
	Start    uint64 // address of the first slot
	Slots    uint64 // number of slots
	SlotSize uint64 // in words
	Skip     uint64 // words of a slot before its value
}

// End returns the address after the last slot.
func (s *Span) End() uint64 { return s.Start + s.Slots*s.SlotSize }

// A RootRef is a record of ROOTREFS.
type RootRef struct {
	Goroutine uint64 // number, or 0
	Node      uint64 // number of the node of the reference
	Target    uint64 // address
}

// A Special is a record of SPECIALS or OWNERS.
type Special struct {
	Object uint64 // address of the object that has the special
	Node   uint64 // number of the node of the reference; it, or the root above it, gives the kind of the special
	Target uint64 // address
}

// A Goroutine is a record of GOROUTINES.
type Goroutine struct {
	Class  uint64 // FirstClass, or SecondClass for goroutines of the runtime
	Func   uint64 // string: the function with which it began, or (this request) if it took the snapshot for a request
	Wait   uint64 // string: the reason for which it waits or last waited
	Labels []Label
}

// A Label is a label of a goroutine.
type Label struct {
	Key, Value uint64 // strings
}

// A Sum says how many bytes of a node's objects the collection has scanned, and
// to how many no reference refers.
type Sum struct{ Node, Scan, Unused uint64 }

// A Creator is a record of CREATORS.
type Creator struct {
	Goroutine uint64 // number
	Func      uint64 // string: the function with the go statement
	File      uint64 // string: the name of its file
	Line      uint64
}

// A Hull is a record of HULLS. First and End are distances in bytes.
type Hull struct{ Object, First, End uint64 }

// A Wait says for how many minutes a goroutine, which waits or is in a system
// call, has done so. Goroutines without one have for less than a minute, or it
// is not known.
type Wait struct{ Goroutine, Minutes uint64 }
