// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A program that loads the plugin plug. The argument is the plugin's file. The
// program has a table of globals, and the plugin has none.
package main

import (
	"errors"
	"fmt"
	"os"
	"plugin"
	"unsafe"

	vars "example.com/refs/vars.v1"
)

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	check, err := p.Lookup("Check")
	if err != nil {
		fail(err)
	}
	if err := errors.Join(vars.Check(), check.(func() error)()); err != nil {
		fail(err)
	}
	own, err := p.Lookup("Own")
	if err != nil {
		fail(err)
	}
	if vars.Has(unsafe.Pointer(own.(**int))) {
		fail(errors.New("variable of the plugin is in the table"))
	}
}

func fail(err error) {
	fmt.Println(err)
	os.Exit(1)
}
