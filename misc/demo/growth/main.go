// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Growth has the five examples of growth in doc/tutorial.md. In each example,
// memory grows for a different reason, which the profiles show.
//
//	growth EXAMPLE DIR
//
// runs an example and leaves its profiles in DIR. The profiles from before the
// growth are base.*.
package main

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
)

// An example makes memory grow, and saves profiles before and after.
type example func(r recorder) error

var examples = map[string]example{
	"leak":          leak,
	"spike":         spike,
	"stacks":        stacks,
	"fragmentation": fragmentation,
	"database":      database,
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("growth: ")
	if len(os.Args) != 3 || examples[os.Args[1]] == nil {
		log.Fatalf("usage: growth EXAMPLE DIR\nexamples: %v", slices.Sorted(maps.Keys(examples)))
	}
	if err := os.MkdirAll(os.Args[2], 0o777); err != nil {
		log.Fatal(err)
	}
	if err := examples[os.Args[1]](recorder{os.Args[2]}); err != nil {
		log.Fatal(err)
	}
}

// A recorder saves profiles in a folder.
type recorder struct{ dir string }

// save saves profiles in files whose names begin with prefix.
func (r recorder) save(prefix string, profiles ...string) error {
	for _, name := range profiles {
		if err := r.saveOne(prefix+name+".pb.gz", name); err != nil {
			return err
		}
	}
	return nil
}

func (r recorder) saveOne(file, name string) (err error) {
	p := pprof.Lookup(name)
	if p == nil {
		return fmt.Errorf("this toolchain has no profile %s", name)
	}
	f, err := os.Create(filepath.Join(r.dir, file))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return p.WriteTo(f, 0)
}
