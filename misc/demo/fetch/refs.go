// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gorefs/misc/demo/saved"
)

var errNoRefs = errors.New("the profile has no sample type live_space and no comment with the live heap: this is another profile")

// fetchRefs saves refs profiles and a heap graph, for each of which the program
// runs a garbage collection or two. It checks the sum of the first refs profile.
func (s source) fetchRefs() error {
	for _, page := range []struct{ path, file string }{
		{"refs", "refs.pb.gz"},
		{"refs?debug=1", "refs.txt"},
		{"refs?seconds=5", "refs-growth.pb.gz"},
		{"heapgraph", "heap.graph"},
	} {
		if err := s.save(page.path, page.file); err != nil {
			return err
		}
	}
	sum, live, err := refsTotals(s.file("refs.pb.gz"))
	if err != nil {
		return err
	}
	return compareRefs(sum, live)
}

// liveComment matches the comment that refs profiles have for each recording,
// such as "GC cycle 17: 500 bytes live".
var liveComment = regexp.MustCompile(`^GC cycle \d+: (\d+) bytes live$`)

// refsTotals returns the sum of all samples of a refs profile, and the live heap
// of the garbage collection that recorded it.
func refsTotals(file string) (total, live int64, err error) {
	p, err := saved.Read(file)
	if err != nil {
		return 0, 0, err
	}
	m := liveComment.FindStringSubmatch(strings.Join(p.Comments[:min(1, len(p.Comments))], ""))
	if m == nil || len(p.SampleType) < 2 || p.SampleType[1].Type != "live_space" {
		return 0, 0, errNoRefs
	}
	live, err = strconv.ParseInt(m[1], 10, 64)
	return sum(p, 1), live, err
}

// compareRefs returns an error if the values are not equal.
func compareRefs(sum, live int64) error {
	if sum != live {
		return fmt.Errorf("refs, sum of live_space: %d bytes; live heap of that GC cycle: %d bytes", sum, live)
	}
	return nil
}
