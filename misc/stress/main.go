// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Stress takes recordings of references (profiles refs and inuse) one after
// another, while workers do everything else at once that a program can do to
// the runtime. It checks that each refs profile adds up to the live heap, to
// the byte.
//
//	go run . -for 20s
//	go run . -recordings 10000 -procs 8
//
// table.go has tables of workers: recorders, mutators, settings of the runtime,
// and other profiles. Workers that some builds do not have are in tables of
// their own. Each worker works in rounds, in goroutines of its own, and checks
// its own data.
//
// The program runs twice. The parent (keeper.go) starts the program again as
// the child, which does the work. The parent passes the child's output on, and
// makes it dump its goroutines if it stops sending reports. The child (run.go)
// itself finds workers that make no progress. Therefore the parent prints
// results also after a crash, a hang of a worker or a hang of the whole
// runtime. There is one result for each worker, and one for the run. With
// -json, the parent prints each of them. Without it, the last line has the
// numbers of those that passed and failed.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

var (
	duration   = flag.Duration("for", 0, "run for `duration` (20s if there is no -recordings)")
	recordings = flag.Int64("recordings", 0, "end after `N` recordings")
	procs      = flag.Int("procs", 0, "keep GOMAXPROCS at `N`, except for moments (0: change it all the time, from 1 to 32)")
	only       = flag.String("run", "", "run only workers whose name matches `regexp`, and the recordings")
	without    = flag.String("skip", "", "do not run workers whose name matches `regexp`")
	seed       = flag.Uint64("seed", 0, "seed of the workers' random choices, except times (0: from the clock)")
	ease       = flag.Float64("ease", 10, "let workers rest `F` times as long as they work")
	hang       = flag.Duration("hang", 2*time.Minute, "fail when a worker makes no progress for `duration`")
	output     = flag.String("o", "", "write the first recording that is wrong to `file`")
	asJSON     = flag.Bool("json", false, "print results as go test -json does, for misc/tally")
	name       = flag.String("name", "stress", "the name of this run in results")
	verbose    = flag.Bool("v", false, "print a line each second")
	list       = flag.Bool("list", false, "list the workers")
)

func main() {
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	chosen, err := choose(*only, *without)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if *duration == 0 && *recordings == 0 {
		*duration = 20 * time.Second
	}
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	switch {
	case *list:
		for _, w := range chosen {
			fmt.Println(w.name)
		}
	case os.Getenv(childVariable) != "":
		work(chosen)
	default:
		os.Exit(keep())
	}
}
