// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"internal/profile"
	"internal/testenv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A reduceSample is a sample as text: labels, and elements separated by
// slashes, the root's first.
type reduceSample struct {
	labels, path string
	values       [2]int64
}

// makeReduceProfile makes a profile of samples, and parses it, so that it has
// the form in which handlers get profiles.
func makeReduceProfile(t testing.TB, samples []reduceSample) *profile.Profile {
	p := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "live_objects", Unit: "count"}, {Type: "live_space", Unit: "bytes"}},
		DefaultSampleType: "live_space",
		PeriodType:        &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:            1,
		TimeNanos:         7,
		Comments:          []string{"GC cycle 1: 10 bytes live"},
	}
	locations := make(map[string]*profile.Location)
	for _, s := range samples {
		sample := &profile.Sample{Value: s.values[:]}
		if s.labels != "" {
			sample.Label = map[string][]string{"type": {s.labels}, "root": {"global"}}
			sample.NumLabel = map[string][]int64{"age": {int64(len(s.labels))}}
		}
		for e := range strings.SplitSeq(s.path, "/") {
			if locations[e] == nil {
				locations[e] = addName(p, e)
			}
			sample.Location = append(sample.Location, locations[e])
		}
		slices.Reverse(sample.Location)
		p.Sample = append(p.Sample, sample)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return parseProfile(t, &b)
}

func parseProfile(t testing.TB, r io.Reader) *profile.Profile {
	t.Helper()
	p, err := profile.Parse(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// reduceSamples returns the samples of a profile.
func reduceSamples(p *profile.Profile) (samples []reduceSample) {
	for _, s := range p.Sample {
		var elems []string
		for _, l := range slices.Backward(s.Location) {
			elems = append(elems, locationText(l))
		}
		samples = append(samples, reduceSample{strings.Join(s.Label["type"], ","), strings.Join(elems, "/"), [2]int64(s.Value)})
	}
	return samples
}

// sortReduceSamples sorts samples by text.
func sortReduceSamples(samples []reduceSample) []reduceSample {
	slices.SortFunc(samples, func(x, y reduceSample) int {
		return cmp.Or(strings.Compare(x.path, y.path), strings.Compare(x.labels, y.labels))
	})
	return samples
}

func TestReduce(t *testing.T) {
	samples := []reduceSample{
		{"T", "a/b/c", [2]int64{1, 100}},
		{"U", "a/b/c", [2]int64{2, 90}},
		{"T", "a/b/d", [2]int64{3, 8}},
		{"T", "a/e", [2]int64{4, 7}},
		{"T", "a", [2]int64{5, 60}},
		{"T", "f/g", [2]int64{6, 5}},
		{"T", "a/b/c/h", [2]int64{7, -80}},
	}
	tests := []struct {
		name string
		reduction
		want []reduceSample
	}{
		{"nothing", reduction{}, samples},
		{"more than there are", reduction{top: 8}, samples},
		{"as many as there are", reduction{top: 7}, samples},
		{"labels", reduction{noLabels: true}, []reduceSample{
			{"", "a", [2]int64{5, 60}},
			{"", "a/b/c", [2]int64{3, 190}},
			{"", "a/b/c/h", [2]int64{7, -80}},
			{"", "a/b/d", [2]int64{3, 8}},
			{"", "a/e", [2]int64{4, 7}},
			{"", "f/g", [2]int64{6, 5}},
		}},
		{"four", reduction{top: 4}, []reduceSample{
			{"", "(other)", [2]int64{6, 5}},
			{"T", "a", [2]int64{5, 60}},
			{"", "a/(other)", [2]int64{4, 7}},
			{"", "a/b/(other)", [2]int64{3, 8}},
			{"T", "a/b/c", [2]int64{1, 100}},
			{"U", "a/b/c", [2]int64{2, 90}},
			{"T", "a/b/c/h", [2]int64{7, -80}},
		}},
		{"one, and one beginning", reduction{top: 1}, []reduceSample{
			{"", "(other)", [2]int64{6, 5}},
			{"", "a/(other)", [2]int64{2 + 3 + 4 + 5 + 7, 90 + 8 + 7 + 60 - 80}},
			{"T", "a/b/c", [2]int64{1, 100}},
		}},
		{"two without labels", reduction{top: 2, noLabels: true}, []reduceSample{
			{"", "(other)", [2]int64{6, 5}},
			{"", "a/(other)", [2]int64{9, 67}},
			{"", "a/b/(other)", [2]int64{3, 8}},
			{"", "a/b/c", [2]int64{3, 190}},
			{"", "a/b/c/h", [2]int64{7, -80}},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := test.reduce(makeReduceProfile(t, samples))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				t.Fatal(err)
			}
			p = parseProfile(t, &b)
			want := sortReduceSamples(slices.Clone(test.want))
			if got := sortReduceSamples(reduceSamples(p)); !slices.Equal(got, want) {
				t.Errorf("samples\n\t%v\nwant\n\t%v", got, want)
			}
			if p.DefaultSampleType != "live_space" || p.TimeNanos != 7 || p.PeriodType.Type != "space" || p.Comments[0] != "GC cycle 1: 10 bytes live" {
				t.Errorf("header %+v", p)
			}
			for _, s := range p.Sample {
				if test.noLabels && len(s.Label)+len(s.NumLabel) > 0 {
					t.Errorf("labels %v %v", s.Label, s.NumLabel)
				}
			}
		})
	}
}

// TestReduceRandom reduces random profiles, and computes in another way where
// each sample must be.
func TestReduceRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var samples []reduceSample
		seen := make(map[string]bool)
		for range 1 + random.IntN(100) {
			var elems []string
			for range 1 + random.IntN(6) {
				elems = append(elems, string(rune('a'+random.IntN(3))))
			}
			s := reduceSample{string(rune('T' + random.IntN(2))), strings.Join(elems, "/"), [2]int64{random.Int64N(9), random.Int64N(1<<40) - 1<<39}}
			if key := s.labels + s.path; !seen[key] {
				seen[key] = true
				samples = append(samples, s)
			}
		}
		n := 1 + random.IntN(len(samples))
		p, err := reduction{top: n}.reduce(makeReduceProfile(t, samples))
		if err != nil {
			t.Fatal(err)
		}
		checkReduced(t, samples, reduceSamples(p), n)
	}
}

