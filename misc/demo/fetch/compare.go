// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file compares the sum of a profile with a metric of the program, which
// it reads before and after it takes the profile. The sum must be between the
// two values, or at most 1% outside of them.

package main

import "fmt"

// A comparison has the names of the compared values.
type comparison struct{ sum, metric string }

var (
	compareStacks = comparison{"stack_space, sum of all samples", "/memory/classes/heap/stacks:bytes"}
	compareGrowth = comparison{"growth, resident less released", "/memory/classes total less released"}
)

// saveBetween saves a page. It returns the lesser and the greater value of the
// metric before and after.
func (s source) saveBetween(page, name string, metric func() (int64, error)) (low, high int64, err error) {
	before, err := metric()
	if err != nil {
		return 0, 0, err
	}
	if err := s.save(page, name); err != nil {
		return 0, 0, err
	}
	after, err := metric()
	return min(before, after), max(before, after), err
}

// check returns an error if sum is more than 1% outside of the two values of
// the metric.
func (c comparison) check(sum, low, high int64) error {
	if percent := 100 * float64(max(low-sum, sum-high, 0)) / float64(low); percent > 1 {
		return fmt.Errorf("%s: %d bytes; %s: %d to %d bytes", c.sum, sum, c.metric, low, high)
	}
	return nil
}
