// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Share reports how much of a refs profile is known. For each kind of root it
// prints the share of the live bytes that have a named root, a known type, and
// only known types on their path. For the whole profile it prints the number of
// paths that have most of the bytes, and the largest unknown parts.
//
//	go run -C misc/demo ./share FILE...
//
// FILE is the response of /debug/pprof/refs. With a file of the paths that the
// program's author would give (see readExpected), it reports the share of the
// live bytes that are under these paths, and how many bytes are under another
// path in a later profile:
//
//	go run -C misc/demo ./share -expected PATHS FILE [LATER]
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/google/pprof/profile"

	"gorefs/misc/demo/saved"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("share: ")
	expected := flag.String("expected", "", "score by the paths in `FILE`")
	flag.Usage = func() { log.Print("usage: share FILE... | share -expected PATHS FILE [LATER]") }
	flag.Parse()
	if flag.NArg() == 0 || *expected != "" && flag.NArg() > 2 {
		flag.Usage()
		os.Exit(2)
	}
	var profiles [][]sample
	for _, file := range flag.Args() {
		p, err := read(file)
		if err != nil {
			log.Fatal(err)
		}
		profiles = append(profiles, parse(p))
	}
	if *expected != "" {
		if err := compare(*expected, profiles); err != nil {
			log.Fatal(err)
		}
		return
	}
	for i, samples := range profiles {
		if i > 0 {
			fmt.Println()
		}
		fmt.Printf("%s\n\n", flag.Arg(i))
		report(os.Stdout, samples)
	}
}

// compare compares one profile with the paths in a file and, if there is a
// later profile, with that.
func compare(file string, profiles [][]sample) error {
	expected, err := readExpected(file)
	if err != nil {
		return err
	}
	score(os.Stdout, profiles[0], expected)
	if len(profiles) == 2 {
		reportMoved(os.Stdout, profiles[0], profiles[1])
	}
	return nil
}

// read reads a refs profile.
func read(file string) (*profile.Profile, error) {
	p, err := saved.Read(file)
	if err != nil {
		return nil, err
	}
	if len(p.SampleType) < 2 || p.SampleType[1].Type != "live_space" {
		return nil, fmt.Errorf("%s: this is no refs profile: it has no sample type live_space", file)
	}
	return p, nil
}
