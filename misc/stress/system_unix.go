// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes requests to a Unix system: signals to the process itself,
// other processes, and mapped memory.

//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

var askers = []worker{
	{"signals", 1, brief, signalItself},
	{"processes", 1, long, startProcess},
	{"mappings", 1, brief, mapMemory},
}

func signalItself(*rand.Rand) func() {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGUSR1)
	return func() {
		check(syscall.Kill(syscall.Getpid(), syscall.SIGUSR1))
		<-received
	}
}

func startProcess(*rand.Rand) func() {
	return func() {
		out, err := exec.Command("echo", "hello").Output()
		check(err)
		must(string(out) == "hello\n", "echo wrote %q", out)
	}
}

func mapMemory(r *rand.Rand) func() {
	return func() {
		for range 5 {
			b, err := syscall.Mmap(-1, 0, 1+r.IntN(1<<20), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			check(err)
			b[len(b)-1] = 1
			check(syscall.Munmap(b))
		}
	}
}

// noCoreDump keeps this process and its children from writing core dumps.
func noCoreDump() { check(syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})) }
