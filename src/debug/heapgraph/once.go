// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has values that a graph computes once, when they are first needed.

package heapgraph

import (
	"sync"
)

// A onceValue is a value that is computed when it is first needed.
type onceValue[T any] struct {
	once sync.Once
	v    T
}

func (o *onceValue[T]) get(compute func() T) T {
	o.once.Do(func() { o.v = compute() })
	return o.v
}
