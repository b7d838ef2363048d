// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package main

import (
	"bytes"
	"os"
	"syscall"
)

const (
	indexFile = "shop.index"
	indexSize = 1 << 20
)

// writeIndex makes the file that searches look into.
func writeIndex() error {
	text := make([]byte, indexSize)
	for i := range text {
		text[i] = 'A' + byte(i*i%26)
	}
	return os.WriteFile(indexFile, text, 0o666)
}

// An index is the file in memory.
type index struct{ text []byte }

// openIndex maps the index. Writes to it do not change the file. No code unmaps it.
func openIndex() (*index, error) {
	f, err := os.Open(indexFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := syscall.Mmap(int(f.Fd()), 0, indexSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return &index{text}, nil
}

// lower makes capital letters small.
func (x *index) lower() {
	for i, c := range x.text {
		x.text[i] = c | 0x20
	}
}

// find counts a letter.
func (x *index) find(letter string) int { return bytes.Count(x.text, []byte(letter)) }
