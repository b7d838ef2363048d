// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"regexp"
	"runtime/pprof"
	"strconv"
	"time"
)

// recordings has the values of profiles of one heap: those that are measured,
// and those that the profiles report in comments.
type recordings struct {
	pointerful int // objects with pointers in the heap
	buffer     bytes.Buffer
	cost       cost // of the last profile

	added, memory, size []float64
	kept                []float64 // appended by the caller
}

func newRecordings(pointerful int) *recordings {
	return &recordings{pointerful: pointerful}
}

// take takes a profile and keeps its cost and its comments.
func (r *recordings) take(profile *pprof.Profile) error {
	r.buffer.Reset()
	m := newMeter()
	err := profile.WriteTo(&r.buffer, 0)
	r.cost = m.read()
	if err != nil {
		return err
	}
	r.size = append(r.size, float64(r.buffer.Len()))
	c, err := readComments(&r.buffer)
	if err != nil {
		return err
	}
	if c.lost != 0 {
		return fmt.Errorf("%d bytes are lost for want of memory", c.lost)
	}
	r.added = append(r.added, c.added.Seconds())
	r.memory = append(r.memory, float64(c.memory))
	return nil
}

func (r *recordings) print() {
	memory := median(r.memory)
	fmt.Println(median(r.added), "added-stw-sec/op")
	fmt.Println(memory, "record-bytes")
	fmt.Println(memory/float64(r.pointerful), "record-bytes/obj")
	fmt.Println(max(median(r.kept), 0), "kept-bytes")
	fmt.Println(median(r.size), "profile-bytes")
}

// comments has the values needed from the comments of a refs profile.
type comments struct {
	added  time.Duration // to the time that the world was stopped
	memory int64         // used for recording
	lost   int64         // bytes not shown on their own path
}

// commentPatterns match comments, which are plain text in the profile's string
// table.
var commentPatterns = struct{ added, memory, lost *regexp.Regexp }{
	regexp.MustCompile(`: recorded in \S+, added stop-the-world time ([0-9.]+(?:ns|µs|ms|s))`),
	regexp.MustCompile(`: memory used for recording: (\d+) bytes`),
	regexp.MustCompile(`: lost for want of memory: (\d+) bytes`),
}

// readComments reads the comments of a compressed profile.
func readComments(profile io.Reader) (c comments, err error) {
	unzip, err := gzip.NewReader(profile)
	if err != nil {
		return c, err
	}
	data, err := io.ReadAll(unzip)
	if err != nil {
		return c, err
	}
	added := commentPatterns.added.FindSubmatch(data)
	memory := commentPatterns.memory.FindSubmatch(data)
	lost := commentPatterns.lost.FindSubmatch(data)
	if added == nil || memory == nil || lost == nil {
		return c, fmt.Errorf("the profile's comments are not there")
	}
	if c.added, err = time.ParseDuration(string(added[1])); err != nil {
		return c, err
	}
	if c.memory, err = strconv.ParseInt(string(memory[1]), 10, 64); err != nil {
		return c, err
	}
	c.lost, err = strconv.ParseInt(string(lost[1]), 10, 64)
	return c, err
}
