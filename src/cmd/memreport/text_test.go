// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestText(t *testing.T) {
	k := makeTake(t, sizes{leak: 8 * mb, mapStep: mb})
	k.Limit, k.dir = 200*mb, "in"
	f := newFacts(k)
	got := strings.Join(f.text(find(f)), "\n")
	want := `server, 2026-11-01 12:00:00 UTC; watched for 30 s

                      now     in 30 s
resident            56 MB      +14 MB
  live heap         27 MB     +7.0 MB   alive at the last collection
  new objects      8.0 MB               allocated since; most are garbage
  fragmented          0 B               free, between objects
  free heap        3.0 MB               not yet returned
  stacks           4.0 MB               of goroutines
  runtime          1.0 MB               its own structures, stacks of threads
  other             13 MB     +7.0 MB   the executable, mapped files, C
    files           12 MB     +7.0 MB   mapped files
mapped              17 MB     +7.0 MB   address space, by the program itself
limit              200 MB   reached in 5 min 8 s at this rate
goroutines            100
most is held by main.items > map[int]*main.item[value]: 26 MB of 28 MB

1. The live heap grows by 267 kB/s below main.items.
   main.items > map[int]*main.item[value]
   8.0 MB and 8,000 objects came in 30 s; now 26 MB in 8,100 objects
   most of it: > main.item.text []uint8
   allocated by main.keep m/a.go:7
   more: go tool pprof -top -cum '-focus=^main\.items$' -diff_base=in/refs.1.pb.gz in/refs.2.pb.gz
2. Mapped memory grows by 200 kB/s, and nothing is unmapped.
   main.load m/a.go:7
   6.0 MB came in 30 s, now 17 MB; mapped by syscall.Mmap
   more: go tool pprof -top -cum -sample_index=mapped_space -diff_base=in/growth.1.pb.gz in/growth.7.pb.gz`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	f = newFacts(makeTake(t, sizes{}))
	if all := f.text(find(f)); all[len(all)-1] != "No finding: nothing grows steadily by more than 2.0 MB in 30 s (below goroutines, or in many places together: 2.1 MB), and nothing takes more than it should." {
		t.Errorf("at rest: %q", all[len(all)-1])
	}
}

// TestNoFinding has by how much more memory is no finding.
func TestNoFinding(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*facts)
		want   string
	}{
		{"100 MB", func(*facts) {}, "nothing grows steadily by more than 2.0 MB in 30 s (below goroutines, or in many places together: 5.0 MB)"},
		{"20 GB", func(f *facts) { f.now().Classes[resident] = 20000 * mb }, "nothing grows steadily by more than 200 MB in 30 s (below goroutines, or in many places together: 1000 MB)"},
		{"30 MB", func(f *facts) { f.now().Classes[resident] = 30 * mb }, "nothing grows steadily by more than 2.0 MB in 30 s"},
		{"an estimate", func(f *facts) { f.Refs, f.SiteRate = nil, 512<<10 }, "nothing grows steadily by more than 8.4 MB in 30 s"},
		{"the last recording is refused", func(f *facts) { f.RefsOnce, f.SiteRate = true, 512<<10 }, "nothing grows steadily by more than 8.4 MB in 30 s"},
		{"a watch that ends early", func(f *facts) { f.Moments = f.Moments[:4] }, "apart from the live heap, of which too little was seen, nothing grows steadily by more than 2.0 MB in 30 s (below goroutines, or in many places together: 5.0 MB)"},
		{"two takes", func(f *facts) { f.Compare = true }, "no place has grown by more than 5.0 MB since the base"},
	} {
		f := atRest()
		test.change(f)
		if got, want := f.nothing(), "No finding: "+test.want+", and nothing takes more than it should."; got != want {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
	}
}

func TestTextLines(t *testing.T) {
	f := newFacts(makeTake(t, sizes{}))
	f.Missing = []string{"refs: 503 Service Unavailable: \x1b[31m"}
	var all []finding
	for range 40 {
		all = append(all, finding{Text: "x", Place: strings.Repeat("ä", 300), Details: []string{"a", "b"}, More: "go"})
	}
	lines := f.text(all)
	if len(lines) > maxLines || !strings.Contains(lines[len(lines)-1], "findings more: use -json") {
		t.Errorf("%d lines, the last one: %s", len(lines), lines[len(lines)-1])
	}
	for _, line := range lines {
		if len(line) > maxWidth {
			t.Errorf("%d bytes: %s", len(line), line)
		}
	}
	var b strings.Builder
	writeText(&b, f, nil)
	if strings.Contains(b.String(), "\x1b") || !strings.Contains(b.String(), `\x1b[31m`) {
		t.Errorf("not printable: %q", b.String())
	}
}

