// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package heapgraph reads heap graphs: files with the live objects of a garbage
// collection or of a core file, the roots, and the references between them. The
// package computes what each object retains, and why an object is live.
//
//	f, err := heapgraph.Open("heap.graph")
//	...
//	g, err := f.Graph(nil)
//	...
//	for _, s := range g.Dominators().ByType()[:10] {
//		fmt.Println(s.Name, s.Retained.Bytes)
//	}
//
// # Vertices
//
// The vertices of a [Graph] are the objects and the roots. A root is a global
// variable, a goroutine, or something in the runtime that holds objects, such
// as timers. Vertex 0, [All], stands for all roots: each root has a reference
// from it. An object is a slot of a span: several tiny objects in one block are
// one object, and the backing array of a slice is one.
//
// Roots have two classes. Roots of the second class are a less certain reason
// for an object to be live: saved registers and words of stacks that may be no
// pointers, objects that only the write barrier found or whose path could not
// be recorded, items of a sync.Pool, and the runtime's own variables and
// goroutines. They count only for objects that no root of the first class
// reaches. An object that only the second class reaches may refer to objects
// that the first class reaches. Such references are listed, but are not part of
// a path.
//
// # Sizes
//
// Sizes are in bytes. The size of an object is that of its slot, as the garbage
// collector counts it. Roots have no size. A vertex dominates an object if
// every path from a root to the object leads through it. A vertex retains
// itself and the objects that it dominates: they would be free if the vertex
// were not there.
//
// # Not an instant
//
// The graph is recorded while the program runs, unless it is made from a core
// file. A word that changed during the recording may have several targets. An
// object that was allocated during the recording may have no type in the file.
// If marking found no reference to it, the references in it are not in the file
// either. Objects to which no other references lead are not reached. Objects
// that only the write barrier found are not reached either, but the references
// in them count as those of the root (write barrier). [Dominators.Reach]
// returns the number and size of the objects that are not reached.
package heapgraph

import (
	"errors"
	format "internal/heapgraph"
	"io"
	"io/fs"
	"os"
)

// ErrIncomplete is the error of a file that ends early: the process that wrote
// it has ended, or could not write more. The part that was written is valid,
// but this package does not read such a file.
var ErrIncomplete = format.ErrIncomplete

// A File is an open heap graph.
type File struct {
	Meta

	f      *format.File
	size   int64
	closer io.Closer
	tables tables
}

// Open opens the named file, which must be a regular file.
func Open(name string) (*File, error) {
	// A pipe is not opened, because that waits for a writer.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	o, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	f, err := newOSFile(o)
	if err != nil {
		o.Close()
		return nil, err
	}
	f.closer = o
	return f, nil
}

func newOSFile(o *os.File) (*File, error) {
	info, err := o.Stat()
	if err != nil {
		return nil, err
	}
	return NewFile(o, info.Size())
}

// NewFile returns a File for a heap graph of size bytes. It reads everything
// except the objects and references.
func NewFile(r io.ReaderAt, size int64) (*File, error) {
	ff, err := format.Open(r, size)
	if err != nil {
		return nil, err
	}
	f := &File{f: ff, size: size}
	if err := f.loadTables(); err != nil {
		return nil, err
	}
	return f, nil
}

// Close closes the file that Open has opened. Graphs of the file remain valid.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	err := f.closer.Close()
	f.closer = nil
	return err
}
