// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/pprof"
	"testing"
	"unsafe"
)

// A liveNode is in lists of known length.
type liveNode struct {
	next    *liveNode
	payload *[100]int64
}

// Sizes in bytes. liveNodeSize is that of a node, livePayload that of the size
// class of a payload, and liveSize that of a node with its payload.
const (
	liveNodeSize = int(unsafe.Sizeof(liveNode{}))
	livePayload  = 896
	liveSize     = liveNodeSize + livePayload
)

var (
	liveList *liveNode
	liveMid  *liveNode // of liveList
)

// TestLive checks what the command prints for a snapshot of this process, whose
// heap has known objects.
func TestLive(t *testing.T) {
	liveList, liveMid = nil, nil
	for i := range 1000 {
		liveList = &liveNode{liveList, new([100]int64)}
		if i == 399 {
			liveMid = liveList
		}
	}
	var b bytes.Buffer
	stats, err := new(pprof.HeapGraph).Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	name := writeTemp(t, b.Bytes())
	text := output(t, "top", "-by=root", "-bytes", "-n=0", name)
	checkLines(t, text, "The snapshot is not truncated.")
	share := func(n int) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(stats.Bytes)) }
	for root, n := range map[string]int{"liveList": 600, "liveMid": 0} {
		size := n * liveSize
		checkLines(t, text, fmt.Sprintf("%d %s %d cmd/heapgraph.%s", size, share(size), 2*n, root))
	}
	// The size of all nodes, whichever variable holds them.
	text = output(t, "top", "-bytes", "-n=0", name)
	all := 1000 * liveSize
	checkLines(t, text, fmt.Sprintf("%d %s 2000 %d %s 1000 main.liveNode", all, share(all), 1000*liveNodeSize, share(1000*liveNodeSize)))
	text = output(t, "why", "-bytes", name, "main.liveNode")
	checkLines(t, text, fmt.Sprintf("600 %d cmd/heapgraph.liveList", 600*liveNodeSize), fmt.Sprintf("400 %d cmd/heapgraph.liveMid", 400*liveNodeSize))
	checkLines(t, text, "Shortest path to one of 400 by cmd/heapgraph.liveMid:")
	checkLines(t, text, fmt.Sprintf("retained: %d (%s) in 1200 objects", 600*liveSize, share(600*liveSize)))
	runtime.KeepAlive(liveList)
	runtime.KeepAlive(liveMid)
}
