// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker panics, in the program and in the runtime. The panics are
// recovered, replaced, nested, and repeated. It also defers a call of Goexit,
// which aborts a panic.

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
)

func panicAndRecover(r *rand.Rand) func() {
	return func() {
		for range 10 {
			n := newNode(r)
			v := recovered(func() { panic(n) })
			must(v == any(n.alive()), "recovered %v", v)

			v = recovered(func() { n.edges[0].mark++ })
			err, ok := v.(runtime.Error)
			must(ok, "recovered %v of a nil pointer", v)
			must(err.Error() != "", "no message")

			v = recovered(func() {
				defer func() { panic(fmt.Errorf("second: %v", recover())) }()
				panic("first")
			})
			must(v.(error).Error() == "second: first", "recovered %v", v)

			v = recovered(func() {
				defer func() {
					defer func() { recover() }()
					panic("inner")
				}()
				descendAndPanic(r.IntN(100), n)
			})
			must(errors.Is(v.(error), errDeep), "recovered %v", v)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			n := newNode(r2(1))
			defer func() {
				must(recover() == nil, "recovered Goexit")
				n.alive()
			}()
			defer runtime.Goexit()
			panic("Goexit aborts this")
		})
		wg.Wait()
	}
}

var errDeep = errors.New("deep")

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

//go:noinline
func descendAndPanic(depth int, n *node) {
	defer func() { n.alive() }()
	if depth == 0 {
		panic(errDeep)
	}
	descendAndPanic(depth-1, n)
}