// checkReduced checks the result of top=n.
func checkReduced(t *testing.T, samples, got []reduceSample, n int) {
	t.Helper()
	slices.SortFunc(samples, func(x, y reduceSample) int {
		return cmp.Compare(max(y.values[1], -y.values[1]), max(x.values[1], -x.values[1]))
	})
	want, small := samples[:n:n], samples[n:]
	elsewhere := make(map[string][2]int64) // by path
	for _, s := range small {
		common := ""
		for _, k := range want {
			if c := commonBeginning(s.path, k.path); len(c) > len(common) {
				common = c
			}
		}
		sum := elsewhere[common+"(other)"]
		elsewhere[common+"(other)"] = [2]int64{sum[0] + s.values[0], sum[1] + s.values[1]}
	}
	if len(got) > 2*n+1 {
		t.Fatalf("%d samples for top=%d", len(got), n)
	}
	beginnings := len(elsewhere)
	if _, ok := elsewhere["(other)"]; ok {
		beginnings-- // the empty one does not count
	}
	if beginnings <= n {
		for path, sum := range elsewhere {
			if sum != ([2]int64{}) {
				want = append(want, reduceSample{"", path, sum})
			}
		}
		if got, want := sortReduceSamples(got), sortReduceSamples(want); !slices.Equal(got, want) {
			t.Fatalf("top=%d: samples\n\t%v\nwant\n\t%v", n, got, want)
		}
		return
	}
	var sum, wantSum [2]int64
	for _, s := range got {
		sum = [2]int64{sum[0] + s.values[0], sum[1] + s.values[1]}
		if path, ok := strings.CutSuffix(s.path, "(other)"); ok {
			if _, ok := elsewhere[s.path]; !ok && path != "" && s.labels == "" {
				t.Fatalf("top=%d: nothing belongs to %s", n, s.path)
			}
		} else if !slices.Contains(want, s) {
			t.Fatalf("top=%d: %v is not among the largest", n, s)
		}
	}
	for _, s := range samples {
		wantSum = [2]int64{wantSum[0] + s.values[0], wantSum[1] + s.values[1]}
	}
	if sum != wantSum {
		t.Fatalf("top=%d: sums %d, want %d", n, sum, wantSum)
	}
}

// commonBeginning returns the elements with which both paths begin, with a
// slash after each.
func commonBeginning(x, y string) (common string) {
	ys := strings.Split(y, "/")
	for i, e := range strings.Split(x, "/") {
		if i == len(ys) || ys[i] != e {
			break
		}
		common += e + "/"
	}
	return common
}

