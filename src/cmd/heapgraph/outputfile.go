// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes output files. A new file takes the place of an old one only
// when the new file is complete. A file that is an argument of the command is
// not replaced, because a core file cannot be made again when its process has
// ended.

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
)

// isStdout reports whether the value of a flag -o stands for standard output.
func isStdout(name string) bool { return name == "" || name == "-" }

// checkOutput returns an error if name is one of inputs, the arguments that the
// command reads, or a link to one of them.
func checkOutput(name string, inputs ...string) error {
	if isStdout(name) {
		return nil
	}
	out, err := os.Stat(name)
	if err != nil {
		return nil
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(in, out) {
			return usageError(fmt.Sprintf("-o %s would destroy %s, which the command reads", name, input))
		}
	}
	return nil
}

// writeFile makes a file, or replaces it. If write fails, there is no new file,
// and an old file is unchanged. If name exists and is not a regular file, but a
// pipe, for example, writeFile writes to it directly.
func writeFile(name string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return fill(f, write)
	}
	f, err := createBeside(name, info)
	if err != nil {
		return err
	}
	defer removeOnInterrupt(f.Name())()
	if err = fill(f, write); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// removeOnInterrupt removes a file and ends the process if the user interrupts
// the process before stop is called.
func removeOnInterrupt(name string) (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	go func() {
		if _, ok := <-c; ok {
			os.Remove(name)
			os.Exit(1)
		}
	}()
	return func() {
		signal.Stop(c)
		close(c)
	}
}

// fill writes f and closes it.
func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	err := write(w)
	if e := w.Flush(); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// createBeside creates a temporary file in the directory of the file whose path
// is name. info is about that file, or nil if it does not exist. If it exists,
// the temporary file gets its permissions, and createBeside returns an error if
// the process is not allowed to write it.
func createBeside(name string, info fs.FileInfo) (*os.File, error) {
	perm := fs.FileMode(0o666)
	if info != nil {
		old, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		old.Close()
		perm = info.Mode().Perm()
	}
	for tries := 0; ; tries++ {
		temp := fmt.Sprintf("%s.%d.tmp", name, rand.Uint32())
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) && tries < 1000 {
			continue
		}
		if err == nil && info != nil {
			f.Chmod(perm) // the umask may have removed permissions
		}
		return f, err
	}
}
