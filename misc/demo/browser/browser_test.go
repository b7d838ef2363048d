// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

// Package browser clicks through the pages of go tool heapgraph -http in
// headless Chromium. It skips its tests if neither Chromium, such as Debian's
// package chromium, nor Google Chrome is in PATH. By default the snapshots are
// of an HTTP server that the test runs. The pictures heapgraph-*.png in
// doc/images are made from snapshots of nats-server, which
// misc/demo/servers.bash saves:
//
//	misc/demo/servers.bash DIR nats
//	goroot/bin/go test -C misc/demo/browser . -new=DIR/nats/new.graph -old=DIR/nats/old.graph -pictures=$PWD/doc/images
//
// The picture heapgraph-report.png is of the tutorial's shop, from a folder of
// go tool memreport:
//
//	goroot/bin/go test -C misc/demo/browser . -run=Report -report=DIR -pictures=$PWD/doc/images
package browser

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	newFile  = flag.String("new", "", "show the snapshot in this `file`")
	report   = flag.String("report", "", "show the report of this `folder`")
	oldFile  = flag.String("old", "", "compare it with the one in this `file`")
	pictures = flag.String("pictures", "", "write pictures of the pages to this `folder`")
)

// Width and height of the window, in pixels.
const (
	width  = 1180
	height = 680
)

// patience ends a browser that hangs. A busy machine needs a minute for a page.
const patience = 5 * time.Minute

// serve starts go tool heapgraph -http and returns the URL of the pages.
func serve(t *testing.T) string {
	newName, oldName := *newFile, *oldFile
	if newName == "" {
		newName, oldName = takeSnapshots(t)
	}
	return serveTool(t, "heapgraph", newName, oldName)
}

// serveTool starts a tool that serves pages, and returns their URL.
func serveTool(t *testing.T, tool string, args ...string) string {
	cmd := exec.Command("go", append([]string{"tool", tool, "-http=localhost:0", "-no_browser"}, args...)...)
	cmd.Stderr = t.Output()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the go command starts the tool
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	_, addr, ok := strings.Cut(strings.TrimSpace(line), " on ")
	if err != nil || !ok {
		t.Fatalf("go tool %s printed %q: %v", tool, line, err)
	}
	return addr
}

// chromium returns the path of the browser.
func chromium(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no chromium in PATH: apt-get install chromium")
	return ""
}

// A tab is a tab of the browser that shows the pages.
type tab struct {
	*testing.T
	ctx   context.Context
	url   string // of the first page
	width int    // of the window

	mu       sync.Mutex
	problems []string // that the browser reports
}

// startBrowser starts the browser.
func startBrowser(t *testing.T) context.Context {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.WSURLReadTimeout(patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses its sandbox to root
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// openTab opens a tab whose window has the given width.
func openTab(t *testing.T, ctx context.Context, site string, width int) *tab {
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx, url: site, width: width}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(int64(width), height))
	b.ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	return b
}

// listen notes errors, and requests to other hosts.
func (b *tab) listen(event any) {
	problem := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		problem = e.ExceptionDetails.Text
	case *log.EventEntryAdded:
		problem = e.Entry.Text
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, b.url+"/") {
			problem = "request for " + e.Request.URL
		}
	}
	if problem != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, problem)
	}
}

// do does actions, and reports problems.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.Errorf("the browser reports: %s", p)
	}
	b.problems = nil
}

// open opens a page.
func (b *tab) open(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.url + path))
	b.check()
}

// openError opens a page that says that there is an error.
func (b *tab) openError(path string, status int64) {
	b.Helper()
	resp, err := chromedp.RunResponse(b.ctx, chromedp.Navigate(b.url+path))
	if err != nil || resp.Status != status {
		b.Fatalf("%s: %v, status %d, want %d", path, err, resp.Status, status)
	}
	b.mu.Lock()
	b.problems = nil // the browser reports the status
	b.mu.Unlock()
	b.check()
	b.click(`nav a[href="/"]`)
}

// eval returns the value of an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// check checks what all pages have in common: they are no larger than a browser
// shows with ease, they are no wider than the window, they have one main
// heading, and each link, button and field has a name for assistive technology.
func (b *tab) check() {
	b.Helper()
	if n := eval[int](b, `document.querySelectorAll("*").length`); n > 12000 {
		b.Errorf("%s has %d elements", b.location(), n)
	}
	if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		b.Errorf("%s is %d pixels wider than the window", b.location(), wide)
	}
	nameless := eval[[]string](b, `[...document.querySelectorAll("a, button, input:not([type=hidden])")]
		.filter(e => !(e.textContent.trim() || e.getAttribute("aria-label"))).map(e => e.outerHTML)`)
	for _, html := range nameless {
		b.Errorf("%s: no name: %s", b.location(), html)
	}
	if n := eval[int](b, `document.querySelectorAll("h1").length`); n != 1 {
		b.Errorf("%s has %d main headings", b.location(), n)
	}
}

