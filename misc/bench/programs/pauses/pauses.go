// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package pauses adds up the time for which the world was stopped. Programs
// that print the cost of a call use it to read one of the runtime's histograms.
// From 512 ns on, the histogram's buckets are at most a quarter of their value
// wide. A pause counts as the middle of its bucket.
package pauses

import (
	"math"
	"runtime/metrics"
)

// A Reader sums pauses of the world from one of the runtime's histograms.
type Reader struct {
	sample []metrics.Sample
	marked []uint64
}

// Read returns a Reader of the metric with that name, which is a histogram of
// seconds.
func Read(name string) *Reader {
	return &Reader{sample: []metrics.Sample{{Name: name}}}
}

func (r *Reader) read() *metrics.Float64Histogram {
	metrics.Read(r.sample)
	return r.sample[0].Value.Float64Histogram()
}

// Mark starts a period.
func (r *Reader) Mark() {
	r.marked = append(r.marked[:0], r.read().Counts...)
}

// Since returns the seconds of pauses since Mark.
func (r *Reader) Since() float64 {
	return sum(r.marked, r.read())
}

// sum adds up the pauses that the histogram has in addition to the marked
// counts.
func sum(marked []uint64, histogram *metrics.Float64Histogram) float64 {
	sum := 0.0
	for i, count := range histogram.Counts {
		low, high := histogram.Buckets[i], histogram.Buckets[i+1]
		if math.IsInf(low, -1) {
			low = high
		}
		if math.IsInf(high, 1) {
			high = low
		}
		sum += float64(count-marked[i]) * (low + high) / 2
	}
	return sum
}