// TestTextNames has a name with the path of a package, which -json keeps.
func TestTextNames(t *testing.T) {
	const name = "github.com/a/b/server.all"
	x := finding{Text: "It grows below " + name + ".", Place: name + " > x", Details: []string{"allocated by " + name}, More: "go " + name}
	want := []string{"1. It grows below server.all.", "   server.all > x", "   allocated by server.all", "   more: go " + name}
	if got := x.text(1); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	f := newFacts(makeTake(t, sizes{}))
	var b strings.Builder
	if err := writeJSON(&b, f, []finding{x}); err != nil || strings.Count(b.String(), name) != 4 {
		t.Errorf("%v: %s", err, &b)
	}
}

func TestFormats(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{formatSize(0), "0 B"}, {formatSize(-1500), "-2 kB"}, {formatSize(2_500_000), "2.5 MB"}, {formatSize(380e6), "380 MB"}, {formatSize(12e9), "12.0 GB"},
		{formatCount(31000), "31,000"}, {formatCount(-1000), "-1,000"}, {formatCount(-100), "-100"}, {plural(1, "object"), "1 object"},
		{formatTime(55 * time.Second), "55 s"}, {formatTime(133 * time.Minute), "2 h 13 min"}, {formatTime(100 * time.Hour), "4 days"},
		{quote("in/a.pb.gz"), "in/a.pb.gz"}, {quote("it's"), `'it'\''s'`},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

// TestGrowth has a leak of 20 MB in 30 s, while the runtime returns what the first
// recording has made free.
func TestGrowth(t *testing.T) {
	for _, test := range []struct {
		name        string
		limit, leak int64
		falls       class
		want        string
	}{
		{"at rest", 200 * mb, 0, free, ""},
		{"leak", 200 * mb, 20 * mb, free, "reached in 2 min 30 s at this rate"},
		{"garbage", 200 * mb, 20 * mb, recent, "reached in 2 min 30 s at this rate"},
		{"above", 90 * mb, 0, free, "the resident size is above it"},
	} {
		f := atRest()
		f.Limit = test.limit
		for i := range f.Moments {
			n := int64(i-1) * test.leak / (spaced)
			f.Moments[i].Classes[live] += n
			f.Moments[i].Classes[test.falls] -= n
		}
		if got := f.limitNote(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		all, _ := parseConditions("growth>600kB/s")
		if failed, err := check(all, f, nil); err != nil || len(failed) > 0 != (test.leak > 0) {
			t.Errorf("%s: failed %q, %v", test.name, failed, err)
		}
	}
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]float64{"512MB": 512e6, "1.5GiB": 1.5 * (1 << 30), "7": 7, "3 kB": 3000, "0B": 0} {
		if got, err := parseSize(s); got != want || err != nil {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "MB", "-1MB", "x", "NaN", "1e300GB", "1TB"} {
		if n, err := parseSize(s); err == nil {
			t.Errorf("%q: %v", s, n)
		}
	}
}

func TestFailIf(t *testing.T) {
	f := newFacts(makeTake(t, sizes{mapStep: mb, goroutine: 12}))
	findings := find(f)
	for condition, want := range map[string]bool{
		"live>19MB": true, "live>20MB": false, "resident>47MB": true, "growth>233kB/s": true, "growth>234kB/s": false,
		"goroutines>99": true, "leaked>11": true, "leaked>12": false, "findings>0": true, "findings>2": false, "free>4MB,mapped>1MB": true,
	} {
		all, err := parseConditions(condition)
		if err != nil {
			t.Fatal(err)
		}
		failed, err := check(all, f, findings)
		if err != nil || (len(failed) > 0) != want {
			t.Errorf("%s: %q, %v", condition, failed, err)
		}
	}
	for _, s := range []string{"", "live", "alive>1MB", "live>", "live>1MB/s", "growth>1MB", "live>1MB,"} {
		if _, err := parseConditions(s); err == nil {
			t.Errorf("%q is a condition", s)
		}
	}
	k := makeTake(t, sizes{mapStep: mb})
	k.Moments = k.Moments[:1]
	delete(k.files, "goroutine.0.pb.gz")
	f = newFacts(k)
	delete(f.now().Classes, resident)
	for _, condition := range []string{"resident>1MB", "growth>1MB/s", "goroutines>1"} {
		all, _ := parseConditions(condition)
		if _, err := check(all, f, findings); err == nil {
			t.Errorf("%s: the figure is not known, and the condition has a value", condition)
		}
	}
}
