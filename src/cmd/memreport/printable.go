// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names in profiles may be hostile: a terminal obeys control characters.

package main

import (
	"strconv"
	"strings"
)

// printable returns s with the characters that are not printable as in a Go
// string.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != '\ufffd' && strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
