// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file deflates sections and writes them.

package heapgraph

import (
	"compress/flate"
	"errors"
	"io"
)

// An output writes the sections of a Writer.
type output struct {
	w    io.Writer
	err  error
	size int64 // number of bytes that were written

	alloc func(bytes int) []byte

	begun   bool
	deflate *flate.Writer
	packed  packed
}

// write writes a section.
func (o *output) write(k Kind, b []byte) {
	if !o.begun {
		o.begun = true
		o.writeBytes([]byte(Magic))
	}
	if o.err != nil {
		return
	}
	stored := o.pack(b)
	h := header{kind: k, length: uint32(len(b)), stored: uint32(len(stored))}
	var hb [headerSize]byte
	h.encode(&hb, stored)
	o.writeBytes(hb[:])
	o.writeBytes(stored)
}

// writeBytes writes to the underlying writer.
func (o *output) writeBytes(b []byte) {
	if o.err != nil {
		return
	}
	n, err := o.w.Write(b)
	o.size += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	o.err = err
}

// A packed receives a deflated payload. Its capacity is the length of the
// payload before it is deflated.
type packed struct{ b []byte }

var errNotShorter = errors.New("heapgraph: payload is not shorter when deflated")

func (p *packed) Write(b []byte) (int, error) {
	if len(p.b)+len(b) >= cap(p.b) {
		return 0, errNotShorter
	}
	p.b = append(p.b, b...)
	return len(b), nil
}

// pack returns the payload b deflated, or b if deflating does not make it
// shorter.
func (o *output) pack(b []byte) []byte {
	if cap(o.packed.b) < len(b) {
		o.packed.b = o.alloc(max(len(b), MaxPayload/4))[:0]
	}
	o.packed.b = o.packed.b[:0:len(b)]
	defer func() { o.packed.b = o.packed.b[:0] }()
	if o.deflate == nil {
		// NewWriter returns no error, because the level is valid.
		o.deflate, _ = flate.NewWriter(&o.packed, level)
	} else {
		o.deflate.Reset(&o.packed)
	}
	if _, err := o.deflate.Write(b); err != nil {
		return b
	}
	if err := o.deflate.Close(); err != nil {
		return b
	}
	return o.packed.b
}
