// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"cmd/internal/memsite"
	"cmp"
	"encoding/xml"
	"fmt"
	"internal/heapgraph"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// loadTestSite returns the pages about snapshots, with sizes in bytes.
func loadTestSite(t *testing.T, names ...string) http.Handler {
	t.Helper()
	task := newTask(io.Discard, t.Output())
	task.bytes = true
	x, err := task.loadSite(names)
	if err != nil {
		t.Fatal(err)
	}
	return memsite.Guard("localhost", x.handler())
}

// A testPage is a page, or a part of one.
type testPage struct {
	status int
	header http.Header
	body   string
	links  []string // to pages, and to parts of them
	rows   []string // text of headings, rows of tables, and the like
	boxes  []string // titles and positions of boxes of a flame graph
}

// getPage gets a page and checks that it is well-formed XML. The templates are
// written as XML.
func getPage(t *testing.T, h http.Handler, url string) *testPage {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+url, nil))
	p := &testPage{status: w.Code, header: w.Header(), body: w.Body.String()}
	if strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		p.parse(t, url)
	}
	return p
}

// lineElements are elements whose text is a line of rows.
var lineElements = []string{"h1", "h2", "h3", "p", "tr", "dt", "dd", "nav", "li"}

func (p *testPage) parse(t *testing.T, url string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader("<html>" + strings.TrimPrefix(p.body, "<!DOCTYPE html>") + "</html>"))
	d.Strict = true
	var line strings.Builder
	end := func() {
		if text := strings.Join(strings.Fields(line.String()), " "); text != "" {
			p.rows = append(p.rows, text)
		}
		line.Reset()
	}
	inTitle := false
	var box xml.StartElement
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", url, err, p.body)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if slices.Contains(lineElements, x.Name.Local) {
				end()
			}
			for _, a := range x.Attr {
				switch a.Name.Local {
				case "href", "action", "data-rows", "data-rest", "data-part":
					p.links = append(p.links, a.Value)
				case "style", "onclick", "onload":
					t.Errorf("%s: the security policy forbids %s", url, a.Name.Local)
				}
			}
			if x.Name.Local == "svg" {
				box = x.Copy()
			}
			inTitle = x.Name.Local == "title"
		case xml.EndElement:
			inTitle = false
			if slices.Contains(lineElements, x.Name.Local) {
				end()
			} else if x.Name.Local != "span" && x.Name.Local != "a" {
				line.WriteByte(' ')
			}
		case xml.CharData:
			if inTitle {
				if box.Name.Local == "svg" {
					p.boxes = append(p.boxes, boxText(box, string(x)))
				}
				continue
			}
			line.Write(x)
		}
	}
}

// boxText returns the position and the title of a box, in a line.
func boxText(box xml.StartElement, title string) string {
	attr := make(map[string]string)
	for _, a := range box.Attr {
		attr[a.Name.Local] = a.Value
	}
	return fmt.Sprintf("%s %s %s %s", attr["x"], attr["y"], attr["width"], strings.ReplaceAll(title, "\n", "; "))
}

// A pageTest is a page and lines that follow each other on it.
type pageTest struct {
	url    string
	status int // or 0 for OK
	want   []string
}

func checkPages(t *testing.T, h http.Handler, tests []pageTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.url, func(t *testing.T) {
			p := getPage(t, h, test.url)
			if want := cmp.Or(test.status, http.StatusOK); p.status != want {
				t.Errorf("status %d, want %d", p.status, want)
			}
			checkLines(t, strings.Join(p.rows, "\n")+"\n", test.want...)
		})
	}
}