// location returns the path and the parameters of the page.
func (b *tab) location() string {
	b.Helper()
	return eval[string](b, `location.pathname + location.search`)
}

// heading returns the main heading of the page.
func (b *tab) heading() string {
	b.Helper()
	return eval[string](b, `document.querySelector("h1").textContent`)
}

// click clicks at the first element that a selector selects, and waits for the
// page to which it leads.
func (b *tab) click(selector string) {
	b.Helper()
	resp, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS(selector)))
	if err != nil {
		b.Fatalf("clicking %s: %v", selector, err)
	}
	if resp != nil && resp.Status >= 400 {
		b.Errorf("clicking %s leads to status %d", selector, resp.Status)
	}
	b.check()
}

// press clicks at an element until an expression in the page is true. A click
// misses if the page moves after the browser has told where the element is.
func (b *tab) press(selector, expression string) {
	b.Helper()
	for {
		b.do(chromedp.Click(chromedp.CSS(selector)))
		_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience/60)))
		if err == nil {
			return
		}
		if b.ctx.Err() != nil {
			b.Fatalf("%s: %v", expression, err)
		}
	}
}

// wait waits until an expression in the page is true.
func (b *tab) wait(expression string) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience))); err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	// Elements may have to be drawn at other places before they are clicked at.
	const drawn = `new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)))`
	b.do(chromedp.Evaluate[chromedp.Void](drawn, chromedp.EvalAwaitPromise))
}

// count returns the number of elements that a selector selects.
func (b *tab) count(selector string) int {
	b.Helper()
	return eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// picture writes a picture of the page, or of the upper part of it, if -pictures
// asks for it.
func (b *tab) picture(name string, most int) {
	b.Helper()
	if *pictures == "" {
		return
	}
	page := eval[int](b, `document.activeElement.blur() || Math.ceil(document.querySelector("footer").getBoundingClientRect().bottom + scrollY)`)
	b.do(chromedp.EmulateViewport(int64(b.width), int64(min(page, most))))
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(int64(b.width), height))
	if shot, err = compress(shot); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, "heapgraph-"+name+".png"), shot, 0o666); err != nil {
		b.Fatal(err)
	}
}

// TestPages clicks through all pages.
func TestPages(t *testing.T) {
	ctx, site := startBrowser(t), serve(t)
	t.Run("all", func(t *testing.T) {
		b := openTab(t, ctx, site, width)
		b.suspects()
		b.object()
		b.tree()
		b.flame()
		b.types()
		b.search()
		b.diff()
	})
	t.Run("narrow", func(t *testing.T) { openTab(t, ctx, site, 400).narrow() })
	t.Run("no script", func(t *testing.T) { openTab(t, ctx, site, width).noScript() })
}

func (b *tab) suspects() {
	b.open("/")
	if h := b.heading(); h != "Leak suspects" {
		b.Errorf("the first page is %q", h)
	}
	if *newFile == "" && !strings.Contains(eval[string](b, `document.querySelector(".suspect h2").textContent`), leakType) {
		b.Errorf("the first suspect is not %s", leakType)
	}
	b.picture("suspects", 900)
}

// object opens the object that is the first suspect.
func (b *tab) object() {
	b.click(".suspect h2 a")
	name := b.heading()
	b.wait(`!document.querySelector("[aria-busy]") && document.querySelector("[data-part] tbody tr") !== null`)
	b.check()
	b.picture("object", 1100)
	from := eval[string](b, `[...document.querySelectorAll("h2")].map(h => h.textContent).find(s => s.startsWith("References from it")) || ""`)
	if from == "" {
		b.Errorf("%s: no references from it", b.location())
	}
	b.click("section:last-of-type td.name a") // a reference to it
	if h := b.heading(); h == name {
		b.Errorf("a link on the page of %s leads to itself", name)
	}
}

// tree opens a row by mouse, closes and opens it by keyboard, and opens a row
// that stands for small nodes.
func (b *tab) tree() {
	b.click(`nav a[href="/tree"]`)
	rows := b.count("tbody tr")
	const toggle = chromedp.CSS("a[data-test]")
	b.do(chromedp.SetAttributeValue(chromedp.CSS(`a[aria-expanded="false"]`), "data-test", "1"), chromedp.Click(toggle))
	b.wait(fmt.Sprintf(`document.querySelectorAll("tbody tr").length > %d`, rows))
	b.check()
	b.picture("tree", 680)
	if state := eval[string](b, `document.querySelector("a[data-test]").getAttribute("aria-expanded")`); state != "true" {
		b.Errorf("an open row has aria-expanded=%q", state)
	}
	b.do(chromedp.Focus(toggle), chromedp.KeyEvent(" "))
	b.wait(fmt.Sprintf(`document.querySelectorAll("tbody tr").length === %d`, rows))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.wait(fmt.Sprintf(`document.querySelectorAll("tbody tr").length > %d`, rows))
	if path := b.location(); path != "/tree" {
		b.Errorf("opening a row leads to %s", path)
	}
	if b.count("a.rest") > 0 {
		rows, first := b.count("tbody tr"), b.count("a.rest")
		b.press("tbody > tr:last-child a.rest", fmt.Sprintf(`document.querySelectorAll("tbody tr").length > %d`, rows))
		if last := b.count("a.rest"); last > first {
			b.Errorf("there are %d rows for small nodes, and were %d", last, first)
		}
	}
}

