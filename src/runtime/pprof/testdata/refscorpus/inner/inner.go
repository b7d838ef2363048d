// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package inner has a type, a variable and a function whose package path has
// more than one element.
package inner

type Item struct {
	Next *Item
	Data []byte
}

var Head *Item

func Push(n int) { Head = &Item{Head, make([]byte, n)} }
