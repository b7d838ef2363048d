// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"fmt"
	"internal/profile"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
)

// get lets a handler serve one request.
func get(h http.Handler, url string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
	return w
}

// TestRefsRoutes gets the profile from Index, and from the profile's own
// handler at another path.
func TestRefsRoutes(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/memory", Handler("refs"))
	mux.HandleFunc("/debug/pprof/", Index)
	for _, url := range []string{"/memory", "/debug/pprof/refs"} {
		w := get(mux, url)
		if d := w.Header().Get("Content-Disposition"); w.Code != http.StatusOK || d != `attachment; filename="refs"` {
			t.Errorf("%s: status %d, %s", url, w.Code, d)
		}
		p, err := profile.Parse(w.Body)
		if err != nil {
			t.Fatalf("%s: %v", url, err)
		}
		if p.DefaultSampleType != "live_space" {
			t.Errorf("%s: default sample type %q", url, p.DefaultSampleType)
		}
		w = get(mux, url+"?debug=1")
		if !strings.HasPrefix(w.Body.String(), "refs profile: ") {
			t.Errorf("%s?debug=1: %s", url, w.Body)
		}
	}
}

// TestRefsIndex checks that the index page lists the refs profile with its
// count, and that making the page runs no collection.
func TestRefsIndex(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := collections()
	w := get(http.HandlerFunc(Index), "/debug/pprof/")
	if n := collections(); n != before {
		t.Errorf("%d collections for the index", n-before)
	}
	row := fmt.Sprintf("<tr><td>%d</td><td><a href='refs?debug=1'>refs</a></td></tr>", pprof.Lookup("refs").Count())
	if !strings.Contains(w.Body.String(), row) || !strings.Contains(w.Body.String(), profileDescriptions["refs"]) {
		t.Errorf("no row %s, or no description, in\n%s", row, w.Body)
	}
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

var refsGrown, refsShrunk [][]byte

// growAfter makes refsGrown grow and refsShrunk shrink after the next
// collection, by n objects of 8 KiB each.
func growAfter(collection uint32, n int, done chan<- bool) {
	for collections() == collection {
		time.Sleep(time.Millisecond)
	}
	for range n {
		refsGrown = append(refsGrown, make([]byte, 8<<10))
	}
	clear(refsShrunk)
	close(done)
}

// TestRefsDelta gets the difference of two profiles, as a profile and as text.
// The memory of one variable grows in between, and the memory of another is
// freed.
func TestRefsDelta(t *testing.T) {
	const n = 100
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for seconds := 1; ; seconds *= 4 {
		p, table := refsDelta(t, n, seconds)
		grown, shrunk := refsValues(p, "refsGrown"), refsValues(p, "refsShrunk")
		want := []int64{n, n * 8 << 10}
		if seconds < 30 && (!slices.Equal(grown, want) || !slices.Equal(shrunk, []int64{-want[0], -want[1]})) {
			continue // the change was not between the two profiles
		}
		if !slices.Equal(grown, want) || !slices.Equal(shrunk, []int64{-want[0], -want[1]}) {
			t.Errorf("refsGrown %d, refsShrunk %d, want %d more and less", grown, shrunk, want)
		}
		for _, s := range p.Sample {
			if root := s.Label["root"]; slices.Equal(root, []string{"allocated"}) ||
				slices.Equal(root, []string{"(this request)"}) != hasFunction(s, "(this request)") || hasFunction(s, "net/http/pprof.(*delta).profiles") {
				t.Errorf("a path at root %q is %v", root, s.Location)
			}
		}
		if p.DefaultSampleType != "live_space" || p.DurationNanos <= 0 || len(p.Comments) == 0 {
			t.Errorf("default sample type %q, duration %d, comments %q", p.DefaultSampleType, p.DurationNanos, p.Comments)
		}
		if !regexp.MustCompile(`(?m)^ *\+819200 +\+819200 +\+100 +\+100 +\[\]\[\]uint8\[elem\]$`).MatchString(table) ||
			!regexp.MustCompile(`(?m)^ *-819200 +-819200 +-100 +-100 +\[\]\[\]uint8\[elem\]$`).MatchString(table) {
			t.Errorf("no growth of 819200 bytes and the contrary in\n%s", table)
		}
		return
	}
}

// refsDelta gets the difference of two profiles as a profile, and as a table.
func refsDelta(t *testing.T, n, seconds int) (p *profile.Profile, table string) {
	for _, parameter := range []string{"", "&debug=1"} {
		refsGrown = make([][]byte, 0, n)
		refsShrunk = make([][]byte, n)
		for i := range refsShrunk {
			refsShrunk[i] = make([]byte, 8<<10)
		}
		done := make(chan bool)
		go growAfter(collections(), n, done)
		w := get(Handler("refs"), fmt.Sprintf("/debug/pprof/refs?seconds=%d%s", seconds, parameter))
		<-done
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		if parameter != "" {
			return p, w.Body.String()
		}
		var err error
		if p, err = profile.Parse(w.Body); err != nil {
			t.Fatal(err)
		}
	}
	panic("unreachable")
}

// refsValues returns the sums of the values of the elements in the slices that
// a variable of this package holds.
func refsValues(p *profile.Profile, variable string) []int64 {
	sum := make([]int64, 2)
	for _, s := range p.Sample {
		if len(s.Location) == 2 && hasFunction(s, "net/http/pprof."+variable) && hasFunction(s, "[][]uint8[elem]") {
			sum[0] += s.Value[0]
			sum[1] += s.Value[1]
		}
	}
	return sum
}

// TestRefsDeltaText checks the text of a difference that has frames, inlined
// calls and labels.
func TestRefsDeltaText(t *testing.T) {
	functions := map[string]*profile.Function{}
	location := func(names ...string) *profile.Location {
		l := new(profile.Location)
		for _, name := range names {
			name, line, _ := strings.Cut(name, ":")
			f := functions[name]
			if f == nil {
				f = &profile.Function{Name: name}
				functions[name] = f
			}
			var n int64
			if line != "" {
				f.Filename = "/src/app.go"
				fmt.Sscan(line, &n)
			}
			l.Line = append(l.Line, profile.Line{Function: f, Line: n})
		}
		return l
	}
	server, buf := location("app.server"), location("app.Server.buf []uint8")
	serve, handle := location("app.serve:10"), location("app.inlined:30", "app.handle:20")
	frames := location("(stack)")
	sample := func(objects, bytes int64, labels map[string][]string, leafFirst ...*profile.Location) *profile.Sample {
		return &profile.Sample{Location: leafFirst, Value: []int64{objects, bytes}, Label: labels}
	}
	global := map[string][]string{"root": {"global"}, "type": {"[]uint8"}}
	stack := map[string][]string{"root": {"stack"}, "type": {"[]uint8"}, "user": {"gopher"}, "batch": {"1"}}
	w := httptest.NewRecorder()
	p := &profile.Profile{
		DurationNanos: 60e9,
		Comments:      []string{"GC cycle 1: 10 bytes live"},
		Sample: []*profile.Sample{
			sample(-1, -8, global, server),
			sample(2, 200, global, buf, server),
			sample(3, 300, stack, buf, handle, serve, frames),
			sample(9, 900, map[string][]string{"root": {"(this request)"}}, location("(this request)")),
			sample(5, 5000, map[string][]string{"root": {"allocated"}}, location("(allocated during GC)")),
		},
	}
	newGrowing("refs", new(profile.Profile), p, true).serve(w, "refs", p)
	want := `refs difference over 1m0s: +1392 bytes in +13 objects
# GC cycle 1: 10 bytes live
# left out, because it is new and not growth: +5000 bytes (allocated during GC)
# inuse in place of refs says what came and went, and which code allocated it

         bytes     objects      bytes now objects now       mean  path that has grown
          +300          +3            300           3        100  app.serve > app.handle > app.inlined > app.Server.buf []uint8
          +200          +2            200           2        100  app.server > app.Server.buf []uint8

         bytes     flat bytes     objects   flat objs  path
          +300             +0          +3          +0  stack {"batch":"1", "user":"gopher"}
          +300             +0          +3          +0    app.serve
          +300             +0          +3          +0      app.handle > app.inlined
          +300           +300          +3          +3        app.Server.buf []uint8
          +192             +0          +1          +0  global
          +192             -8          +1          -1    app.server
          +200           +200          +2          +2      app.Server.buf []uint8
          +900           +900          +9          +9  (this request)
`
	if got := w.Body.String(); got != want {
		t.Errorf("text\n%s\nwant\n%s", got, want)
	}
	if c := w.Header().Get("Content-Type"); c != "text/plain; charset=utf-8" {
		t.Errorf("Content-Type %q", c)
	}
}

// TestRefsParameters checks which parameters the handler refuses.
func TestRefsParameters(t *testing.T) {
	for url, want := range map[string]int{
		"/debug/pprof/refs?seconds=0":          http.StatusBadRequest,
		"/debug/pprof/refs?seconds=x&debug=1":  http.StatusBadRequest,
		"/debug/pprof/heap?seconds=1&debug=1":  http.StatusBadRequest,
		"/debug/pprof/refs?debug=2":            http.StatusOK,
		"/debug/pprof/refs?seconds=&debug=1":   http.StatusOK,
		"/debug/pprof/refs?gc=1":               http.StatusOK,
		"/debug/pprof/refs/x":                  http.StatusNotFound,
		"/debug/pprof/refs?seconds=-1&debug=0": http.StatusBadRequest,
	} {
		if w := get(http.HandlerFunc(Index), url); w.Code != want {
			t.Errorf("%s: status %d, want %d: %s", url, w.Code, want, bytes.TrimSpace(w.Body.Bytes()))
		}
	}
}

// TestRefsThisRequest checks that the goroutine that serves a request for the
// profile has one path.
func TestRefsThisRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(Index))
	defer server.Close()
	resp, err := http.Get(server.URL + "/debug/pprof/refs?debug=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "net/http/pprof.handler.ServeHTTP") {
		t.Errorf("the profile has frames of the request:\n%s", text)
	}
	if n := strings.Count(string(text), " (this request)\n"); n != 1 {
		t.Errorf("%d lines are the request's, want 1:\n%s", n, text)
	}
}
