// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"

	"github.com/google/pprof/profile"

	"gorefs/misc/demo/saved"
)

// fetchGrowth saves the profiles growth, peak and memory. It compares the
// growth profile with the memory that the runtime has ready for use, which is
// the memory that the program has taken and not returned. Then it saves a page
// fault profile of two seconds, or prints why the program cannot make one.
func (s source) fetchGrowth() error {
	low, high, err := s.saveBetween("growth", "growth.pb.gz", s.readyMetric)
	if err != nil {
		return err
	}
	for _, name := range []string{"peak", "memory"} {
		if err := s.save(name, name+".pb.gz"); err != nil {
			return err
		}
	}
	ready, err := readyOf(s.file("growth.pb.gz"))
	if err != nil {
		return err
	}
	if err := compareGrowth.check(ready, low, high); err != nil {
		return err
	}
	return s.fetchFaults()
}

// fetchFaults saves page faults. If the program answers with an error, for
// example because the system cannot count page faults, fetchFaults prints the
// answer and returns no error.
func (s source) fetchFaults() error {
	resp, err := http.Get(s.url + "/debug/pprof/faults?seconds=2")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		fmt.Printf("no page faults: %s", data)
		return nil
	}
	return os.WriteFile(s.file("faults.pb.gz"), data, 0o666)
}

// readyOf returns the bytes that the program's runtime has taken and not
// returned, according to a growth profile.
func readyOf(file string) (int64, error) {
	p, err := saved.Read(file)
	if err != nil {
		return 0, err
	}
	index := func(name string) int {
		return slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
	}
	resident, released := index("resident_space"), index("released_space")
	if resident < 0 || released < 0 {
		return 0, errors.New("the growth profile has no sample types resident_space and released_space: this is another profile")
	}
	var ready int64
	for _, sample := range p.Sample {
		if !slices.Equal(sample.Label["kind"], []string{"mmap"}) {
			ready += sample.Value[resident] - sample.Value[released]
		}
	}
	return ready, nil
}

var (
	sysLine      = regexp.MustCompile(`(?m)^# Sys = (\d+)$`)
	releasedLine = regexp.MustCompile(`(?m)^# HeapReleased = (\d+)$`)
)

// readyMetric returns the metric /memory/classes/total less
// /memory/classes/heap/released.
func (s source) readyMetric() (int64, error) {
	text, err := s.get("heap?debug=1")
	if err != nil {
		return 0, err
	}
	var values [2]int64
	for i, line := range []*regexp.Regexp{sysLine, releasedLine} {
		m := line.FindSubmatch(text)
		if m == nil {
			return 0, fmt.Errorf("the heap profile's text has no line %q", line)
		}
		if values[i], err = strconv.ParseInt(string(m[1]), 10, 64); err != nil {
			return 0, err
		}
	}
	return values[0] - values[1], nil
}
