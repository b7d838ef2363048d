// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Share tells how much of a refs profile is known: the share of the live bytes
// that have a named root and a known type, for each kind of roots, how many paths
// make up most of the bytes, and what the largest of the rest is.
//
//	go run -C misc/demo ./share FILE...
//
// FILE is what /debug/pprof/refs serves.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/google/pprof/profile"

	"gorefs/misc/demo/saved"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("share: ")
	if len(os.Args) < 2 {
		log.Fatal("usage: share FILE...")
	}
	for i, file := range os.Args[1:] {
		p, err := read(file)
		if err != nil {
			log.Fatal(err)
		}
		if i > 0 {
			fmt.Println()
		}
		fmt.Printf("%s\n\n", file)
		report(os.Stdout, parse(p))
	}
}

// read reads a refs profile.
func read(file string) (*profile.Profile, error) {
	p, err := saved.Read(file)
	if err != nil {
		return nil, err
	}
	if len(p.SampleType) != 2 || p.SampleType[1].Type != "live_space" {
		return nil, fmt.Errorf("%s: this is no refs profile: it has no sample type live_space", file)
	}
	return p, nil
}
