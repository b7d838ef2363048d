// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the inuse profile on made-up recordings: its contents, its
// text, its scaling and its errors.

package pprof

import (
	"bytes"
	"errors"
	"fmt"
	"internal/abi"
	"internal/profile"
	. "internal/profilerecord"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// inuseSamples returns a profile's samples as text: the function that
// allocated, the labels and the values.
func inuseSamples(p *profile.Profile) []string {
	var samples []string
	for _, s := range p.Sample {
		line := []string{s.Location[0].Line[0].Function.Name}
		for k, v := range s.NumLabel {
			line = append(line, fmt.Sprint(k, "=", v[0], strings.Join(s.NumUnit[k], "")))
		}
		for k, v := range s.Label {
			line = append(line, k+"="+strings.Join(v, ","))
		}
		slices.Sort(line[1:])
		samples = append(samples, fmt.Sprintf("%s: %d", strings.Join(line, " "), s.Value))
	}
	slices.Sort(samples)
	return samples
}

// inuseTestProfile is refsTestProfile with allocation sites.
func inuseTestProfile() *RefsProfile {
	p := refsTestProfile()
	pc := abi.FuncPCABIInternal(refsTestFunction) + 1
	malloc := abi.FuncPCABIInternal(runtime.GC) + 1 // a function of the runtime
	site, small, only := []uintptr{malloc, pc}, []uintptr{pc, malloc}, []uintptr{malloc}
	p.Sites = []RefsSite{
		{Stack: site, Size: 8, Node: 3, Age: 4, Objects: 5, Scan: 16, Unused: 4},
		{Stack: site, Size: 8, Node: 3, Age: 0, Objects: 1},
		{Stack: site, Size: 100, Node: 2, Age: 1, Objects: 1},
		// These nodes have equal names.
		{Stack: small, Size: 8, Node: 9, Age: 2, Objects: 1},
		{Stack: small, Size: 8, Node: 12, Age: 2, Objects: 2, Scan: 8},
		{Stack: small, Size: 8, Node: 9, Age: 2, Objects: 3, Tiny: true},
		{Stack: small, Size: 8, Node: 9, Age: 2, Objects: 1, Lost: true},
		{Stack: only, Size: 200, Node: 14, Age: 1 << 31, Objects: 1},
	}
	p.LostSites, p.LostSiteBytes = 2, 32
	return p
}

func TestInuseProto(t *testing.T) {
	setMemProfileRate(t, 1)
	recordRefs(t, func(sites bool) (*RefsProfile, string) {
		if !sites {
			t.Error("recorded without sites")
		}
		return inuseTestProfile(), ""
	})
	p := takeProfile(t, "inuse")
	if len(p.SampleType) != 4 || *p.SampleType[0] != (profile.ValueType{Type: "inuse_objects", Unit: "count"}) ||
		*p.SampleType[1] != (profile.ValueType{Type: "inuse_space", Unit: "bytes"}) ||
		*p.SampleType[2] != (profile.ValueType{Type: "scan_space", Unit: "bytes"}) ||
		*p.SampleType[3] != (profile.ValueType{Type: "unused_space", Unit: "bytes"}) || p.DefaultSampleType != "inuse_space" {
		t.Errorf("sample types %v, default %q", p.SampleType, p.DefaultSampleType)
	}
	if *p.PeriodType != (profile.ValueType{Type: "space", Unit: "bytes"}) || p.Period != 1 {
		t.Errorf("period %d %v", p.Period, p.PeriodType)
	}
	const frame = "runtime/pprof.refsTestFunction > runtime/pprof.refsTestFunction.(slot-0x8)"
	want := []string{
		"runtime.GC age=2147483648gcs bytes=200 retained_by=runtime.allgs root=runtime type=uintptr: [1 200 0 0]",
		"runtime/pprof.refsTestFunction age=0gcs bytes=8 retained_by=app.sessions > map[string]*int[value] root=global type=int: [1 8 0 0]",
		"runtime/pprof.refsTestFunction age=1gcs bytes=100 retained_by=app.sessions > map[string]*int[table] root=global type=map[string]*int: [1 100 0 0]",
		"runtime/pprof.refsTestFunction age=2gcs bytes=8 retained_by=" + frame + " > (not recorded) root=stack type=(unknown): [1 8 0 0]",
		"runtime/pprof.refsTestFunction age=2gcs bytes=8 retained_by=" + frame + " root=stack type=(tiny block): [3 24 0 0]",
		"runtime/pprof.refsTestFunction age=2gcs bytes=8 retained_by=" + frame + " root=stack type=int: [3 24 8 0]",
		"runtime/pprof.refsTestFunction age=4gcs bytes=8 retained_by=app.sessions > map[string]*int[value] root=global type=int: [5 40 16 4]",
	}
	if got := inuseSamples(p); !slices.Equal(got, want) {
		t.Errorf("samples\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	if n := Lookup("inuse").Count(); n != len(want) {
		t.Errorf("Count is %d, want %d", n, len(want))
	}
	if want := "GC cycle 17: lost for want of memory: 32 bytes in 2 sampled objects"; !slices.Contains(p.Comments, want) {
		t.Errorf("comments %q, want one of them %q", p.Comments, want)
	}
}

func TestInuseText(t *testing.T) {
	setMemProfileRate(t, 512)
	recordRefs(t, func(bool) (*RefsProfile, string) { return inuseTestProfile(), "" })
	var buf bytes.Buffer
	if err := Lookup("inuse").WriteTo(&buf, 1); err != nil {
		t.Fatal(err)
	}
	text := buf.String()
	if want := "heap profile: 15: 404 [15: 404] @ heap/1024\n"; !strings.HasPrefix(text, want) {
		t.Errorf("text begins otherwise than %q:\n%s", want, text)
	}
	pc := abi.FuncPCABIInternal(refsTestFunction) + 1
	want := fmt.Sprintf("\n5: 40 [5: 40] @ %#x %#x\n", abi.FuncPCABIInternal(runtime.GC)+1, pc) +
		"# type: int, age: 4 gcs, root: global\n" +
		"# retained_by: app.sessions > map[string]*int[value]\n" +
		fmt.Sprintf("#\t%#x\truntime/pprof.refsTestFunction+0x0\t", pc-1)
	if !strings.Contains(text, want) {
		t.Errorf("no\n%s\nin\n%s", want, text)
	}
}

// TestInuseScale scales random samples. The samples of a site must add up to
// exactly the value in the heap profile, and no sample may differ from its own
// estimate by more than one object or one byte.
func TestInuseScale(t *testing.T) {
	rand := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		p := &inuse{rate: 1 << rand.IntN(20)}
		sites := 1 + rand.Int32N(3)
		for site := range sites {
			size := int64(1 + rand.IntN(1<<rand.IntN(16)))
			for range rand.IntN(5) + 1 {
				p.samples = append(p.samples, &inuseSample{inuseKey: inuseKey{site: site}, size: size, sampled: int64(1 + rand.IntN(1000))})
			}
		}
		p.scale()
		for site := range sites {
			var sampled, objects, space, size int64
			for _, s := range p.samples {
				if s.site != site {
					continue
				}
				sampled, objects, space, size = sampled+s.sampled, objects+s.objects, space+s.space, s.size
				if o, b := scaleHeapSample(s.sampled, s.size, p.rate); max(o-s.objects, s.objects-o) > 1 || max(b-s.space, s.space-b) > 1 {
					t.Fatalf("%d objects of %d bytes sampled at %d: %d, %d, alone %d, %d", s.sampled, s.size, p.rate, s.objects, s.space, o, b)
				}
			}
			if o, b := scaleHeapSample(sampled, size, p.rate); o != objects || b != space {
				t.Fatalf("%d objects of %d bytes sampled at %d: %d, %d in all, heap profile has %d, %d", sampled, size, p.rate, objects, space, o, b)
			}
		}
	}
}

func TestInuseFails(t *testing.T) {
	full := errors.New("disk full")
	tests := []struct {
		name   string
		rate   int
		failed string // error of the recording
		room   int    // number of bytes that the writer takes
		want   string
	}{
		{"sampling is off", 0, "", 0, "set runtime.MemProfileRate"},
		{"no memory", 1, "out of memory", 0, "inuse: out of memory"},
		{"writer fails", 1, "", 10, "disk full"},
	}
	for _, test := range tests {
		for debug := range 2 {
			t.Run(fmt.Sprintf("%s/debug=%d", test.name, debug), func(t *testing.T) {
				setMemProfileRate(t, test.rate)
				recordRefs(t, func(bool) (*RefsProfile, string) {
					if test.rate == 0 {
						t.Error("recorded")
					}
					return inuseTestProfile(), test.failed
				})
				err := Lookup("inuse").WriteTo(&limitedWriter{test.room, full}, debug)
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want one that says %q", err, test.want)
				}
			})
		}
	}
}

// TestInuseLeakedText checks that the text has the label leaked only below
// goroutines that are blocked forever.
func TestInuseLeakedText(t *testing.T) {
	for _, leaked := range []bool{false, true} {
		key := inuseKey{typ: "main.T", root: "stack", leaked: leaked, retainedBy: "main.f", age: 2}
		var b strings.Builder
		if err := writeInuseText(&b, &inuse{rate: 1, samples: []*inuseSample{{inuseKey: key, size: 8, sampled: 1}}}); err != nil {
			t.Fatal(err)
		}
		want := "# type: main.T, age: 2 gcs, root: stack\n"
		if leaked {
			want = "# type: main.T, age: 2 gcs, root: stack, leaked: true\n"
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("leaked = %v: there is no %q in\n%s", leaked, want, &b)
		}
	}
}
