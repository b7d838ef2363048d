// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Readers uses google/pprof to read the profiles that the program in
// ../profiles has written to DIR. Readers checks the properties that collectors
// of profiles rely on, and writes the sums of the values to DIR/sums.json, by
// profile and sample type.
//
//	readers DIR
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Println("usage: readers DIR")
		os.Exit(2)
	}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*.pb.gz"))
	if err != nil || len(files) == 0 {
		fmt.Println("no profiles:", err)
		os.Exit(1)
	}
	profiles := map[string]*profile.Profile{}
	bad := false
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".pb.gz")
		p, err := parse(file)
		if err != nil {
			fmt.Printf("%s: %v\n", name, err)
			bad = true
			continue
		}
		profiles[name] = p
	}
	if err := writeSums(filepath.Join(os.Args[1], "sums.json"), profiles); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for name, p := range profiles {
		for _, c := range checks {
			if err := c.check(name, p, profiles); err != nil {
				fmt.Printf("%s: %s: %v\n", name, c.name, err)
				bad = true
			}
		}
	}
	if bad {
		os.Exit(1)
	}
	fmt.Println(len(profiles), "profiles are as they should be")
}

func parse(file string) (*profile.Profile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return profile.Parse(f)
}

// A summary is the entry of a profile in sums.json.
type summary struct {
	Sums     map[string]int64 // by sample type
	Negative bool             // whether it has a negative value, as a difference can
}

func writeSums(file string, profiles map[string]*profile.Profile) error {
	all := map[string]summary{}
	for name, p := range profiles {
		s := summary{Sums: map[string]int64{}}
		for i, sum := range sums(p) {
			s.Sums[p.SampleType[i].Type] = sum
		}
		for _, sample := range p.Sample {
			s.Negative = s.Negative || slices.Min(sample.Value) < 0
		}
		all[name] = s
	}
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}
