// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"cmd/internal/memsite"
	"encoding/xml"
	"fmt"
	"internal/testenv"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A testPage is a page: its text, without spaces around elements, and the
// titles of boxes.
type testPage struct {
	status int
	body   string
	header http.Header
	texts  []string
	titles []string
	links  []string
}

// getPage gets a page, and checks that it is well-formed XML, because the
// templates are.
func getPage(t *testing.T, h http.Handler, url string) *testPage {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+url, nil))
	p := &testPage{status: w.Code, body: w.Body.String(), header: w.Header()}
	if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		return p
	}
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(p.body, "<!DOCTYPE html>")))
	title := false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return p
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", url, err, p.body)
		}
		switch x := token.(type) {
		case xml.StartElement:
			title = x.Name.Local == "title"
			for _, a := range x.Attr {
				switch a.Name.Local {
				case "href":
					p.links = append(p.links, a.Value)
				case "style", "onclick", "onload":
					t.Errorf("the security policy forbids %s", a.Name.Local)
				}
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(x)); title {
				p.titles = append(p.titles, text)
			} else if text != "" {
				p.texts = append(p.texts, text)
			}
		case xml.EndElement:
			title = false
		}
	}
}

// has checks that the page has texts, in this order.
func (p *testPage) has(t *testing.T, want ...string) {
	t.Helper()
	left := p.texts
	for _, text := range want {
		i := slices.Index(left, text)
		if i < 0 {
			t.Errorf("the page does not have %q, or not in this order, in\n%s", text, strings.Join(p.texts, "\n"))
			return
		}
		left = left[i+1:]
	}
}

// testSite returns the pages of facts.
func testSite(f *facts) http.Handler {
	return memsite.Guard("localhost", newReportSite(f, find(f)).handler())
}

// TestPage compares pages with facts and findings of the same takes.
func TestPage(t *testing.T) {
	evidence := func(t *testing.T) *facts {
		k := makeTake(t, sizes{})
		k.Moments, k.Reason = k.Moments[:1], "evidence: limit"
		return newFacts(k)
	}
	for _, test := range []struct {
		name  string
		facts func(*testing.T) *facts
		bars  []string
	}{
		{"rest", func(t *testing.T) *facts { return newFacts(makeTake(t, sizes{})) }, []string{"when the watch began: 42 MB", "now, before the last collection: 42 MB", "after it: 42 MB"}},
		{"leaks", func(t *testing.T) *facts {
			k := makeTake(t, sizes{leak: 8 * mb, mapStep: mb, goroutine: 12})
			k.Limit = 200 * mb
			return newFacts(k)
		}, []string{"when the watch began: 44 MB", "now, before the last collection: 56 MB", "after it: 58 MB"}},
		{"base", func(t *testing.T) *facts {
			return compared(makeTake(t, sizes{}), makeTake(t, sizes{leak: 30 * mb}))
		}, []string{"base: 42 MB", "now: 72 MB"}},
		{"evidence", evidence, []string{"now: 42 MB"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := test.facts(t)
			p := getPage(t, testSite(f), "/")
			want := []string{f.title()}
			want = append(append(want, test.bars...), "Now")
			if !f.once() {
				want = append(want, f.inWatch())
			}
			for _, r := range rows {
				if now, ok := f.shown(r.class); ok {
					want = append(want, strings.TrimSpace(r.name), formatSize(now))
				}
				if n, ok := f.change(r.class); ok && n != 0 {
					want = append(want, formatChange(n))
				}
			}
			if f.Limit > 0 {
				want = append(want, "limit", formatSize(f.Limit), f.limitNote())
			}
			want = append(want, "goroutines", formatCount(f.goroutines()))
			for i, x := range find(f) {
				want = append(append(want, fmt.Sprintf("%d. %s", i+1, x.Text), x.Place), x.Details...)
				want = append(want, "More, from the profile "+x.Profile+":", x.More)
			}
			if f.take.URL != "" {
				want = append(want, "curl -o heap.graph http://localhost:1/debug/pprof/heapgraph")
			}
			p.has(t, want...)
			if none := slices.Contains(p.texts, f.nothing()); none != (len(find(f)) == 0) {
				t.Errorf("says that there is no finding: %t", none)
			}
		})
	}
}