func TestTypesPage(t *testing.T) {
	h := loadTestSite(t, (&server{sessions: 100}).file(t))
	checkPages(t, h, []pageTest{
		{"/types", 0, []string{
			"1 to 5 of 5",
			"Retained Own size",
			"Size Share Objects Size Share Objects Name",
			"140480 99.2% 199 32768 23.1% 1 []*app.Session",
			"108800 76.8% 200 6400 4.5% 100 app.Session",
			"102400 72.3% 100 102400 72.3% 100 []uint8",
			"32 0.0% 1 32 0.0% 1 app.Config",
			"16 0.0% 1 16 0.0% 1 (unknown)",
			"1 to 5 of 5",
		}},
		{"/types?sort=objects&q=s", 0, []string{
			"1 to 2 of 2",
			"Retained Own size",
			"Size Share Objects Size Share Objects Name",
			"108800 76.8% 200 6400 4.5% 100 app.Session",
			"140480 99.2% 199 32768 23.1% 1 []*app.Session",
			"1 to 2 of 2",
		}},
		{"/types?by=root", 0, []string{
			"Retained Share Objects Name",
			"140480 99.2% 199 app.sessions",
			"16 0.0% 1 (write barrier)",
			"0 0.0% 0 goroutine app.serve",
		}},
		{"/types?by=package", 0, []string{"141600 100.0% 202 141600 100.0% 202 app", "16 0.0% 1 16 0.0% 1 (no package)"}},
		{"/types?by=path&q=elem.$", 0, []string{"108800 76.8% 200 6400 4.5% 100 app.sessions > app.sessions []*Session > []*app.Session[elem]"}},
		{"/types?q=nothing", 0, []string{"None"}},
		{"/types?by=color", http.StatusBadRequest, []string{"Bad Request", "There is no such list or order."}},
		{"/types?sort=name", http.StatusBadRequest, []string{"There is no such list or order."}},
		{"/types?q=(", http.StatusBadRequest, []string{"The search is not a regular expression: error parsing regexp: missing closing ): `(`."}},
		{"/types?from=-1", http.StatusBadRequest, []string{"The parameter from is not a number: -1."}},
		{"/types?from=1000", 0, []string{"Previous 5 to 5 of 5"}},
		{"/nothing/here", http.StatusNotFound, []string{"Not Found", "There is no such page."}},
	})
}

// TestUnusedColumn checks that lists have the unused bytes, if the snapshot has
// them, and can be sorted by them.
func TestUnusedColumn(t *testing.T) {
	checkPages(t, loadTestSite(t, (&server{sessions: 100, unused: 3}).file(t)), []pageTest{
		{"/types?sort=unused&q=app", 0, []string{
			"Retained Own size",
			"Size Share Objects Size Share Objects Unused Name",
			"108800 76.8% 200 6400 4.5% 100 300 app.Session",
			"140480 99.2% 199 32768 23.1% 1 0 []*app.Session",
			"32 0.0% 1 32 0.0% 1 0 app.Config",
		}},
		{"/types?by=package", 0, []string{"141600 100.0% 202 141600 100.0% 202 600 app", "16 0.0% 1 16 0.0% 1 0 (no package)"}},
		{"/types?by=path&q=elem.$", 0, []string{"108800 76.8% 200 6400 4.5% 100 300 app.sessions > app.sessions []*Session > []*app.Session[elem]"}},
		{"/types?by=root", 0, []string{"140480 99.2% 199 app.sessions"}},
	})
}

func TestSearchPage(t *testing.T) {
	h := loadTestSite(t, (&server{sessions: 100}).file(t))
	checkPages(t, h, []pageTest{
		{"/search", 0, []string{"Search"}},
		{"/search?q=app..ess", 0, []string{
			"Types: 2",
			"Retained Share Objects Name",
			"140480 99.2% 199 []*app.Session",
			"108800 76.8% 200 app.Session",
			"Roots: 1",
			"Retained Share Objects Name",
			"140480 99.2% 199 app.sessions",
		}},
		{"/search?q=(", http.StatusBadRequest, []string{"Bad Request"}},
	})
	p := getPage(t, h, "/search?q=+0xa048")
	if p.status != http.StatusFound || p.header.Get("Location") != "/object?address=0xa048" {
		t.Errorf("an address: status %d, location %s", p.status, p.header.Get("Location"))
	}
}

const hostileName = `<script>alert("1")</script><!-- ' ]]> & javascript:alert(2)//` + "\xff"

// hostile returns a snapshot with names that a browser would run as scripts if
// they were not escaped.
func hostile(t *testing.T, objects int) string {
	t.Helper()
	var b bytes.Buffer
	s := &server{w: heapgraph.NewWriter(&b), strings: make(map[string]uint64)}
	s.w.Meta("pointer.size", "8")
	s.w.Meta("main.path", hostileName)
	s.w.Meta("go.version", hostileName)
	s.w.Type(&heapgraph.Type{Name: s.str(hostileName), Size: 64, Fields: []heapgraph.Field{{Name: s.str(hostileName)}}})
	root := s.node(0, heapgraph.FirstClass, hostileName, "", 0)
	stack := s.node(0, heapgraph.FirstClass, "(stack)", "", 0)
	local := s.node(stack, 0, hostileName, hostileName, 1)
	node := s.node(root, 0, hostileName, hostileName, 1)
	at := s.span(objects, 64)
	var refs, claims []heapgraph.Pair
	for i := range objects {
		claims = append(claims, heapgraph.Pair{Addr: at(i), Value: node})
		if i > 0 {
			refs = append(refs, heapgraph.Pair{Addr: at(i / 2), Value: at(i)})
		}
	}
	s.w.Refs(refs)
	s.w.Claims(claims)
	s.w.RootRef(heapgraph.RootRef{Node: root, Target: at(0)})
	s.w.Goroutine(&heapgraph.Goroutine{Func: s.str(hostileName), Wait: s.str(hostileName),
		Labels: []heapgraph.Label{{Key: s.str(hostileName), Value: s.str(hostileName)}}})
	s.w.RootRef(heapgraph.RootRef{Node: local, Goroutine: 1, Target: at(0)})
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	return writeTemp(t, b.Bytes())
}

