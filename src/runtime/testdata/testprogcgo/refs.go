// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References of a goroutine that is in a callback from C: objects that
// variables in frames on both sides of the C function refer to, and an object
// that a cgo.Handle refers to.

package main

/*
extern void refsCallback();
static void refsCall() { refsCallback(); }
*/
import "C"

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"runtime/cgo"
	"runtime/pprof"
)

func init() {
	register("RefsCallback", RefsCallback)
}

var (
	refsInside  = make(chan bool)
	refsRelease = make(chan bool)
)

//go:noinline
func refsNew() *[7000]byte { return new([7000]byte) }

//go:noinline
func refsOutside() {
	before := refsNew()
	C.refsCall()
	runtime.KeepAlive(before)
}

//export refsCallback
func refsCallback() {
	within := refsNew()
	refsInside <- true
	<-refsRelease
	runtime.KeepAlive(within)
}

func RefsCallback() {
	handle := cgo.NewHandle(&struct{ data *[7000]byte }{refsNew()})
	go refsOutside()
	<-refsInside
	var b bytes.Buffer
	if err := pprof.Lookup("refs").WriteTo(&b, 1); err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{
		` main\.refsOutside refs.go:.*\n(?:.*\n)*.* main\.refsOutside\.before \*\[7000\]uint8\n`,
		` _cgoexp_\w+_refsCallback .* > main\.refsCallback .*\n.* main\.refsCallback\.within \*\[7000\]uint8\n`,
		` runtime/cgo\.handles\n(?:.*\n)*.* struct \{ data \*\[7000\]uint8 \}\.data \*\[7000\]uint8\n`,
	} {
		if !regexp.MustCompile(path).Match(b.Bytes()) {
			fmt.Printf("no %s in\n%s", path, b.Bytes())
			return
		}
	}
	refsRelease <- true
	handle.Delete()
	fmt.Println("OK")
}
