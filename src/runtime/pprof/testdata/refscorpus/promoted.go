// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that are held by variables of generic functions whose type argument is
// a struct with promoted methods.

package main

import (
	"strings"
	"unsafe"
)

// A bearer has a method, which is promoted to a struct that embeds a bearer.
type bearer struct{ p *payload }

func (c *bearer) count() { c.p[0]++ }

type sealed struct {
	bearer
	seal *[48]byte
}

//go:noinline
func newSealed() sealed {
	s := sealed{bearer{new(payload)}, new([48]byte)}
	s.count()
	return s
}

//go:noinline
func usePointer(unsafe.Pointer) {}

//go:noinline
func useArgument[T any](*T) {}

// holdArgument does not need the type argument after park.
//
//go:noinline
func holdArgument[T any](newValue func() T) {
	v := newValue()
	usePointer(unsafe.Pointer(&v))
	park()
	usePointer(unsafe.Pointer(&v))
}

// holdTold needs the type argument after park.
//
//go:noinline
func holdTold[T any](newValue func() T) {
	v := newValue()
	useArgument(&v)
	park()
	useArgument(&v)
}

func holdPromoted()     { holdArgument(newSealed) }
func holdPromotedTold() { holdTold(newSealed) }

// promoted expects the objects that a variable v of type sealed holds in a
// function that caller calls. The paths may have any of the given types for v.
func promoted(caller, function string, types ...string) func() []ref {
	return func() []ref {
		v := function + "[go.shape.struct { main.bearer; main.seal *[48]uint8 }].v"
		fields := func(name string) (paths []string) {
			for _, typ := range types {
				owner := v
				if typ == "main.sealed" {
					owner = typ
				}
				paths = append(paths, caller+between+v[:len(v)-len(".v")]+between+v+" "+strings.TrimPrefix(typ, "main.")+between+owner+name)
			}
			return paths
		}
		return []ref{
			either(1, of[payload](), fields(".bearer.p *payload")...),
			either(1, noscan(48), fields(".seal *[48]uint8")...),
		}
	}
}

const plainSealed = "struct { bearer bearer; seal *[48]uint8 }"

var promotedShapes = []shape{
	{
		name:  "type argument with promoted methods",
		roots: stack("main.holdPromoted"),
		build: func() { start(1, holdPromoted) },
		want:  promoted("main.holdPromoted", "main.holdArgument", plainSealed, "main.sealed"),
	},
	{
		name:  "type argument with promoted methods, told",
		roots: stack("main.holdPromotedTold"),
		build: func() { start(1, holdPromotedTold) },
		want:  promoted("main.holdPromotedTold", "main.holdTold", "main.sealed"),
	},
}
