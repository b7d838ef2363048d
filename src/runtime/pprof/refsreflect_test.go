// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This test has objects of types that package reflect makes while the program
// runs. Their descriptors are ordinary memory, which the race detector watches.

package pprof

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

var refsReflected struct {
	sync.Mutex
	values []any
	made   int // protected by the mutex, except in refsReflectedMade
}

// refsReflectedMade returns the number of goroutines that have stored their
// value. The race detector does not see this read. For the detector, therefore,
// nothing orders the caller after the goroutines.
//
//go:norace
func refsReflectedMade() int { return refsReflected.made }

//go:norace
func refsReflectedAdd(v any) {
	refsReflected.Lock()
	refsReflected.values = append(refsReflected.values, v)
	refsReflected.made++
	refsReflected.Unlock()
}

// TestRefsReflectTypes checks the names of types that goroutines have made
// without any synchronization with the recording. Some of the goroutines have
// ended.
func TestRefsReflectTypes(t *testing.T) {
	const n = 20
	done := make(chan bool)
	defer close(done)
	refsReflected.values, refsReflected.made = nil, 0
	for i := range n {
		go func() {
			fields := []reflect.StructField{
				{Name: fmt.Sprintf("Reflected%d", i), Type: reflect.TypeFor[*int]()},
				{Name: "Next", Type: reflect.PointerTo(reflect.ArrayOf(i+1, reflect.TypeFor[*string]()))},
			}
			v := reflect.New(reflect.StructOf(fields))
			v.Elem().Field(0).Set(reflect.ValueOf(new(int)))
			v.Elem().Field(1).Set(reflect.New(fields[1].Type.Elem()))
			refsReflectedAdd(v.Interface())
			if i%2 == 0 {
				<-done
			}
		}()
	}
	for refsReflectedMade() < n {
		time.Sleep(time.Millisecond)
	}
	p := takeProfile(t, "refs")
	seen := make(map[string]int64)
	for _, s := range p.Sample {
		for _, typ := range s.Label["type"] {
			seen[typ] += s.Value[0]
		}
	}
	for i := range n {
		prefix := fmt.Sprintf("struct { Reflected%d *int; Next *[%d]*string }", i, i+1)
		objects := int64(0)
		for typ, count := range seen {
			if strings.HasPrefix(typ, prefix) {
				objects += count
			}
		}
		if objects != 1 {
			t.Errorf("%d objects of type %s, want 1", objects, prefix)
		}
	}
}