// TestPageFlames checks the boxes of flame graphs.
func TestPageFlames(t *testing.T) {
	const leak = 8 * mb
	h := testSite(newFacts(makeTake(t, sizes{leak: leak})))
	came := []string{
		"what came\ncame: 8.0 MB\nnow: 28 MB in 8,101 objects",
		"main.items\ncame: 8.0 MB\nnow: 26 MB in 8,100 objects",
		"map[int]*main.item[value]\ncame: 8.0 MB\nnow: 26 MB in 8,100 objects",
		"main.item.text []uint8\ncame: 8.0 MB\nnow: 26 MB in 8,100 objects",
	}
	held := []string{
		"live heap\nnow: 28 MB in 8,101 objects",
		"main.items\nnow: 26 MB in 8,100 objects",
		"map[int]*main.item[value]\nnow: 26 MB in 8,100 objects",
		"main.item.text []uint8\nnow: 26 MB in 8,100 objects",
		"(write barrier)\nnow: 2.0 MB in 1 object",
	}
	boxes := func(url string) (all []string) {
		for _, title := range getPage(t, h, url).titles {
			if strings.Contains(title, "\n") {
				all = append(all, title)
			}
		}
		return all
	}
	for url, want := range map[string][]string{
		"/":                 append(slices.Clone(came), held...),
		"/?grown=2":         append(slices.Clone(came), held...), // all are as wide as the picture
		"/?held=4":          append(slices.Clone(came), held[0], held[4]),
		"/?held=1&grown=1":  append(slices.Clone(came), held[:4]...),
		"/?held=&grown=&x=": append(slices.Clone(came), held...),
	} {
		if got := boxes(url); !slices.Equal(got, want) {
			t.Errorf("%s: boxes\n%q\nwant\n%q", url, got, want)
		}
	}
	if p := getPage(t, h, "/?held=4"); !slices.Contains(p.links, "/#held") || slices.Contains(p.links, "/?grown=0#grown") {
		t.Errorf("links %q", p.links)
	}
	for url, status := range map[string]int{"/?held=5": 404, "/?grown=4": 404, "/?grown=-1": 404, "/?grown=x": 404, "/x": 404, "/suspects": 404,
		"/style.css": 200, "/icon.svg": 200, "/report.html": 404} {
		if p := getPage(t, h, url); p.status != status {
			t.Errorf("%s: status %d, want %d", url, p.status, status)
		}
	}
	for _, link := range getPage(t, h, "/").links {
		if strings.HasPrefix(link, "//") || !strings.HasPrefix(link, "/") && link != "#content" {
			t.Errorf("the link %s needs the network", link)
		}
	}
}

// TestPathTree compares sizes with sums over all samples.
func TestPathTree(t *testing.T) {
	rows := []row{
		{[]int64{1, 5 * mb}, "b < a", "root=global"}, {[]int64{1, 3 * mb}, "c < a", "root=global"}, {[]int64{1, 2 * mb}, "a", "root=global"},
		{[]int64{1, 7 * mb}, "x *poolLocal < p", "root=global"}, {[]int64{1, 9 * mb}, "(write barrier)", "root=barrier"}, {[]int64{1, mb}, "d", "root=global"},
	}
	before := []int64{mb, 4 * mb, mb, mb, mb, 2 * mb}
	old := slices.Clone(rows)
	for i := range old {
		old[i].values = []int64{1, before[i]}
	}
	f := new(facts)
	f.addRefs(makeProfile("live_objects live_space", nil, old...), makeProfile("live_objects live_space", nil, rows...))
	sizesOf := func(t *pathTree) map[string]int64 {
		all := make(map[string]int64)
		for i, e := range t.elements {
			all[e.Name] = t.sizes[i]
		}
		return all
	}
	// What came at b is there, although as much went at c; d and c are not.
	wantCame := map[string]int64{"": 5 * mb, "a": 5 * mb, "b": 4 * mb}
	if got := sizesOf(newPathTree(grownID, "", f.tree(), cameAt)); fmt.Sprint(got) != fmt.Sprint(wantCame) {
		t.Errorf("came %v, want %v", got, wantCame)
	}
	wantHeld := map[string]int64{"": 27 * mb, "a": 10 * mb, "b": 5 * mb, "c": 3 * mb, "p": 7 * mb, "x *poolLocal": 7 * mb, "(write barrier)": 9 * mb, "d": mb}
	if got := sizesOf(newPathTree(heldID, "", f.tree(), heldAt)); fmt.Sprint(got) != fmt.Sprint(wantHeld) {
		t.Errorf("held %v, want %v", got, wantHeld)
	}
	if newPathTree(heldID, "", nil, heldAt) != nil || newPathTree(heldID, "", new(element), heldAt) != nil {
		t.Error("there is a tree of nothing")
	}
	f = &facts{Sites: []site{{Code: "main.f", Bytes: 3, NewBytes: 2, Path: "x"}, {Code: "main.f", Bytes: 4}, {Code: "main.g", Bytes: 1, NewBytes: -1}}}
	if got := sizesOf(newPathTree(heldID, "", f.tree(), heldAt)); fmt.Sprint(got) != fmt.Sprint(map[string]int64{"": 8, "main.f": 7, "main.g": 1}) {
		t.Errorf("by code: %v", got)
	}
	if got := sizesOf(newPathTree(grownID, "", f.tree(), cameAt)); fmt.Sprint(got) != fmt.Sprint(map[string]int64{"": 2, "main.f": 2}) {
		t.Errorf("by code, came: %v", got)
	}
}

