// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"runtime/metrics"
)

// A pauseReader sums pauses of the world from one of the runtime's histograms.
type pauseReader struct {
	sample []metrics.Sample
	marked []uint64
}

func readPauses(name string) *pauseReader {
	return &pauseReader{sample: []metrics.Sample{{Name: name}}}
}

func (p *pauseReader) read() *metrics.Float64Histogram {
	metrics.Read(p.sample)
	return p.sample[0].Value.Float64Histogram()
}

// mark begins a span of pauses.
func (p *pauseReader) mark() {
	p.marked = append(p.marked[:0], p.read().Counts...)
}

// since is the seconds of pauses since mark.
func (p *pauseReader) since() float64 {
	return pauseSum(p.marked, p.read())
}

// pauseSum adds up what the histogram has more than the marked counts.
func pauseSum(marked []uint64, histogram *metrics.Float64Histogram) float64 {
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
