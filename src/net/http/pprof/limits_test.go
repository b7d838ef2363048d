// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// setLimits sets GODEBUG=pprofrecording for a test, and forgets the recordings
// that other tests have made.
func setLimits(t *testing.T, value string) {
	t.Setenv("GODEBUG", "pprofrecording="+value)
	forgetRecordings()
	t.Cleanup(forgetRecordings)
}

func forgetRecordings() {
	for _, s := range sharedProfiles {
		s.body = nil
	}
	lastRecordings.times = nil
}

func TestParseLimits(t *testing.T) {
	for value, want := range map[string]recordingLimits{
		"":                     {0, 90},
		"interval=5m":          {5 * time.Minute, 90},
		"share=80%":            {0, 80},
		"share=0:interval=10s": {10 * time.Second, 0},
		"interval=0:share=100": {0, 100},
	} {
		if l, err := parseLimits(value); l != want || err != nil {
			t.Errorf("%q: %+v, %v, want %+v", value, l, err, want)
		}
	}
	for _, value := range []string{"interval", "interval=5", "interval=-1s", "share=x", "share=101", "share=-1", "shre=80", ":", "interval=5m:", "1"} {
		if l, err := parseLimits(value); err == nil || !strings.HasPrefix(err.Error(), "GODEBUG=pprofrecording="+value+": ") {
			t.Errorf("%q: %+v, %v", value, l, err)
		}
	}
}

// TestLimitsMalformed checks that nothing is recorded if the setting cannot be
// read, and that other profiles are served.
func TestLimitsMalformed(t *testing.T) {
	setLimits(t, "intervall=5m")
	for url, want := range map[string]int{
		"refs":            http.StatusInternalServerError,
		"inuse?seconds=1": http.StatusInternalServerError,
		"heapgraph":       http.StatusInternalServerError,
		"heap":            http.StatusOK,
		"goroutine":       http.StatusOK,
	} {
		w := get(http.HandlerFunc(Index), "/debug/pprof/"+url)
		if w.Code != want || want != http.StatusOK && !strings.Contains(w.Body.String(), `unknown option "intervall"`) {
			t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
		}
	}
}

// TestInterval makes many requests at the same time, which share one recording.
func TestInterval(t *testing.T) {
	setLimits(t, "interval=1h:share=0")
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := collections()
	var wg sync.WaitGroup
	times := make([]int64, 20)
	for i := range times {
		wg.Go(func() {
			url := "/debug/pprof/refs?" + []string{"", "top=5", "labels=none"}[i%3]
			w := get(http.HandlerFunc(Index), url)
			if w.Code != http.StatusOK {
				t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
				return
			}
			times[i] = parseProfile(t, w.Body).TimeNanos
		})
	}
	wg.Wait()
	for i := range times {
		if times[i] != times[0] || times[i] == 0 {
			t.Errorf("times of profiles %d", times)
			break
		}
	}
	text := get(http.HandlerFunc(Index), "/debug/pprof/refs?debug=1").Body.String()
	if want := "\n# recorded at " + time.Unix(0, times[0]).UTC().Format(time.RFC3339Nano) + "\n"; !strings.Contains(text, want) || !strings.HasPrefix(text, "refs profile: ") {
		t.Errorf("no %q in %s", want, text)
	}
	if n := collections() - before; n != 1 {
		t.Errorf("%d collections, want 1", n)
	}
	get(http.HandlerFunc(Index), "/debug/pprof/inuse")
	get(http.HandlerFunc(Index), "/debug/pprof/inuse?debug=1&top=7")
	if n := collections() - before; n != 2 {
		t.Errorf("%d collections with those for inuse, want 2", n)
	}
	if err := pprof.Lookup("refs").WriteTo(io.Discard, 0); err != nil || collections()-before != 3 {
		t.Errorf("WriteTo: %v, %d collections, want 3", err, collections()-before)
	}
	sharedProfiles["refs"].begun = time.Now().Add(-time.Hour)
	w := get(http.HandlerFunc(Index), "/debug/pprof/refs")
	if p := parseProfile(t, w.Body); p.TimeNanos <= times[0] || collections()-before != 4 {
		t.Errorf("time %d after %d, and %d collections, want 4", p.TimeNanos, times[0], collections()-before)
	}
}

// TestIntervalDelta gets differences while recordings are shared.
func TestIntervalDelta(t *testing.T) {
	setLimits(t, "interval=2500ms")
	for attempt := 1; ; attempt++ {
		forgetRecordings()
		first := parseProfile(t, get(Handler("refs"), "/debug/pprof/refs").Body).TimeNanos
		due := sharedProfiles["refs"].begun.Add(2500 * time.Millisecond).UnixNano()
		w := get(Handler("refs"), "/debug/pprof/refs?seconds=2")
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "less than the interval between recordings, 2.5s") {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		w = get(Handler("refs"), "/debug/pprof/refs?seconds=3")
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		p := parseProfile(t, w.Body)
		if began := p.TimeNanos - p.DurationNanos; began != first && began >= due && attempt < 5 {
			continue // the difference began so late that it needed a new recording
		}
		if p.DurationNanos != p.TimeNanos-first || p.DurationNanos < 25e8 || len(liveBytes(strings.Join(p.Comments, "\n"))) != 2 {
			t.Errorf("duration %d, want %d; comments %s", p.DurationNanos, p.TimeNanos-first, p.Comments)
		}
		return
	}
}

