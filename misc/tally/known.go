// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// A knownList has the tests that fail without our changes, too. For each line
//
//	package Test  # why
//
// of its file (lib/upstream-failures), it has the package and the test or
// subtest. A listed test that passes is an error, so that the list stays short.
type knownList map[knownTest]bool

type knownTest struct{ pkg, test string }

func readKnown(file string) (knownList, error) {
	list := knownList{}
	if file == "" {
		return list, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if err := list.add(lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return list, lines.Err()
}

func (l knownList) add(line string) error {
	entry, why, _ := strings.Cut(line, "#")
	fields := strings.Fields(entry)
	if len(fields) == 0 {
		return nil // a comment
	}
	if len(fields) != 2 || strings.TrimSpace(why) == "" {
		return fmt.Errorf("want \"package Test  # why\", have %q", line)
	}
	test := knownTest{fields[0], fields[1]}
	if l[test] {
		return fmt.Errorf("%s %s is listed twice", test.pkg, test.test)
	}
	l[test] = true
	return nil
}

func (l knownList) lists(pkg, test string) bool {
	return l[knownTest{pkg, test}]
}

// explains reports whether the list explains the failure of a test. It does if
// it lists the test, or a test of which this one is a subtest. It also does if
// it lists a subtest of this test, and no subtest of this test is in failed,
// which has the tests that count as failed.
func (l knownList) explains(pkg, test string, failed []string) bool {
	for k := range l {
		if k.pkg != pkg {
			continue
		}
		if k.test == test || partOf(test, k.test) {
			return true
		}
		if partOf(k.test, test) && !anyPartOf(failed, test) {
			return true
		}
	}
	return false
}

// partOf reports whether sub is a subtest of test, at whatever depth.
func partOf(sub, test string) bool {
	return strings.HasPrefix(sub, test+"/")
}

func anyPartOf(tests []string, test string) bool {
	for _, t := range tests {
		if partOf(t, test) {
			return true
		}
	}
	return false
}
