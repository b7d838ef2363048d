// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func TestRetained(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	for _, test := range []struct {
		sets string
		want []string
	}{
		{"app.Session", []string{
			name + ": example.com/app, go1.27, plan9/mips, 2026-11-24 10:00:00 +0000",
			"141664 live in 204 objects: 23.1% reached without the sets, 0.0% freed later, by finalizers and cleanups, 0.0% not reached.",
			"The snapshot is not truncated.",
			"",
			"retained share objects set",
			"108832 76.8% 201 app.Session",
			"",
			"size share objects paths from app.Session (type of the objects)",
			"102400 72.3% 100 app.Session > app.Session.buf ([]uint8)",
			"6400 4.5% 100 app.Session",
			"32 0.0% 1 app.Session > app.Session.conf (app.Config)",
		}},
		{"app.Session.buf", []string{
			"retained share objects set",
			"102400 72.3% 100 app.Session.buf",
		}},
		{"app.sessions", []string{"140480 99.2% 199 app.sessions"}},
		{"app.sessions app.Session.buf", []string{
			"39104 27.6% 100 app.sessions",
			"102400 72.3% 100 app.Session.buf",
		}},
		{"app.serve.s", []string{"0 0.0% 0 app.serve.s"}},
		{`app\.(serve\.s|sessions)`, []string{`141600 100.0% 202 app\.(serve\.s|sessions)`}},
		{"[]*app.Session[elem]", []string{"107712 76.0% 198 []*app.Session[elem]"}},
		{"app.S...buf", []string{"102400 72.3% 100 app.S...buf"}},
	} {
		args := append([]string{"retained", "-bytes"}, strings.Fields(test.sets)...)
		checkLines(t, output(t, append(args, name)...), test.want...)
	}
	for _, args := range [][]string{{"app.No", name}, {"(", name}} {
		status, _, stderr := start(append([]string{"retained"}, args...)...)
		if want := "no such set: nothing in the heap has the name \"" + args[0] + "\"\n"; status != 1 || !strings.HasSuffix(stderr, want) {
			t.Errorf("%q: status %d, %s", args, status, stderr)
		}
	}
}

func TestRetainedProfile(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	file := filepath.Join(t.TempDir(), "retained.pb.gz")
	output(t, "retained", "-o", file, "app.sessions", "app.Session", name)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(b)
	if err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]int64)
	for _, s := range p.Sample {
		sums[s.Label["set"][0]] += s.Value[1]
		if root := s.Location[len(s.Location)-1].Line[0].Function.Name; root != "(retained) "+s.Label["set"][0] {
			t.Errorf("root is %s, set is %s", root, s.Label["set"])
		}
	}
	if sums["app.sessions"] != tableSize || sums["app.Session"] != 108832 {
		t.Errorf("sums are %v", sums)
	}
}

func TestRetainedPage(t *testing.T) {
	h := loadTestSite(t, (&server{sessions: 100}).file(t))
	checkPages(t, h, []pageTest{
		{"/retained", 0, []string{"Retained by sets"}},
		{"/retained?set=app.sessions&set=app.Session.buf", 0, []string{
			"Retained Share Objects Set",
			"39104 27.6% 100 app.sessions Remove",
			"102400 72.3% 100 app.Session.buf Remove",
			"96 0.1% 2 (reached without the sets)",
			"0 0.0% 0 (freed later, by finalizers and cleanups)",
			"64 0.0% 2 (not reached)",
			"Paths from app.sessions",
			"Size Share Objects Path (type of the objects)",
			"32768 23.1% 1 app.sessions ([]*app.Session)",
		}},
		{"/retained?set=app.No", http.StatusNotFound, []string{"Not Found", `No such set: nothing in the heap has the name "app.No".`}},
		{"/retained?set=" + strings.Repeat("x", maxQuery+1), http.StatusBadRequest, []string{"The name of a set has more than 500 characters."}},
		{"/retained?" + strings.Repeat("set=app.sessions&", 11), http.StatusBadRequest, []string{"There are more than 10 sets."}},
	})
}