// flame zooms in and out, and marks boxes.
func (b *tab) flame() {
	b.click(`nav a[href="/flame"]`)
	boxes := b.count("svg.flame a")
	if boxes < 3 {
		b.Errorf("the flame graph has %d boxes", boxes)
	}
	b.do(chromedp.SetValue(chromedp.CSS(`.filter input[name="q"]`), `\[\]uint8`))
	b.click(".filter button")
	if b.count("svg.flame .match") == 0 || !strings.Contains(b.location(), "q=") {
		b.Errorf("%s: no box is marked", b.location())
	}
	b.picture("flame", 680)
	b.click("svg.flame a:nth-of-type(2) rect")
	if path := b.location(); !strings.Contains(path, "node=") || !strings.Contains(path, "q=") {
		b.Errorf("a box leads to %s", path)
	}
	if b.count("svg.flame .above") == 0 {
		b.Errorf("%s: no box is above", b.location())
	}
	b.click("svg.flame a:nth-of-type(1) rect")
	if n := b.count("svg.flame a"); n != boxes {
		b.Errorf("there are %d boxes after zooming out, and were %d", n, boxes)
	}
}

// types sorts a list and goes to its next page.
func (b *tab) types() {
	b.click(`nav a[href="/types"]`)
	b.picture("types", 680)
	b.click("thead th:nth-of-type(4) a")
	if path := b.location(); path != "/types?sort=shallow" || b.count(`th[aria-sort="descending"]`) != 1 {
		b.Errorf("sorting leads to %s", path)
	}
	if b.count("a[rel=next]") > 0 {
		b.click("a[rel=next]")
		b.click("a[rel=prev]")
	}
	b.click("tbody tr:first-child td.name a") // the vertices of a type
	b.click("tbody tr:first-child td.name a") // one of them
	if path := b.location(); !strings.HasPrefix(path, "/object?address=0x") {
		b.Errorf("a vertex leads to %s", path)
	}
	for _, by := range []string{"root", "package", "path"} {
		b.open("/types?by=" + by)
	}
}

// search searches types and roots, and opens two pages that report errors.
func (b *tab) search() {
	b.open("/")
	b.do(chromedp.SendKeys(chromedp.CSS("header input"), "session|server"+kb.Enter), chromedp.WaitVisible(chromedp.CSS(".filter input")))
	b.check()
	if b.count("tbody tr") == 0 {
		b.Errorf("%s: nothing is found", b.location())
	}
	b.picture("search", 560)
	b.openError("/search?q="+url.QueryEscape("("), 400)
	b.openError("/nothing", 404)
}

// diff opens a path that has changed.
func (b *tab) diff() {
	b.click(`nav a[href="/diff"]`)
	if b.count("tbody tr") == 0 {
		b.Errorf("no type differs")
	}
	b.picture("diff", 680)
	b.click(`.tabs a[href*="by=path"]`)
	b.click("tbody td.name a")
	if path := b.location(); !strings.HasPrefix(path, "/tree") {
		b.Errorf("a dominator path leads to %s", path)
	}
}

// narrow opens pages in a narrow window, in dark colors.
func (b *tab) narrow() {
	dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, dark); err != nil {
		b.Fatal(err)
	}
	for _, path := range []string{"/", "/flame", "/tree", "/types", "/diff", "/search?q=http"} {
		b.open(path)
		b.picture("narrow"+strings.NewReplacer("/", "-", "?", "-").Replace(path), height)
		if wide := eval[bool](b, `[...document.querySelectorAll(".tree")].some(t => t.scrollWidth > t.parentElement.clientWidth)`); wide {
			b.Errorf("%s: names of the tree do not wrap", path)
		}
	}
	if color := eval[string](b, `getComputedStyle(document.body).backgroundColor`); color != "rgb(20, 24, 26)" {
		b.Errorf("the background is %s", color)
	}
}

// noScript opens a row of the tree without scripts.
func (b *tab) noScript() {
	b.open("/tree")
	href := eval[string](b, `document.querySelector("a.toggle").getAttribute("href")`)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.Navigate(b.url + "/tree"))
	resp, err := chromedp.RunResponse(b.ctx, chromedp.Click(chromedp.CSS("a.toggle")))
	if err != nil {
		b.Fatal(err)
	}
	if resp.URL != b.url+href || resp.Status != 200 {
		b.Errorf("a row leads to %s, status %d", resp.URL, resp.Status)
	}
}
