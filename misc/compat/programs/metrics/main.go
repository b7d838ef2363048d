// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Metrics lets client_golang's collector export the runtime's metrics of the
// memory peak and of the sizes of goroutine stacks, as doc/collectors.md shows,
// and compares them with runtime/metrics.
package main

import (
	"fmt"
	"log"
	"maps"
	"regexp"
	"runtime/metrics"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// goroutines is the number of goroutines that wait while the metrics are read.
const goroutines = 1000

// exported are the metrics, by their names in Prometheus.
var exported = map[string]string{
	"go_memory_peak_bytes":                 "/memory/peak:bytes",
	"go_memory_peak_time_seconds":          "/memory/peak/time:seconds",
	"go_sched_goroutines_stack_size_bytes": "/sched/goroutines/stack-size:bytes",
}

func main() {
	log.SetFlags(0)
	block := make(chan bool)
	for range goroutines {
		go func() { <-block }()
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(
		collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile(`^/(memory/peak|sched/goroutines/stack-size)[:/]`)},
	)))
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range families {
		name, ok := exported[f.GetName()]
		if !ok {
			continue
		}
		found[f.GetName()] = true
		m := f.GetMetric()[0]
		want := read(name)
		var have float64
		switch {
		case m.GetGauge() != nil:
			have = m.GetGauge().GetValue()
		case m.GetHistogram() != nil:
			have = float64(m.GetHistogram().GetSampleCount())
			for _, b := range m.GetHistogram().GetBucket() {
				fmt.Printf("%s{le=%g} %d\n", f.GetName(), b.GetUpperBound(), b.GetCumulativeCount())
			}
		default:
			log.Fatalf("%s is neither a gauge nor a histogram: %v", f.GetName(), f)
		}
		fmt.Println(f.GetName(), f.GetType(), have)
		// Memory may have become larger after the collector read it,
		// and system goroutines may start or exit.
		if have <= 0 || have > want+10 || m.GetHistogram() != nil && (have < want-10 || have < goroutines) {
			log.Fatalf("%s is %v, and %s is %v", f.GetName(), have, name, want)
		}
	}
	if len(found) != len(exported) {
		log.Fatalf("exported are %s, want %s", slices.Collect(maps.Keys(found)), strings.Join(slices.Collect(maps.Keys(exported)), " "))
	}
}

// read returns the value of a metric, or the sum of its counts.
func read(name string) float64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	switch v := s[0].Value; v.Kind() {
	case metrics.KindUint64:
		return float64(v.Uint64())
	case metrics.KindFloat64:
		return v.Float64()
	case metrics.KindFloat64Histogram:
		sum := uint64(0)
		for _, n := range v.Float64Histogram().Counts {
			sum += n
		}
		return float64(sum)
	}
	log.Fatalf("the runtime has no metric %s", name)
	return 0
}
