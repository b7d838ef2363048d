// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the sections of a file and reads their payloads. It trusts no
// length, so that a damaged file cannot make a reader allocate much memory. A
// Loader has a buffer for a payload as it is in the file, and one for the
// inflated payload. Neither is much longer than MaxPayload. A File takes a few
// words for each header in the file.

package heapgraph

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
)

// A File is a heap graph. Several goroutines may read it at once, each with a
// Loader of its own.
type File struct {
	Sections []Section // without END
	Counts   Counts    // number of records of each kind, as END has them

	r io.ReaderAt
}

// A Section is the place of a section in a file.
type Section struct {
	Kind   Kind
	Length uint32 // length of the payload

	header header
	offset int64 // offset of the header in the file
}

// Open reads the headers of a file of size bytes, and END. It verifies the
// checksums of END and of sections whose kinds it does not know. [Loader.Load]
// verifies those of the other sections. If END is missing or damaged, or a
// header is wrong, Open reads all payloads before that place, to distinguish an
// incomplete file from a damaged one. For an incomplete file, it returns
// [ErrIncomplete].
func Open(r io.ReaderAt, size int64) (*File, error) {
	magic := make([]byte, len(Magic))
	n := int(min(size, int64(len(magic))))
	if _, err := readFull(r, magic[:n], 0); err != nil {
		return nil, err
	}
	if string(magic[:n]) != Magic[:n] {
		return nil, errors.New("heapgraph: this is not a heap graph of a version that is known")
	}
	f := &File{r: r}
	if n < len(magic) {
		return nil, ErrIncomplete
	}
	if err := f.findSections(size); err != nil {
		return nil, err
	}
	return f, f.checkOptional()
}

// readFull reads len(b) bytes. A file that has become shorter than its size is
// incomplete.
func readFull(r io.ReaderAt, b []byte, off int64) (int, error) {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return n, nil
	}
	if err == io.EOF {
		err = ErrIncomplete
	}
	return n, err
}

// findSections reads the headers.
func (f *File) findSections(size int64) error {
	for off := int64(len(Magic)); ; {
		i := len(f.Sections)
		var b [headerSize]byte
		if size-off < headerSize {
			return f.noEnd()
		}
		if _, err := readFull(f.r, b[:], off); err != nil {
			return err
		}
		s := Section{offset: off}
		ok := s.header.decode(&b)
		s.Kind, s.Length = s.header.kind, s.header.length
		if !ok || i == 0 && s.Kind != KindMeta {
			return f.firstWrong(sectionError(i, s.Kind, "header is wrong"))
		}
		off += headerSize
		if size-off < int64(s.header.stored) {
			return f.noEnd()
		}
		off += int64(s.header.stored)
		if s.Kind == KindEnd {
			return f.end(&s, size-off)
		}
		f.Sections = append(f.Sections, s)
	}
}

// noEnd returns the error of a file that ends within a section or without END.
func (f *File) noEnd() error { return f.firstWrong(ErrIncomplete) }

// firstWrong returns the error of the first section that is damaged, or err if
// there is none. It is needed because everything after a wrong length is wrong,
// too.
func (f *File) firstWrong(err error) error {
	var l Loader
	for i := range f.Sections {
		if err := l.read(f, i, &f.Sections[i]); err != nil {
			return err
		}
	}
	return err
}

// end decodes END. extra is the number of bytes after it.
func (f *File) end(s *Section, extra int64) error {
	i := len(f.Sections)
	var l Loader
	d, err := l.load(f, i, s)
	if err != nil {
		return f.firstWrong(err)
	}
	sections := d.uint()
	for k := 1; k < numKinds; k++ {
		f.Counts[k] = d.uint()
	}
	switch {
	case d.Err() != nil:
		return d.Err()
	case d.More() || extra != 0:
		return sectionError(i, KindEnd, "there is more after it")
	case sections != uint64(i):
		return sectionError(i, KindEnd, fmt.Sprintf("the file had %d sections when it was written", sections))
	}
	return nil
}

// checkOptional checks the sections of unknown kinds, because damage may have
// changed the kind of a section from a known one.
func (f *File) checkOptional() error {
	var l Loader
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Kind >= firstOptional {
			if err := l.read(f, i, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// A Loader reads payloads, one at a time.
type Loader struct {
	stored  []byte
	payload []byte
	src     bytes.Reader
	inflate io.ReadCloser
}

// Load reads the payload of section i of f. The Decoder is valid until the next
// call.
func (l *Loader) Load(f *File, i int) (*Decoder, error) {
	return l.load(f, i, &f.Sections[i])
}

func (l *Loader) load(f *File, i int, s *Section) (*Decoder, error) {
	if err := l.read(f, i, s); err != nil {
		return nil, err
	}
	b := l.stored
	if len(b) != int(s.Length) {
		if !l.unpack(int(s.Length)) {
			return nil, sectionError(i, s.Kind, "deflated payload is wrong")
		}
		b = l.payload
	}
	return &Decoder{b: b, kind: s.Kind, index: i}, nil
}

// read reads the payload of s, as it is in the file, to l.stored.
func (l *Loader) read(f *File, i int, s *Section) error {
	l.stored = grow(l.stored, headerSize+int(s.header.stored))
	if _, err := readFull(f.r, l.stored, s.offset); err != nil {
		return err
	}
	b := (*[headerSize]byte)(l.stored)
	l.stored = l.stored[headerSize:]
	if checksum(b, l.stored) != s.header.sum {
		return sectionError(i, s.Kind, "checksum is wrong")
	}
	return nil
}

// unpack inflates l.stored to l.payload. It reports whether the result has
// exactly n bytes, and nothing follows the deflated data in l.stored.
func (l *Loader) unpack(n int) bool {
	l.src.Reset(l.stored)
	if l.inflate == nil {
		l.inflate = flate.NewReader(&l.src)
	} else if err := l.inflate.(flate.Resetter).Reset(&l.src, nil); err != nil {
		return false
	}
	l.payload = grow(l.payload, n)
	if _, err := io.ReadFull(l.inflate, l.payload); err != nil {
		return false
	}
	var one [1]byte
	m, err := l.inflate.Read(one[:])
	return m == 0 && err == io.EOF && l.src.Len() == 0
}

// grow returns a slice of length n, which is b if b is large enough. It does
// not keep the contents.
func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, max(n, flushSize+flushSize/4))
	}
	return b[:n]
}