func TestGraphCommand(t *testing.T) {
	for address, want := range map[string]string{
		"http://a/debug/pprof/":           "curl -o heap.graph http://a/debug/pprof/heapgraph",
		"https+insecure://a/debug/pprof/": "curl -k -o heap.graph https://a/debug/pprof/heapgraph",
	} {
		if got := (&take{URL: address}).graphCommand(); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

// TestHostilePage has names that would be elements, attributes or other
// directions of writing if they were not escaped.
func TestHostilePage(t *testing.T) {
	const name = "<script>alert(1)</script>\"'&\u202e\x1b[31m\n"
	k := makeTake(t, sizes{mapStep: mb, goroutine: 3})
	k.Program, k.Reason, k.dir, k.Missing["x"+name] = "/bin/"+name, name, name, name
	for i, n := range []int64{0, 9 * mb} {
		k.files[numbered("refs", i+1)] = encode(t, makeProfile("live_objects live_space", nil,
			row{[]int64{100 + n, 18*mb + n}, name + "c < " + name + "b[value] < " + name + "a", "root=global"}))
		k.files[numbered("memory", 1+7*i)] = encode(t, makeProfile("taken_space memory_space", nil, row{[]int64{n, n}, "Live heap at the last collection < Go memory", ""}))
	}
	for i := range spaced + 2 {
		k.files[numbered("growth", i)] = encode(t, makeProfile("mapped_space unmapped_space", nil,
			row{[]int64{int64(i) * 9 * mb, 0}, "main." + name, "kind=mmap"}))
	}
	f := newFacts(k)
	all := find(f)
	if len(all) == 0 {
		t.Fatal("no finding")
	}
	all = append(all, finding{Kind: name, Text: name, Place: name, Details: []string{name}, More: name})
	h := memsite.Guard("localhost", newReportSite(f, all).handler())
	p := getPage(t, h, "/")
	for _, bad := range []string{"<script", "\u202e", "\x1b"} {
		if strings.Contains(p.body, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if p.status != 200 || !strings.Contains(p.body, "&lt;script&gt;") || p.header.Get("Content-Security-Policy") == "" {
		t.Errorf("status %d, policy %q", p.status, p.header.Get("Content-Security-Policy"))
	}
	// Neither many nor long names make a page that is much larger.
	long := strings.Repeat("<", 100_000)
	all = nil
	for range 1000 {
		all = append(all, finding{Text: long, Place: long, Details: []string{long}})
	}
	if n := len(getPage(t, memsite.Guard("localhost", newReportSite(f, all).handler()), "/").body); n > 10<<20 {
		t.Errorf("%d bytes", n)
	}
}

func TestServeErrors(t *testing.T) {
	dir := storeTake(t, makeTake(t, sizes{}))
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	wantError(t, "-http: address 8080: missing port in address", "-http=8080", dir)
	wantError(t, "-http: address [::1: missing", "-http=[::1", dir)
	wantError(t, "listen tcp", "-http="+l.Addr().String(), dir)
	wantError(t, "listen tcp", "-http=localhost:99999", dir)
	wantError(t, "-http serves a page, and so there is neither -json nor -fail-if", "-http=:", "-json", dir)
	wantError(t, "-http serves a page, and so there is neither -json nor -fail-if", "-http=:", "-fail-if=live>1MB", dir)
	wantError(t, "-no_browser is for -http", "-no_browser", dir)
	wantError(t, "has no memreport.json", "-http=:", t.TempDir())
	wantError(t, "none:", "-http=:", filepath.Join(t.TempDir(), "none"))
}

// TestServe starts the command, and gets the page.
func TestServe(t *testing.T) {
	dir := storeTake(t, makeTake(t, sizes{leak: 6 * mb}))
	command := testenv.Command(t, testenv.Executable(t), "-http=:", "-no_browser", dir)
	command.Env = append(command.Environ(), "MEMREPORT_TEST_MAIN=1")
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer command.Wait()
	defer command.Process.Kill()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	m := regexp.MustCompile(`^Serving the report of server on (http://localhost:\d+)\n$`).FindStringSubmatch(line)
	if err != nil || m == nil {
		t.Fatalf("printed %q: %v", line, err)
	}
	answer, err := http.Get(m[1])
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || answer.StatusCode != 200 || !strings.Contains(string(body), "1. The live heap grows by 200 kB/s below main.items.") {
		t.Errorf("status %d, %v\n%s", answer.StatusCode, err, body)
	}
}

// TestGraphPages gets pages of go tool heapgraph beside a report.
func TestGraphPages(t *testing.T) {
	address := startServer(t, buildServer(t), "leak")
	get(t, address, "growth")
	k := makeTake(t, sizes{})
	for i, n := range []int64{1, 9} {
		k.files[numbered("refs", i+1)] = encode(t, makeProfile("live_objects live_space unused_space", nil,
			row{[]int64{100, n * 4 * mb, n * 4 * mb}, "map[int]*main.session[value] < main.sessions", "root=global"}))
	}
	dir := storeTake(t, k)
	if err := os.WriteFile(filepath.Join(dir, graphName), get(t, address, "heapgraph"), 0o666); err != nil {
		t.Fatal(err)
	}
	k, err := readTake(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := newFacts(k)
	s := newReportSite(f, find(f))
	h := memsite.Guard("localhost", s.handler())
	defer s.graph.close()
	report := getPage(t, h, "/")
	if strings.Contains(report.body, "curl") {
		t.Error("the report asks for a heap graph, and has one")
	}
	search := "/search?q=%5Emain%5C.sessions%24"
	if !slices.Contains(report.links, search) {
		t.Errorf("the report has no link %s: %q", search, report.links)
	}
	for _, item := range append(slices.Clone(graphMenu), memsite.MenuItem{Path: search, Name: "main.sessions"}) {
		if !slices.Contains(report.links, item.Path) {
			t.Errorf("the report has no link %s", item.Path)
		}
		p := getPage(t, h, item.Path)
		if p.status != 200 || !slices.Contains(p.texts, "Report") || !slices.Contains(p.texts, item.Name) || len(p.header["Content-Security-Policy"]) != 1 {
			t.Errorf("%s: status %d, %q, %q", item.Path, p.status, p.texts, p.header)
		}
	}
	if p := getPage(t, h, "/nothing"); p.status != 404 {
		t.Errorf("no page: status %d", p.status)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://localhost/types", nil)
	r.Header.Set("Sec-Fetch-Site", "same-site")
	if h.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("a request of another site: status %d", w.Code)
	}
	os.WriteFile(filepath.Join(dir, graphName), []byte("x"), 0o666)
	damaged := newReportSite(f, nil)
	if p := getPage(t, damaged.handler(), "/types"); p.status != 500 || !strings.Contains(p.body, "go tool heapgraph: heapgraph: ") || strings.Contains(strings.TrimSpace(p.body), "\n") {
		t.Errorf("of a damaged graph: status %d, %q", p.status, p.body)
	}
}
