// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints and parses sizes: MB is a million bytes, and MiB is 2²⁰.

package main

import (
	"fmt"
	"strconv"
	"strings"
)

// formatSize returns a size with three digits or more.
func formatSize(n int64) string {
	sign, x := "", float64(n)
	if n < 0 {
		sign, x = "-", -x
	}
	switch {
	case x < 1000:
		return fmt.Sprintf("%s%.0f B", sign, x)
	case x < 1e6:
		return fmt.Sprintf("%s%.0f kB", sign, x/1e3)
	case x < 1e7:
		return fmt.Sprintf("%s%.1f MB", sign, x/1e6)
	case x < 1e10:
		return fmt.Sprintf("%s%.0f MB", sign, x/1e6)
	}
	return fmt.Sprintf("%s%.1f GB", sign, x/1e9)
}

// formatChange returns a size with a sign, or nothing.
func formatChange(n int64) string {
	if n > 0 {
		return "+" + formatSize(n)
	}
	if n == 0 {
		return ""
	}
	return formatSize(n)
}

// formatCount returns a number with commas: 31,000.
func formatCount(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural returns a number and a noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return formatCount(n) + " " + noun + "s"
}

var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

// parseSize parses a size such as 512MB or 1.5GiB, or a number.
func parseSize(s string) (float64, error) {
	scale := 1.0
	number := s
	for _, u := range units {
		if rest, ok := strings.CutSuffix(s, u.name); ok {
			number, scale = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || x != x || x < 0 || x*scale > 1<<62 {
		return 0, fmt.Errorf("%q is no size such as 512MB or 1.5GiB", s)
	}
	return x * scale, nil
}
