// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Plants: objects that each recording must show, all of them and at one path. They
// are made before anything else, with each allocation sampled; then the rate
// is what it stays.

package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/google/pprof/profile"
)

const (
	planted    = 500 // plants
	sampleRate = 64 << 10
)

// A plant is as large as its size class.
type plant struct {
	self *plant
	_    [plantSize - unsafe.Sizeof(uintptr(0))]byte
}

const plantSize = 96 // bytes

var plants = func() []*plant {
	runtime.MemProfileRate = 1
	defer func() { runtime.MemProfileRate = sampleRate }()
	all := make([]*plant, planted)
	for i := range all {
		all[i] = newPlant()
	}
	return all
}()

//go:noinline
func newPlant() *plant {
	p := new(plant)
	p.self = p
	return p
}

// checkPlants returns what is wrong with the plants of a refs profile.
func checkPlants(p *profile.Profile) error {
	objects := int64(0)
	for _, s := range p.Sample {
		if slices.Equal(s.Label["type"], []string{"main.plant"}) {
			objects += s.Value[0]
			if root := s.Location[len(s.Location)-1].Line[0].Function.Name; !strings.HasSuffix(root, ".plants") {
				return fmt.Errorf("%d plants below %s", s.Value[0], root)
			}
		}
	}
	if objects != planted {
		return fmt.Errorf("%d of %d plants", objects, planted)
	}
	return nil
}

// checkInuse returns what is wrong with the plants of an inuse profile, which estimates by
// the rate how many objects the sampled ones stand for.
func checkInuse(p *profile.Profile) error {
	objects := int64(0)
	for _, s := range p.Sample {
		if slices.Equal(s.Label["type"], []string{"main.plant"}) {
			objects += s.Value[0]
		}
	}
	want := int64(planted / (1 - math.Exp(-plantSize/float64(sampleRate))))
	if objects != want {
		return fmt.Errorf("plants count as %d, not %d", objects, want)
	}
	return nil
}