// TestIntervalOthers makes requests for recordings that are not shared.
func TestIntervalOthers(t *testing.T) {
	setLimits(t, "interval=1h")
	for _, url := range []string{"heapgraph"} {
		w := get(http.HandlerFunc(Index), "/debug/pprof/"+url)
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
		}
		w = get(http.HandlerFunc(Index), "/debug/pprof/"+url)
		retry, err := strconv.Atoi(w.Header().Get("Retry-After"))
		if w.Code != http.StatusTooManyRequests || err != nil || retry < 1 || retry > 3600 {
			t.Errorf("%s: again: status %d, Retry-After %q: %s", url, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
		if d := w.Header().Get("Content-Disposition"); d != "" {
			t.Errorf("%s: Content-Disposition %q of an error", url, d)
		}
	}
}

// TestIntervalWithdrawn checks that requests that record nothing do not use up
// the interval.
func TestIntervalWithdrawn(t *testing.T) {
	setLimits(t, "interval=1h")
	w := blockedWriter{make(chan bool, 1), make(chan bool)}
	done := make(chan error)
	go func() {
		_, err := new(pprof.HeapGraph).Write(w)
		done <- err
	}()
	<-w.began
	heapGraph := func(want int) {
		if w := get(http.HandlerFunc(Index), "/debug/pprof/heapgraph"); w.Code != want {
			t.Errorf("status %d, want %d: %.200s", w.Code, want, w.Body)
		}
	}
	heapGraph(http.StatusServiceUnavailable)
	heapGraph(http.StatusServiceUnavailable)
	close(w.release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	heapGraph(http.StatusOK)
	heapGraph(http.StatusTooManyRequests)
}

// A blockedWriter writes nothing before it is released.
type blockedWriter struct{ began, release chan bool }

func (w blockedWriter) Write(p []byte) (int, error) {
	select {
	case w.began <- true:
	default:
	}
	<-w.release
	return len(p), nil
}

// shareKept fills the memory limit in TestShareOfGarbage.
var shareKept []byte

// TestShareOfGarbage frees the memory that fills the limit. No collection runs
// until a request needs the memory.
func TestShareOfGarbage(t *testing.T) {
	setLimits(t, "")
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func() { shareKept = nil }()
	shareKept = make([]byte, 64<<20)
	runtime.GC()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	inUse, _, _, _ := memoryInUse(90)
	debug.SetMemoryLimit(inUse * 20 / 19)
	for _, test := range []struct {
		name      string
		collected time.Time
		want      int
	}{
		{"alive", time.Time{}, http.StatusServiceUnavailable},
		{"free, just collected", time.Now(), http.StatusServiceUnavailable},
		{"free", time.Now().Add(-time.Minute), http.StatusOK},
	} {
		if test.name != "alive" {
			shareKept = nil
		}
		collected.time = test.collected
		if w := get(http.HandlerFunc(Index), "/debug/pprof/refs?top=1"); w.Code != test.want {
			t.Errorf("%s: status %d, want %d: %.200s", test.name, w.Code, test.want, w.Body)
		}
	}
}

// TestShare makes requests in a process that uses more than its memory limit.
func TestShare(t *testing.T) {
	setLimits(t, "interval=1h:share=0")
	if w := get(http.HandlerFunc(Index), "/debug/pprof/inuse"); w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	kept := sharedProfiles["inuse"].body
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
	for _, test := range []struct {
		setting, url string
		want         int
	}{
		{"", "refs", http.StatusServiceUnavailable},
		{"", "refs?debug=1", http.StatusServiceUnavailable},
		{"", "refs?top=5", http.StatusServiceUnavailable},
		{"", "refs?seconds=1", http.StatusServiceUnavailable},
		{"", "inuse", http.StatusServiceUnavailable},
		{"", "heapgraph", http.StatusServiceUnavailable},
		{"interval=1h", "refs", http.StatusServiceUnavailable},
		{"interval=1h", "inuse", http.StatusOK}, // one that has been made before
		{"interval=1h", "inuse?top=5", http.StatusServiceUnavailable},
		{"interval=1h", "inuse?debug=1", http.StatusServiceUnavailable},
		{"share=0", "refs", http.StatusOK},
		{"", "refs?force=1", http.StatusOK},
		{"", "heapgraph?force=1", http.StatusOK},
		{"", "refs?force=0", http.StatusBadRequest},
		{"", "heap", http.StatusOK},
	} {
		setLimits(t, test.setting)
		sharedProfiles["inuse"].body = kept
		w := get(http.HandlerFunc(Index), "/debug/pprof/"+test.url)
		if w.Code != test.want || w.Code == http.StatusServiceUnavailable && !strings.Contains(w.Body.String(), "of the memory limit (GOMEMLIMIT)") {
			t.Errorf("pprofrecording=%s, %s: status %d, want %d: %.200s", test.setting, test.url, w.Code, test.want, w.Body)
		}
	}
	if err := pprof.Lookup("refs").WriteTo(io.Discard, 0); err != nil {
		t.Errorf("WriteTo: %v", err)
	}
}