// TestLinks follows all links of all pages. Each page must exist, be
// well-formed, have no more than some hundred rows, and have no script except
// the site's own.
func TestLinks(t *testing.T) {
	for name, files := range map[string][]string{
		"server":    {(&server{sessions: 120, goroutines: 2, labels: true}).file(t), (&server{sessions: 3}).file(t)},
		"hostile":   {hostile(t, 20), hostile(t, 10)},
		"list":      {writeTemp(t, list(t, 150))},
		"truncated": {(&server{sessions: 3, meta: map[string]string{"truncated": "references", "dropped": "5"}}).file(t)},
		"empty":     {(&server{}).file(t)},
	} {
		t.Run(name, func(t *testing.T) { crawl(t, loadTestSite(t, files...)) })
	}
}

// crawl follows links. Of links that differ only in the object, it follows the
// first 12.
func crawl(t *testing.T, h http.Handler) {
	todo := []string{"/", "/search?q=" + url.QueryEscape(hostileName[:8]), "/flame?q=app", "/types?q=app"}
	seen := make(map[string]bool)
	alike := make(map[string]int)
	for len(todo) > 0 {
		link := todo[0]
		todo = todo[1:]
		if seen[link] || strings.HasPrefix(link, "#") {
			continue
		}
		seen[link] = true
		u, err := url.Parse(link)
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, "/") {
			t.Fatalf("a page links to %s", link)
		}
		if q := u.Query(); q.Has("address") {
			q.Del("address")
			u.RawQuery = q.Encode()
			if alike[u.String()]++; alike[u.String()] > 12 {
				continue
			}
		}
		p := getPage(t, h, link)
		if p.status != http.StatusOK {
			t.Errorf("%s: status %d", link, p.status)
		}
		if n := strings.Count(p.body, "<tr"); n > 400 {
			t.Errorf("%s: %d rows", link, n)
		}
		if strings.Contains(p.body, "<script>") || strings.Contains(p.body, "<!--") {
			t.Errorf("%s: a name is not escaped:\n%s", link, p.body)
		}
		todo = append(todo, p.links...)
	}
	if len(seen) < 30 {
		t.Errorf("there are only %d pages", len(seen))
	}
}

// TestConcurrent gets many pages at once of a site that has not yet computed
// the results that pages share. It compares these pages with pages that are got
// one after another.
func TestConcurrent(t *testing.T) {
	names := []string{(&server{sessions: 100}).file(t), (&server{sessions: 50}).file(t)}
	paths := []string{"/", "/types", "/types?by=path", "/types?by=package", "/vertices?name=app.Session",
		"/search?q=app", "/no/page"}
	for _, item := range (&site{old: new(snapshot)}).menu("/") {
		paths = append(paths, item.Path)
	}
	fresh, warm := loadTestSite(t, names...), loadTestSite(t, names...)
	var group sync.WaitGroup
	for _, path := range slices.Concat(paths, paths) {
		want := getPage(t, warm, path).body
		group.Go(func() {
			if got := getPage(t, fresh, path).body; got != want {
				t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
			}
		})
	}
	group.Wait()
}

// TestAssets checks the files that pages use, and the methods other than GET.
func TestAssets(t *testing.T) {
	h := loadTestSite(t, (&server{sessions: 1}).file(t))
	for path, typ := range map[string]string{
		"/style.css": "text/css; charset=utf-8",
		"/script.js": "text/javascript; charset=utf-8",
		"/icon.svg":  "image/svg+xml",
	} {
		p := getPage(t, h, path)
		if p.status != http.StatusOK || p.header.Get("Content-Type") != typ || p.body == "" {
			t.Errorf("%s: status %d, type %s", path, p.status, p.header.Get("Content-Type"))
		}
	}
	for _, path := range []string{"/page.html", "/site/page.html"} {
		if p := getPage(t, h, path); p.status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, p.status)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "http://localhost/types", nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
}