// A recordedProfile writes what a profile has written before.
type recordedProfile []byte

func (p recordedProfile) WriteTo(w io.Writer, debug int) error {
	_, err := w.Write(p)
	return err
}

// TestReduceRecording reduces one recording in several ways, and compares the
// sums with those of the whole profile.
func TestReduceRecording(t *testing.T) {
	for _, name := range []handler{"refs", "inuse"} {
		var b bytes.Buffer
		if err := pprof.Lookup(string(name)).WriteTo(&b, 0); err != nil {
			t.Fatal(err)
		}
		whole := parseProfile(t, bytes.NewReader(b.Bytes()))
		sums := profileSums(whole)
		for _, r := range []reduction{{}, {noLabels: true}, {top: 1}, {top: 20}, {20, true}, {1 << 30, true}} {
			var reduced bytes.Buffer
			if err := r.of(reduceRequest, name, recordedProfile(b.Bytes())).WriteTo(&reduced, 0); err != nil {
				t.Fatal(err)
			}
			p := parseProfile(t, &reduced)
			if got := profileSums(p); !slices.Equal(got, sums) {
				t.Errorf("%s %+v: sums %d, want %d", name, r, got, sums)
			}
			if r.top == 20 && len(whole.Sample) > 41 && (len(p.Sample) <= 20 || len(p.Sample) > 41) {
				t.Errorf("%s %+v: %d samples of %d", name, r, len(p.Sample), len(whole.Sample))
			}
			if p.DefaultSampleType != whole.DefaultSampleType || p.TimeNanos != whole.TimeNanos || p.Period != whole.Period {
				t.Errorf("%s %+v: default sample type %q, time %d, period %d", name, r, p.DefaultSampleType, p.TimeNanos, p.Period)
			}
			if err := p.CheckValid(); err != nil {
				t.Errorf("%s %+v: %v", name, r, err)
			}
		}
	}
}

func profileSums(p *profile.Profile) []int64 {
	sums := make([]int64, len(p.SampleType))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
	}
	return sums
}

var liveRE = regexp.MustCompile(`GC cycle \d+: (\d+) bytes live`)

// liveBytes returns the sizes of the live heap in the comments of a profile.
func liveBytes(comments string) (live []int64) {
	for _, m := range liveRE.FindAllStringSubmatch(comments, -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		live = append(live, n)
	}
	return live
}

var leftOutRE = regexp.MustCompile(`left out, [^:]*: ([+-]\d+) bytes \(allocated during GC\)`)

// leftOutBytes returns what the comments of a difference say is not in its
// samples: a goroutine that allocates while a recording marks adds to the live
// heap, and not to the growth.
func leftOutBytes(comments string) (bytes int64) {
	for _, m := range leftOutRE.FindAllStringSubmatch(comments, -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		bytes += n
	}
	return bytes
}

// reduceKept is memory that the profiles of the tests below have.
var reduceKept []byte

// TestReduceHandler gets reduced profiles, and compares their sums with the live
// heap of the recordings.
func TestReduceHandler(t *testing.T) {
	reduceKept = make([]byte, 64<<20)
	defer func() { reduceKept = nil }()
	mux := http.NewServeMux()
	mux.Handle("/memory", Handler("refs"))
	mux.HandleFunc("/debug/pprof/", Index)
	for _, url := range []string{
		"/memory?top=3&labels=none",
		"/debug/pprof/refs?top=3&labels=none",
		"/debug/pprof/refs?top=3",
	} {
		w := get(mux, url)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", url, w.Code, w.Body)
		}
		p := parseProfile(t, w.Body)
		comments := strings.Join(p.Comments, "\n")
		if live := liveBytes(comments); len(live) != 1 || live[0] != profileSums(p)[1] {
			t.Errorf("%s: sums %d, comments %s", url, profileSums(p), comments)
		}
		if len(p.Sample) > 7 || len(p.Sample) < 4 || !strings.Contains(comments, "top=3: 3 of ") {
			t.Errorf("%s: %d samples, comments %s", url, len(p.Sample), comments)
		}
		// Another test may have left a larger object.
		i := slices.IndexFunc(p.Sample, func(s *profile.Sample) bool { return s.Value[1] == 64<<20 })
		if i < 0 {
			t.Errorf("%s: no sample has 64 MiB: %v", url, p)
		} else if labels := p.Sample[i].Label; strings.Contains(url, "labels") != (labels == nil) {
			t.Errorf("%s: labels %v", url, labels)
		}
	}
	w := get(mux, "/debug/pprof/inuse?top=3&labels=none")
	if p := parseProfile(t, w.Body); len(p.Sample) > 7 || p.Sample[0].Label != nil || p.DefaultSampleType != "inuse_space" {
		t.Errorf("inuse: %v", p)
	}
}

