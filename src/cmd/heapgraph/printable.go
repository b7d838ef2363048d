// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints text. Names in a snapshot may be hostile: a terminal would
// obey their control characters, and a newline or a character that changes the
// direction of writing would forge other lines. Therefore all text for standard
// output, except the usage and the output of export and core, is printed with
// printf.

package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printf prints to the standard output of t. Arguments that are strings, or
// have a method that makes their text, are made printable.
func (t *task) printf(format string, args ...any) {
	for i, arg := range args {
		switch x := arg.(type) {
		case string:
			args[i] = printable(x)
		case error:
			args[i] = printable(x.Error())
		case fmt.Stringer:
			args[i] = printable(x.String())
		}
	}
	fmt.Fprintf(t.out, format, args...)
}

// printable returns s with the characters that are not printable replaced as in
// a Go string literal. It does not change other characters, not even quotes and
// backslashes.
func printable(s string) string {
	if i := strings.IndexFunc(s, isSpecial); i < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case !isSpecial(r):
			b.WriteString(s[:n])
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// isSpecial reports whether r is not printable, or may stand for a byte that is
// not UTF-8.
func isSpecial(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }
