// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Plants are objects that each refs profile must show, all of them and below
// one variable. They are made before any worker starts, with each allocation
// sampled. Then the sampling rate gets its value for the rest of the run.

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

// A plant has exactly the size of its size class.
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

// checkPlants returns an error if the plants in a refs profile are wrong.
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

// checkInuse returns an error if the plants in an inuse profile are wrong. The
// profile uses the rate to estimate how many objects the sampled ones stand
// for.
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