// TestReduceText gets reduced profiles as text.
func TestReduceText(t *testing.T) {
	reduceKept = make([]byte, 64<<20)
	defer func() { reduceKept = nil }()
	for _, test := range []struct{ url, title, line string }{
		{"refs?top=2&debug=1", "refs", `  net/http/pprof\.reduceKept`},
		{"refs?top=2&labels=none&debug=1", "refs", `net/http/pprof\.reduceKept`},
		{"refs?top=2&labels=none&debug=1", "refs", `\(other\)`},
		{"inuse?top=2&debug=1", "inuse", ` *net/http/pprof\.TestReduceText`},
	} {
		w := get(http.HandlerFunc(Index), "/debug/pprof/"+test.url)
		if text := w.Body.String(); !strings.HasPrefix(text, test.title+" profile: ") || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") ||
			!regexp.MustCompile(`(?m)^ *\d+ +\d+\.\d% +\d+ +\d+ +\d+ +\d+ +\d+  `+test.line+`$`).MatchString(text) {
			t.Errorf("%s: no line %s in\n%s", test.url, test.line, text)
		}
	}
}

// TestReduceDelta gets the difference of two profiles, as a profile and as
// text. The difference is reduced as a whole, so memory that did not change is
// in no sample. With what is left out, it is that of the live heaps.
func TestReduceDelta(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	grown := regexp.MustCompile(`(?m)^ +\+33554432 +\+33554432 +\+1 +\+1  net/http/pprof.reduceKept$`)
	for seconds := 1; ; seconds *= 4 {
		p := parseProfile(t, strings.NewReader(reduceDelta(t, seconds, "")))
		text := reduceDelta(t, seconds, "&debug=1")
		if seconds < 60 && (p.Sample[0].Value[1] != 32<<20 || !grown.MatchString(text)) {
			continue // the memory was not allocated between the two profiles
		}
		comments := strings.Join(p.Comments, "\n")
		if sum, live := profileSums(p)[1]+leftOutBytes(comments), liveBytes(comments); len(live) != 2 || live[1]-live[0] != sum {
			t.Errorf("sum %d with what is left out, live heaps %d, comments %s", sum, live, comments)
		}
		if len(p.Sample) > 3 || p.Sample[0].Value[1] != 32<<20 || p.DurationNanos < int64(seconds)*1e9 {
			t.Errorf("difference %v", p)
		}
		if !grown.MatchString(text) {
			t.Errorf("no growth in\n%s", text)
		}
		return
	}
}

// reduceNew is memory that is also allocated while a recording marks.
var reduceNew []byte

// reduceDelta gets a difference in which reduceKept grows, and in which what is
// allocated during the recordings is left out.
func reduceDelta(t *testing.T, seconds int, parameter string) string {
	reduceKept = nil
	defer func() { reduceKept = nil }()
	done := make(chan bool)
	go func(collection uint32) {
		defer close(done)
		for collections() == collection {
			time.Sleep(time.Millisecond)
		}
		reduceKept = make([]byte, 32<<20)
	}(collections())
	stop := make(chan bool)
	go func() {
		for {
			select {
			case stop <- true:
				return
			default:
				reduceNew = make([]byte, 64)
				time.Sleep(100 * time.Microsecond)
			}
		}
	}()
	w := get(http.HandlerFunc(Index), fmt.Sprintf("/debug/pprof/refs?seconds=%d&top=1&labels=none%s", seconds, parameter))
	<-done
	<-stop
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// TestReductionErrors checks that wrong parameters are refused before anything
// is recorded.
func TestReductionErrors(t *testing.T) {
	for _, url := range []string{
		"refs?top=0", "refs?top=-1", "refs?top=", "refs?top=x", "refs?top=1.5", "refs?top=99999999999999999999",
		"refs?labels=", "refs?labels=all", "refs?top=5&labels=1", "refs?top=0&seconds=1", "refs?labels=x&debug=1",
		"inuse?top=0", "inuse?labels=0",
	} {
		before := collections()
		w := get(http.HandlerFunc(Index), "/debug/pprof/"+url)
		if w.Code != http.StatusBadRequest || !regexp.MustCompile(`invalid value for "(top|labels)" - must be `).MatchString(w.Body.String()) {
			t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
		}
		if w.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s: Content-Disposition %q", url, w.Header().Get("Content-Disposition"))
		}
		if n := collections() - before; n > 1 { // the runtime may run one
			t.Errorf("%s: %d collections", url, n)
		}
	}
	for _, url := range []string{"refs?top=3;labels=none", "refs?top=%zz", "inuse?labels=%"} {
		if w := get(http.HandlerFunc(Index), "/debug/pprof/"+url); w.Code != http.StatusBadRequest {
			t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
		}
	}
	for _, url := range []string{"heap?top=x", "goroutine?labels=1&debug=1"} {
		if w := get(http.HandlerFunc(Index), "/debug/pprof/"+url); w.Code != http.StatusOK {
			t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
		}
	}
	failing := reduction{top: 1}.of(reduceRequest, "refs", failingProfile{})
	if err := failing.WriteTo(io.Discard, 0); err == nil || err.Error() != "not recorded" {
		t.Errorf("error %v", err)
	}
	if err := (reduction{top: 1}).of(reduceRequest, "refs", recordedProfile("no profile")).WriteTo(io.Discard, 0); err == nil {
		t.Error("no error for bytes that are no profile")
	}
}

