// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Plugin opens the plugin that is built from the folder part, and calls its
// function Index.
//
//	plugin FILE
package main

import (
	"fmt"
	"os"
	"plugin"
	"runtime"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run(file string) error {
	p, err := plugin.Open(file)
	if err != nil {
		return err
	}
	symbol, err := p.Lookup("Index")
	if err != nil {
		return err
	}
	index, ok := symbol.(func([]string) map[string][]int)
	if !ok {
		return fmt.Errorf("Index is a %T", symbol)
	}
	m := index([]string{"a", "b", "a"})
	runtime.GC()
	if len(m) != 2 || len(m["a"]) != 2 || m["a"][1] != 2 {
		return fmt.Errorf("Index returns %v", m)
	}
	return nil
}
