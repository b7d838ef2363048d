// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file matches the names of sets with those of types and references.

package heapgraph

import (
	"strings"
	_ "unsafe" // for linkname
)

// matchName reports whether a name matches a set, in which "..." stands for any
// text. A set without the type of a reference matches the name with any type.
// testing/heaptest calls it.
//
//go:linkname matchName
func matchName(set, name string) bool {
	return matchPattern(set, name) || matchPattern(set, withoutType(name))
}

// withoutType returns the name of a reference without its type. The type
// follows the first space that is neither in brackets nor within a type such as
// chan int. The name of an element of a slice, a map or a channel has no such
// type. If the element is an interface, a function or an unsafe.Pointer, then
// the type of its value, the function, or the type of the pointer may follow in
// parentheses.
func withoutType(name string) string {
	if strings.HasPrefix(name, "(") { // text in parentheses is not the name of a reference
		return name
	}
	depth, open := 0, 0 // open is the index of the latest bracket that is in no other
	for i, c := range name {
		switch {
		case strings.ContainsRune("([{", c):
			if depth == 0 {
				open = i
			}
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case c == ' ' && depth == 0 && !isTypeBegun(name[:i], open):
			return name[:i]
		}
	}
	if i := strings.LastIndex(name, "]("); i >= 0 && strings.HasSuffix(name, ")") {
		return name[:i+1]
	}
	return name
}

// isTypeBegun reports whether s ends within a type that may continue after a
// space: chan int, struct { ... }, interface { ... } or func() error. The
// parameter open is the index of the latest bracket that is in no other.
func isTypeBegun(s string, open int) bool {
	return strings.HasSuffix(s, "chan") || strings.HasSuffix(s, "chan<-") || strings.HasSuffix(s, "struct") || strings.HasSuffix(s, "interface") ||
		strings.HasSuffix(s, ")") && strings.HasSuffix(s[:open], "func")
}

// matchPattern reports whether s matches a pattern in which "..." stands for
// any text. A row of more than three dots can be divided into "..." and single
// dots, which stand for themselves, in several ways. The pattern matches if it
// matches in one of these ways.
func matchPattern(pattern, s string) bool {
	if !strings.Contains(pattern, "...") {
		return s == pattern
	}
	for strings.Contains(pattern, manyDots) {
		pattern = strings.ReplaceAll(pattern, manyDots, manyDots[3:])
	}
	at := make([]bool, len(pattern)+1) // whether pattern[:i] matches the part of s that has been read
	at[0] = true
	most := 0 // largest i for which at[i] is true
	for n := 0; ; n++ {
		for i := 0; i <= most; i++ {
			if at[i] && strings.HasPrefix(pattern[i:], "...") {
				at[i+3] = true
				most = max(most, i+3)
			}
		}
		if n == len(s) {
			return at[len(pattern)]
		}
		most = min(most+1, len(pattern))
		for i := most; i >= 0; i-- {
			at[i] = i > 0 && at[i-1] && pattern[i-1] == s[n] || at[i] && strings.HasPrefix(pattern[i:], "...")
		}
		for most > 0 && !at[most] {
			most--
		}
		if !at[most] {
			return false
		}
	}
}

// manyDots is a row of dots so long that a pattern that contains it still
// matches the same texts when three of these dots are removed.
const manyDots = "............"
