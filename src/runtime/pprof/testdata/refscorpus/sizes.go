// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Sizes of heap objects, as the collector counts them. The size classes are not
// written down here: they follow from the capacity of a slice that append
// makes.

package main

import (
	"math/bits"
	"reflect"
)

const (
	pageSize   = 8 << 10
	largest    = 32 << 10                          // largest size of a small object, with its header
	headerSize = 8                                 // of objects with pointers that are larger than headerFrom
	headerFrom = bits.UintSize / 8 * bits.UintSize // in bytes
)

// noscan returns the size of an object of n bytes without pointers. Objects of
// less than 16 bytes share blocks, so no exact expectation can have them.
func noscan(n uintptr) int64 {
	if n < 16 {
		panic("an object that shares its block")
	}
	return int64(cap(append([]byte(nil), make([]byte, n)...)))
}

// scan returns the size of an object of n bytes that has pointers.
func scan(n uintptr) int64 {
	switch {
	case n <= 8:
		return 8
	case n <= 16:
		return 16
	case n > headerFrom && n <= largest-headerSize:
		return noscan(n + headerSize)
	case n > largest-headerSize:
		return int64((n + pageSize - 1) &^ (pageSize - 1))
	}
	return noscan(n)
}

// typeSize returns the size of an object of n values of type t.
func typeSize(t reflect.Type, n int) int64 {
	if size := uintptr(n) * t.Size(); hasPointers(t) {
		return scan(size)
	} else {
		return noscan(size)
	}
}

// of returns the size of an object of type T.
func of[T any]() int64 { return typeSize(reflect.TypeFor[T](), 1) }

// array returns the size of an object of n values of type T.
func array[T any](n int) int64 { return typeSize(reflect.TypeFor[T](), n) }

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}
