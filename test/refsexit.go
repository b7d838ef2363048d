// run

//go:build !js && !plan9 && !wasip1 && !windows

// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Ends busy programs that take refs profiles. One program takes a profile when
// a signal tells it to end. This profile must be complete. The other program
// exits while it takes many profiles.

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

const (
	variable = "REFSEXIT" // what a child does
	children = 10         // of each kind
	ready    = "ready\n"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	switch os.Getenv(variable) {
	case "signal":
		endAtSignal()
	case "exit":
		endWhileRecording()
	}
	for i := range children {
		pause := time.Duration(i) * 2 * time.Millisecond
		text := child("signal", func(p *os.Process) {
			time.Sleep(pause)
			check(p.Signal(syscall.SIGTERM))
		})
		var total, live uint64
		_, err := fmt.Sscanf(text, "refs profile: %d bytes", &total)
		check(err)
		_, rest, _ := strings.Cut(text, "# GC cycle ")
		_, err = fmt.Sscanf(rest, "%d: %d bytes live", new(int), &live)
		check(err)
		if total != live || !strings.Contains(text, " main.kept") {
			panic(fmt.Sprintf("%d of %d bytes: %s", total, live, text))
		}
		child("exit", func(*os.Process) {})
	}
}

// child runs this program, calls f when the program is ready, and returns the
// output that follows. The program must not fail.
func child(does string, f func(*os.Process)) string {
	self, err := os.Executable()
	check(err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+does)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	said := make([]byte, len(ready))
	if _, err := io.ReadFull(out, said); err == nil {
		f(cmd.Process)
	}
	rest, err := io.ReadAll(out)
	check(err)
	if err := cmd.Wait(); err != nil || failure.Len() > 0 || string(said) != ready {
		panic(fmt.Sprintf("%s: %v\n%.2000s", does, err, failure.String()))
	}
	return string(rest)
}

type node struct {
	next *node
	pad  [10]int
}

var (
	kept  = make([]byte, 4<<20)
	lists [4]*node // of one goroutine each
)

func busy() {
	for i := range lists {
		go func() {
			for n := 0; ; n++ {
				lists[i] = &node{next: lists[i]}
				if n%10_000 == 0 {
					lists[i] = nil
				}
			}
		}()
	}
}

func endAtSignal() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go func() {
		<-c
		check(pprof.Lookup("refs").WriteTo(os.Stdout, 1))
		os.Exit(0)
	}()
	busy()
	fmt.Print(ready)
	select {}
}

func endWhileRecording() {
	busy()
	for range 4 {
		go func() {
			for {
				check(pprof.Lookup("refs").WriteTo(io.Discard, 0))
			}
		}()
	}
	fmt.Print(ready)
	time.Sleep(time.Duration(time.Now().UnixNano()%20) * time.Millisecond)
	os.Exit(0)
}
