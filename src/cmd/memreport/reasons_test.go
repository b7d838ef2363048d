// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestReasons(t *testing.T) {
	for _, test := range []struct {
		p    place
		want string
	}{
		{place{Code: "net/http.(*persistConn).readLoop net/http/transport.go:2623"}, "bodies"},
		{place{Code: "net/http.(*persistConn).readLoop net/http/transport.go:2499", State: "io"}, "http.Transport"},
		{place{Code: "net/http.(*persistConn).readLoop net/http/transport.go:2499", State: "lock"}, ""},
		{place{Code: "net/http.(*persistConn).writeLoop net/http/transport.go:2841"}, ""},
		{place{Code: "net/http.(*conn).serve net/http/server.go:2197", State: "io"}, "IdleTimeout"},
		{place{Code: "main.(*api).serve a.go:1", Start: "net/http.(*conn).serve"}, ""},
		{place{Code: "main.certificate a.go:1", Start: "net/http.(*conn).serve", State: "io"}, ""},
		{place{Code: "runtime.gopark runtime/proc.go:1", Start: "context.(*cancelCtx).propagateCancel.func2"}, "contexts"},
		{place{Code: "main.take a.go:1"}, ""},
	} {
		checkReason(t, test.p, test.want)
	}
	const network = "runtime.netpollblock < internal/poll.runtime_pollWait < net.(*conn).Read < "
	for stack, want := range map[string]string{
		network + "net/http.(*connReader).Read < bufio.(*Reader).Peek < net/http.(*conn).serve":                                                         "IdleTimeout",
		network + "main.query < main.(*api).ServeHTTP < net/http.serverHandler.ServeHTTP < net/http.(*conn).serve":                                      "",
		network + "io.Copy < net/http/httputil.(*ReverseProxy).ServeHTTP < net/http.serverHandler.ServeHTTP < net/http.(*conn).serve":                   "",
		"runtime.gopark < " + network + "io.ReadAll < net/http.HandlerFunc.ServeHTTP < net/http.serverHandler.ServeHTTP < net/http.(*conn).serve.func1": "",
	} {
		checkReason(t, placeOf(makeProfile("n", nil, row{[]int64{1}, stack, ""}).Sample[0]), want)
	}
	for path, want := range map[string]bool{
		"main.root > context.cancelCtx.children map[canceler]struct {} > map[context.canceler]struct {}[key](*context.timerCtx)": true,
		"main.root > context.cancelCtx.children map[canceler]struct {}":                                                          true,
		"(timer) main.expire": true,
		"main.timers":         false,
	} {
		if got := (trail{{Name: path, NewCount: manyObjects}}).reason(); (got != nil) != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	once := trail{{Name: "(timer) main.poll", Root: "timer", NewCount: 1000}}
	once[0].Children = []*element{{Name: "main.poll.stats map[int]int", NewCount: 1000 - manyObjects + 1}}
	if got := append(once, once[0].Children...).reason(); got != nil {
		t.Errorf("one timer: %q", got)
	}
	for _, test := range []struct {
		name string
		came int64
		want bool
	}{
		{"context.WithCancel.func1.c *cancelCtx", manyObjects, true},
		{"main.job.ctx context.Context(*context.cancelCtx)", manyObjects, true},
		{"context.WithCancel.func1.c *cancelCtx", manyObjects - 1, false},
		{"map[int]*context.cancelCtx[value]", manyObjects, false},
		{"main.job.ctx context.Context(*context.cancelCtx), cancelled", manyObjects, false},
		{"main.job.ctx context.Context(*context.cancelCtx), few not cancelled", manyObjects, false},
	} {
		name, some, _ := strings.Cut(test.name, ", ")
		e := element{Name: name, Objects: 99, NewCount: test.came}
		if some == "few not cancelled" {
			e.Children = []*element{{Name: "context.cancelCtx.children map[canceler]struct {}", Bytes: childLeast*99 - 1}}
		}
		if some == "" {
			e.NewCount++
			e.Children = []*element{{Name: "context.cancelCtx.children map[canceler]struct {}", Bytes: childLeast * 99, NewCount: 1}}
		}
		if got := (trail{{Name: "main.root"}, &e}).reason(); (got != nil) != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

func checkReason(t *testing.T, p place, want string) {
	t.Helper()
	if got := p.reason(); len(got) > 1 || (len(got) == 1) != (want != "") || !strings.Contains(strings.Join(got, ""), want) {
		t.Errorf("%+v: %q, want %q", p, got, want)
	}
}

// TestJoinPlaces has goroutines that come in equal numbers, and others.
func TestJoinPlaces(t *testing.T) {
	at := func(place string, came int64, details ...string) finding {
		return finding{Kind: "goroutines-growth", Place: place, starts: []string{place}, came: came, Bytes: mb, Details: details}
	}
	leaked := at("main.lost", 1000)
	leaked.Kind = "goroutines-leaked"
	for _, test := range []struct {
		name string
		all  []finding
		want []string
	}{
		{"equal", []finding{at("a", 1000), at("b", 1000), at("c", 990)}, []string{"a; with as many at b; with as many at c"}},
		{"equal, in another order", []finding{at("c", 990), at("b", 1000), at("a", 1000)}, []string{"a; with as many at b; with as many at c"}},
		{"one has a reason", []finding{at("a", 1000), at("b", 1000, because+placeReasons[1].text)}, []string{"b; because " + placeReasons[1].text + "; with as many at a"}},
		{"two have a reason", []finding{at("a", 1000, because+placeReasons[1].text), at("b", 1000, because+placeReasons[0].text)},
			[]string{"b; because " + placeReasons[0].text + "; with as many at a"}},
		{"not equal", []finding{at("a", 1000), at("b", 960)}, []string{"a", "b"}},
		{"few", []finding{at("a", 51), at("b", 50)}, []string{"a", "b"}},
		{"leaked", []finding{leaked, at("b", 1000)}, []string{"main.lost", "b"}},
	} {
		var got []string
		for _, x := range joinPlaces(test.all) {
			text := strings.Join(append([]string{x.Place}, x.Details...), "; ")
			got = append(got, text)
			if n := int64(strings.Count(text, "with as many")); x.Bytes != mb*(n+1) || int64(len(x.starts)) != n+1 {
				t.Errorf("%s: %d bytes, begin in %q", test.name, x.Bytes, x.starts)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
