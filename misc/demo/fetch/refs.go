// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"gorefs/misc/demo/saved"
)

var errNoRefs = errors.New("the refs profile has no sample type live_space and no comment with the live heap: this is another profile")

// fetchRefs saves refs profiles, each of which runs a garbage collection in the
// program, and checks the first.
func (s source) fetchRefs() error {
	for _, page := range []struct{ path, file string }{
		{"refs", "refs.pb.gz"},
		{"refs?debug=1", "refs.txt"},
		{"refs?seconds=5", "refs-growth.pb.gz"},
	} {
		if err := s.save(page.path, page.file); err != nil {
			return err
		}
	}
	sum, live, err := refsTotals(s.file("refs.pb.gz"))
	if err != nil {
		return err
	}
	return compareRefs(os.Stdout, sum, live)
}

// The profile has a comment such as "GC cycle 17: 500 bytes live" for each
// recording.
var liveComment = regexp.MustCompile(`^GC cycle \d+: (\d+) bytes live$`)

// refsTotals returns the sum of all samples of a refs profile, and the live
// heap of the garbage collection that recorded it.
func refsTotals(file string) (total, live int64, err error) {
	p, err := saved.Read(file)
	if err != nil {
		return 0, 0, err
	}
	m := liveComment.FindStringSubmatch(strings.Join(p.Comments[:min(1, len(p.Comments))], ""))
	if m == nil || len(p.SampleType) != 2 || p.SampleType[1].Type != "live_space" {
		return 0, 0, errNoRefs
	}
	live, err = strconv.ParseInt(m[1], 10, 64)
	return sum(p, 1), live, err
}

// compareRefs prints both values and returns an error if they are not equal.
func compareRefs(w io.Writer, sum, live int64) error {
	fmt.Fprintf(w, "refs, live_space, sum of all samples  %12d bytes\n", sum)
	fmt.Fprintf(w, "/gc/heap/live:bytes of that GC cycle  %12d bytes\n", live)
	if sum != live {
		return errors.New("the sum of refs is not the live heap")
	}
	return nil
}
