// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads a snapshot.

package main

import (
	"cmd/internal/filetool"
	"debug/heapgraph"
	"errors"
	"fmt"
	"os"
)

// A snapshot is the graph of a snapshot, with its dominators.
type snapshot struct {
	*heapgraph.Graph
	t     *task
	name  string // name of the file
	dom   *heapgraph.Dominators
	reach heapgraph.Reach
	live  heapgraph.Amount // amount to which shares refer
}

// load reads the snapshot that an argument names, and computes its dominators.
func (t *task) load(arg string) (*snapshot, error) {
	s, err := t.loadGraph(arg)
	if err != nil {
		return nil, err
	}
	end := t.progress.begin("computing dominators")
	s.dom = s.Dominators()
	end()
	s.reach = s.dom.Reach()
	s.live = s.dom.Live()
	return s, nil
}

// loadGraph is load without dominators.
func (t *task) loadGraph(arg string) (*snapshot, error) {
	if u := sourceURL(arg); u != "" {
		name, err := t.fetch(u)
		if err != nil {
			return nil, err
		}
		arg = name
	}
	g, err := t.read(arg)
	if err != nil {
		return nil, err
	}
	return &snapshot{Graph: g, t: t, name: arg, live: g.Live}, nil
}

// read reads the graph of a file.
func (t *task) read(name string) (*heapgraph.Graph, error) {
	defer t.progress.begin("reading " + name)()
	if err := filetool.Check("heapgraph", name); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: a snapshot is read from a file, and not from a pipe", name)
	}
	f, err := heapgraph.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	g, err := f.Graph(&heapgraph.Options{ByFunc: t.byFunc, Memory: t.memory << 20})
	if err != nil {
		return nil, fileError(name, err)
	}
	return g, nil
}

// fileError adds the name of a file to an error that does not have it.
func fileError(name string, err error) error {
	if errors.Is(err, heapgraph.ErrLimit) {
		return fmt.Errorf("%s: %s: if you trust the file, set another limit with -memory=MB", name, message(err))
	}
	if text := message(err); text != err.Error() {
		return fmt.Errorf("%s: %s", name, text)
	}
	return err
}

func add(a, b heapgraph.Amount) heapgraph.Amount {
	return heapgraph.Amount{Objects: a.Objects + b.Objects, Bytes: a.Bytes + b.Bytes}
}
