// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes system calls that block: it reads and writes pipes in
// blocking mode, without the network poller, so that sysmon takes the Ps of the
// goroutines that wait.

//go:build unix

package main

import (
	"encoding/binary"
	"math/rand/v2"
	"syscall"
	"time"
)

var blockers = []worker{
	{"blocking", 1, brief, blockInCalls},
}

const readers = 8

func blockInCalls(r *rand.Rand) func() {
	var request, answer [2]int
	check(syscall.Pipe(request[:]))
	check(syscall.Pipe(answer[:]))
	for i := range readers {
		go func() {
			r := r2(i)
			for {
				n := newNode(r)
				// The buffer is on the heap, and only this
				// goroutine, which is in a system call, refers
				// to it.
				buf := make([]byte, 8)
				readFull(request[0], buf)
				n.alive().any = buf
				writeFull(answer[1], buf)
			}
		}()
	}
	return func() {
		sum, got := uint64(0), uint64(0)
		for range readers {
			v := uint64(r.Uint32())
			sum += v
			if r.IntN(4) == 0 {
				time.Sleep(rand.N(200 * time.Microsecond))
			}
			writeFull(request[1], binary.LittleEndian.AppendUint64(nil, v))
		}
		for range readers {
			buf := make([]byte, 8)
			readFull(answer[0], buf)
			got += binary.LittleEndian.Uint64(buf)
		}
		must(got == sum, "pipes gave %d for %d", got, sum)
	}
}

// These functions read and write eight bytes in one piece, because other
// goroutines use the same pipe.

func readFull(fd int, buf []byte) {
	n, err := ignoringEINTR(func() (int, error) { return syscall.Read(fd, buf) })
	check(err)
	must(n == len(buf), "read %d bytes", n)
}

func writeFull(fd int, buf []byte) {
	n, err := ignoringEINTR(func() (int, error) { return syscall.Write(fd, buf) })
	check(err)
	must(n == len(buf), "wrote %d bytes", n)
}

func ignoringEINTR(f func() (int, error)) (int, error) {
	for {
		if n, err := f(); err != syscall.EINTR {
			return n, err
		}
	}
}
