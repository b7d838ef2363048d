// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Moved compares two heap graphs of one process, object by object. It prints
// how many bytes have another immediate dominator in the later graph, how many
// have dominators with other names, and how many have another path of marking,
// which is the path that a refs profile shows.
//
//	go run -C misc/demo ./moved FILE LATER
//
// FILE and LATER are responses of /debug/pprof/heapgraph. An object is taken to
// be in both graphs if an object of the other graph has the same address, size
// and type. A slot that was freed and allocated again for the same type counts
// as the same object.
package main

import (
	"debug/heapgraph"
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("moved: ")
	flag.Usage = func() { log.Print("usage: moved FILE LATER") }
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	var graphs [2]*heapgraph.Graph
	for i, name := range flag.Args() {
		g, err := read(name)
		if err != nil {
			log.Fatal(err)
		}
		graphs[i] = g
	}
	compare(graphs[0], graphs[1]).print(os.Stdout)
}

// read returns the graph of a file.
func read(name string) (*heapgraph.Graph, error) {
	f, err := heapgraph.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g, err := f.Graph(nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	return g, nil
}