// reduceRequest is a request whose client waits.
var reduceRequest = httptest.NewRequest("GET", "/debug/pprof/refs?top=1", nil)

// TestReduceInTurn checks that a request waits while another one parses a
// profile, and that nothing is parsed for a client that has gone.
func TestReduceInTurn(t *testing.T) {
	bad := recordedProfile("no profile") // parsing it fails
	ctx, gone := context.WithCancel(context.Background())
	request := reduceRequest.WithContext(ctx)
	turn <- struct{}{}
	waits := make(chan error)
	for range 10 {
		go func() { waits <- reduction{top: 1}.of(request, "refs", bad).WriteTo(io.Discard, 0) }()
	}
	gone()
	for range 10 {
		if err := <-waits; err != context.Canceled {
			t.Errorf("error %v of a request that waits, want %v", err, context.Canceled)
		}
	}
	<-turn
	if err := (reduction{top: 1}).of(request, "refs", bad).WriteTo(io.Discard, 0); err != context.Canceled {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if len(turn) != 0 {
		t.Error("the next request would wait for ever")
	}
}

// TestReduceOwn checks that a profile of the program's own with the name refs
// is served as it is. The test makes that profile in a process of its own.
func TestReduceOwn(t *testing.T) {
	const variable = "TEST_REDUCE_OWN"
	if os.Getenv(variable) == "" {
		cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestReduceOwn$")
		cmd.Env = append(os.Environ(), variable+"=1", "GODEBUG=pprofrecording=interval=1h")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	own := pprof.NewProfile("refs")
	for n, url := range []string{"refs?top=1&debug=1", "refs?debug=1", "refs?top=1&labels=none", "refs?retained=x&debug=1"} {
		own.Add(new(int), 0)
		w := get(http.HandlerFunc(Index), "/debug/pprof/"+url)
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d: %s", url, w.Code, w.Body)
		} else if text := w.Body.String(); strings.Contains(url, "debug") && !strings.HasPrefix(text, fmt.Sprintf("refs profile: total %d\n", n+1)) {
			t.Errorf("%s: %s", url, text)
		}
	}
}

type failingProfile struct{}

func (failingProfile) WriteTo(io.Writer, int) error { return errors.New("not recorded") }

// BenchmarkReduce reduces a profile of 100,000 samples.
func BenchmarkReduce(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	var samples []reduceSample
	for i := range 100_000 {
		path := "app.server"
		for range 9 {
			path += fmt.Sprint("/app.type", random.IntN(100), ".field", random.IntN(10))
		}
		samples = append(samples, reduceSample{"T", path, [2]int64{1, int64(i)}})
	}
	var body bytes.Buffer
	if err := makeReduceProfile(b, samples).Write(&body); err != nil {
		b.Fatal(err)
	}
	samples = nil
	b.ReportAllocs()
	for b.Loop() {
		if err := (reduction{200, true}).of(reduceRequest, "refs", recordedProfile(body.Bytes())).WriteTo(io.Discard, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(body.Len()), "B-whole")
}
