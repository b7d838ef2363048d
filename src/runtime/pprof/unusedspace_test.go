// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check unused_space on the heap of the test itself. The test
// computes the hull of the references to each object, and compares the sums.

package pprof

import (
	"internal/asan"
	"internal/profile"
	"internal/race"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

type unusedPod struct {
	name *int
	tail [1000 - unsafe.Sizeof(uintptr(0))]byte
}

// unusedHeld holds the references of these tests. Fields that end in Again refer
// to the objects of another field.
var unusedHeld unusedHolder

type unusedHolder struct {
	cut, cutAgain       []string
	bytes, bytesAgain   [][]byte
	queues, queuesAgain [][]*int
	structs             [][]unusedPod
	elems, elemsAgain   []*unusedPod
	wholes              []*unusedPod
	small               []string
	data                []*[5000]byte
	values              []any
	mixed               []string
	mixedAgain          [][]byte

	byteOf           [][]byte
	byteOfAgain      []*byte
	intOfAgain       []*int
	intOf            [][]int
	fieldOf          [][]unusedPod
	fieldOfAgain     []**int
	tailOf           []*[1000 - unsafe.Sizeof(uintptr(0))]byte
	stringOf         []*string
	stringOfAgain    [][]string
	arrayOf          []*[5]int
	alone            []*int
	wholeAgain       []*unusedPod
	whole            []**int
	untyped          [][]byte
	untypedAgain     []unsafe.Pointer
	untypedWord      []unsafe.Pointer
	mistaken         [][]byte
	mistakenAgain    []**int
	boxed            []any
	boxedAgain       [][]int
	textOfPods       []string
	textOfPodsAgain  [][]unusedPod
	bytesOfPods      [][]byte
	bytesOfPodsAgain [][]unusedPod
}

// unusedInto adds objects to which pointers of other types refer: to elements,
// to fields, and of unknown types. Each returns the size of its object, and the
// bytes that are used.
var unusedInto = []struct {
	field string
	add   func(h *unusedHolder, r *rand.Rand) (size, used int64)
}{
	{"byteOf", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]byte, 600+r.IntN(50000))
		from, to, at := unusedParts(r, len(a))
		h.byteOf, h.byteOfAgain = append(h.byteOf, a[from:to]), append(h.byteOfAgain, &a[at])
		return unusedSize(int64(len(a)), false), unusedHull(from, to, at, at+1)
	}},
	{"intOf", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]int, 200+r.IntN(5000))
		from, to, at := unusedParts(r, len(a))
		h.intOf, h.intOfAgain = append(h.intOf, a[from:to]), append(h.intOfAgain, &a[at])
		return unusedSize(int64(len(a))*scanWord, false), unusedHull(from, to, at, at+1) * scanWord
	}},
	{"fieldOf", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]unusedPod, 2+r.IntN(50))
		from, to, at := unusedParts(r, len(a))
		h.fieldOf, h.fieldOfAgain = append(h.fieldOf, a[from:to]), append(h.fieldOfAgain, &a[at].name)
		return unusedSize(int64(len(a))*1000, true), unusedHull(from*1000, to*1000, at*1000, at*1000+int(scanWord))
	}},
	{"tailOf", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]unusedPod, 2+r.IntN(50))
		h.tailOf = append(h.tailOf, &a[r.IntN(len(a))].tail)
		return unusedSize(int64(len(a))*1000, true), 1000 - scanWord
	}},
	{"stringOf", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]string, 100+r.IntN(5000))
		from, to, at := unusedParts(r, len(a))
		h.stringOf, h.stringOfAgain = append(h.stringOf, &a[at]), append(h.stringOfAgain, a[from:to])
		return unusedSize(int64(len(a))*2*scanWord, true), unusedHull(from, to, at, at+1) * 2 * scanWord
	}},
	{"arrayOf", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]int, 200+r.IntN(5000))
		h.arrayOf = append(h.arrayOf, (*[5]int)(a[r.IntN(len(a)-5):]))
		return unusedSize(int64(len(a))*scanWord, false), 5 * scanWord
	}},
	{"alone", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]int, 200+r.IntN(5000))
		h.alone = append(h.alone, &a[r.IntN(len(a))])
		return unusedSize(int64(len(a))*scanWord, false), scanWord
	}},
	{"whole", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		pod := new(unusedPod)
		h.wholeAgain, h.whole = append(h.wholeAgain, pod), append(h.whole, &pod.name)
		return unusedSize(1000, true), 1000
	}},
	{"untyped", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]byte, 600+r.IntN(50000))
		from, to, at := unusedParts(r, len(a))
		h.untyped, h.untypedAgain = append(h.untyped, a[from:to]), append(h.untypedAgain, unsafe.Pointer(&a[at]))
		size = unusedSize(int64(len(a)), false)
		return size, size
	}},
	{"untypedWord", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]byte, 600+r.IntN(50000))
		h.untypedWord = append(h.untypedWord, unsafe.Pointer(&a[r.IntN(len(a))]))
		size = unusedSize(int64(len(a)), false)
		return size, size
	}},
	{"mistaken", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]byte, 600+r.IntN(50000))
		from, to, at := unusedParts(r, len(a))
		h.mistaken, h.mistakenAgain = append(h.mistaken, a[from:to]), append(h.mistakenAgain, (**int)(unsafe.Pointer(&a[at&^15])))
		size = unusedSize(int64(len(a)), false)
		return size, size
	}},
	{"boxed", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]int, 200+r.IntN(5000))
		from, to, at := unusedParts(r, len(a))
		h.boxed, h.boxedAgain = append(h.boxed, &a[at]), append(h.boxedAgain, a[from:to])
		return unusedSize(int64(len(a))*scanWord, false), unusedHull(from, to, at, at+1) * scanWord
	}},
	{"textOfPods", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]unusedPod, 2+r.IntN(50))
		from, to, at := unusedParts(r, len(a))
		h.textOfPods, h.textOfPodsAgain = append(h.textOfPods, unsafe.String(&a[at].tail[100], 50)), append(h.textOfPodsAgain, a[from:to])
		text := at*1000 + int(scanWord) + 100
		return unusedSize(int64(len(a))*1000, true), unusedHull(from*1000, to*1000, text, text+50)
	}},
	{"bytesOfPods", func(h *unusedHolder, r *rand.Rand) (size, used int64) {
		a := make([]unusedPod, 2+r.IntN(50))
		from, to, at := unusedParts(r, len(a))
		h.bytesOfPods, h.bytesOfPodsAgain = append(h.bytesOfPods, a[at].tail[10:30]), append(h.bytesOfPodsAgain, a[from:to])
		bytes := at*1000 + int(scanWord) + 10
		return unusedSize(int64(len(a))*1000, true), unusedHull(from*1000, to*1000, bytes, bytes+20)
	}},
}

// unusedParts returns a part of an array of n elements, and the index of one.
func unusedParts(r *rand.Rand, n int) (from, to, at int) {
	from = r.IntN(n)
	return from, from + r.IntN(n-from) + 1, r.IntN(n)
}

// unusedHull returns the length of the hull of two parts.
func unusedHull(from, to, from2, to2 int) int64 { return int64(max(to, to2) - min(from, from2)) }

// An unusedSum adds up objects.
type unusedSum struct{ bytes, unused int64 }

// add adds an object of size bytes, of which n are used.
func (s *unusedSum) add(size, n int64) {
	s.bytes += size
	s.unused += size - n
}

// unusedSize returns the bytes that an object of n bytes takes. If it has
// pointers and more than 512 bytes, it has a header.
func unusedSize(n int64, pointers bool) int64 {
	if pointers && n > scanHeaderless && n <= 32<<10-8 {
		n += scanHeader
	}
	return int64(cap(append([]byte(nil), make([]byte, n)...)))
}

// parts returns a few parts of an array of n elements, and their hull.
func parts(r *rand.Rand, n int) (list [][2]int, hull int) {
	lo, hi := n, 0
	for range 1 + r.IntN(4) {
		from := r.IntN(n)
		to := from + r.IntN(n-from) + 1
		list = append(list, [2]int{from, to})
		lo, hi = min(lo, from), max(hi, to)
	}
	return list, hi - lo
}

// unusedHold makes the objects, and returns their sums by field.
//
//go:noinline
func unusedHold(r *rand.Rand) map[string]unusedSum {
	h := &unusedHeld
	sums := make(map[string]*unusedSum)
	for _, field := range []string{"cut", "bytes", "queues", "structs", "elems", "wholes", "small", "data", "values", "mixed"} {
		sums[field] = new(unusedSum)
	}
	for _, o := range unusedInto {
		sums[o.field] = new(unusedSum)
	}
	either := func(i int) bool { return i == 0 || r.IntN(2) == 0 }
	for range 200 {
		n := 600 + r.IntN(1<<(10+r.IntN(8)))
		text, list, hull := string(make([]byte, n)), [][2]int(nil), 0
		list, hull = parts(r, n)
		for i, p := range list {
			if either(i) {
				h.cut = append(h.cut, text[p[0]:p[1]])
			} else {
				h.cutAgain = append(h.cutAgain, text[p[0]:p[1]])
			}
		}
		sums["cut"].add(unusedSize(int64(n), false), int64(hull))

		array := make([]byte, n)
		list, hull = parts(r, n)
		for i, p := range list {
			if either(i) {
				h.bytes = append(h.bytes, array[p[0]:p[1]:p[1]])
			} else {
				h.bytesAgain = append(h.bytesAgain, array[p[0]:p[1]])
			}
		}
		sums["bytes"].add(unusedSize(int64(n), false), int64(hull))

		n = 200 + r.IntN(5000)
		queue := make([]*int, n)
		list, hull = parts(r, n)
		for i, p := range list {
			if either(i) {
				h.queues = append(h.queues, queue[p[0]:p[1]])
			} else {
				h.queuesAgain = append(h.queuesAgain, queue[p[0]:p[1]])
			}
		}
		sums["queues"].add(unusedSize(int64(n)*scanWord, true), int64(hull)*scanWord)

		n = 1 + r.IntN(100)
		h.structs = append(h.structs, make([]unusedPod, n)[:n/2+1:n])
		sums["structs"].add(unusedSize(int64(n)*1000, true), int64(n/2+1)*1000)

		n = 2 + r.IntN(100)
		pods := make([]unusedPod, n)
		a, b := r.IntN(n), r.IntN(n)
		h.elems = append(h.elems, &pods[a])
		h.elemsAgain = append(h.elemsAgain, &pods[b])
		sums["elems"].add(unusedSize(int64(n)*1000, true), int64(max(a, b)-min(a, b)+1)*1000)

		h.wholes = append(h.wholes, new(unusedPod))
		sums["wholes"].add(unusedSize(1000, true), 1000)

		small := string(make([]byte, 300+r.IntN(200)))
		from := 1 + r.IntN(100)
		h.small = append(h.small, small[from:from+50])
		sums["small"].add(unusedSize(int64(len(small)), false), 50)

		h.data = append(h.data, new([5000]byte))
		sums["data"].add(unusedSize(5000, false), 5000)

		h.values = append(h.values, [600]byte{byte(n)})
		sums["values"].add(unusedSize(600, false), 600)

		n = 1000 + r.IntN(10000)
		array = make([]byte, n)
		at := r.IntN(n - 600)
		h.mixed = append(h.mixed, unsafe.String(&array[at], 600))
		h.mixedAgain = append(h.mixedAgain, array[at+5:at+100])
		sums["mixed"].add(unusedSize(int64(n), false), 600)

		for _, o := range unusedInto {
			sums[o.field].add(o.add(h, r))
		}
	}
	for _, list := range []*[]string{&h.cut, &h.cutAgain, &h.mixed} {
		r.Shuffle(len(*list), func(i, j int) { (*list)[i], (*list)[j] = (*list)[j], (*list)[i] })
	}
	r.Shuffle(len(h.bytes), func(i, j int) { h.bytes[i], h.bytes[j] = h.bytes[j], h.bytes[i] })
	r.Shuffle(len(h.queues), func(i, j int) { h.queues[i], h.queues[j] = h.queues[j], h.queues[i] })
	values := make(map[string]unusedSum)
	for field, s := range sums {
		values[field] = *s
	}
	return values
}

// unusedByField returns the sums of a profile for elements of the fields of
// unusedHeld.
func unusedByField(p *profile.Profile, refs bool) map[string]unusedSum {
	sums := make(map[string]unusedSum)
	for _, s := range p.Sample {
		path := ""
		if refs {
			for _, l := range slices.Backward(s.Location) {
				path += l.Line[0].Function.Name + " > "
			}
		} else {
			path = s.Label["retained_by"][0] + " > "
		}
		_, field, ok := strings.Cut(path, "pprof.unusedHolder.")
		if !ok || strings.Count(field, " > ") != 2 {
			continue
		}
		field, _, _ = strings.Cut(field, " ")
		field = strings.TrimSuffix(field, "Again")
		sum := sums[field]
		sum.bytes += s.Value[1]
		sum.unused += s.Value[3]
		sums[field] = sum
	}
	return sums
}

// TestUnusedSpace compares both profiles with the hulls that the test has
// computed. Which reference claims an object must not matter.
func TestUnusedSpace(t *testing.T) {
	if race.Enabled || asan.Enabled {
		t.Skip("objects have other sizes")
	}
	if !ownProcess(t) {
		return
	}
	setMemProfileRate(t, 1)
	defer func() { unusedHeld = unusedHolder{} }()
	r := rand.New(rand.NewPCG(1, 2))
	want := unusedHold(r)
	profiles := 3
	if testing.Short() {
		profiles = 1
	}
	for range profiles {
		got := unusedByField(takeProfile(t, "refs"), true)
		for field, want := range want {
			if got[field] != want {
				t.Errorf("refs: %s: %d bytes and unused, want %d", field, got[field], want)
			}
		}
	}
	got := unusedByField(takeProfile(t, "inuse"), false)
	for field, want := range want {
		if field != "small" && got[field].unused != want.unused {
			t.Errorf("inuse: %s: %d bytes unused, want %d", field, got[field].unused, want.unused)
		}
	}
}

// An unusedPart is passed in registers, and its fields are spilled one by one.
type unusedPart struct {
	list []byte
	n    int
}

//go:noinline
func (p unusedPart) record(t *testing.T) (all *profile.Profile) {
	all = takeProfile(t, "refs")
	for _, b := range p.list {
		p.n += int(b)
	}
	unusedRead += p.n
	return all
}

//go:noinline
func unusedText() string { return string(make([]byte, 1<<20)) }

var unusedRead int

// TestUnusedSpaceFrame checks that objects of which a frame has only a pointer
// to the first byte are used as a whole.
func TestUnusedSpaceFrame(t *testing.T) {
	var all *profile.Profile
	for i, c := range unusedText() {
		if i == 0 {
			all = unusedPart{make([]byte, 1<<20), 0}.record(t)
		}
		unusedRead += int(c)
	}
	found := 0
	for _, s := range all.Sample {
		if s.Value[1] != 1<<20 || !slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
			return l.Line[0].Function.Name == "runtime/pprof.TestUnusedSpaceFrame"
		}) {
			continue
		}
		found++
		if s.Value[3] != 0 {
			t.Errorf("%d bytes are unused at %s", s.Value[3], s.Location[0].Line[0].Function.Name)
		}
	}
	if found != 2 {
		t.Errorf("%d objects of 1 MiB are held by the frames, want 2", found)
	}
}

// unusedCut is a part of a text whose address is also in registers.
var unusedCut string

// TestUnusedSpaceRegisters checks that registers do not count where something
// else refers to the object. A goroutine that does nothing but copy addresses
// has them in registers at each preemption. On amd64, these are vector registers.
func TestUnusedSpaceRegisters(t *testing.T) {
	if runtime.GOARCH == "wasm" || strings.Contains(os.Getenv("GODEBUG"), "gccheckmark=1") {
		t.Skip("a loop is not preempted")
	}
	defer func() { unusedCut = "" }()
	unusedCut = unusedText()[:10]
	address := uintptr(unsafe.Pointer(unsafe.StringData(unusedCut)))
	from, to := &[2]uintptr{address, address}, new([2]uintptr)
	var done atomic.Bool
	var g sync.WaitGroup
	g.Go(func() { unusedCopy(to, from, &done) })
	for range 3 {
		found := 0
		for _, s := range takeProfile(t, "refs").Sample {
			if s.Location[0].Line[0].Function.Name != "runtime/pprof.unusedCut" {
				continue
			}
			if found++; s.Value[3] != 1<<20-10 {
				t.Errorf("%d bytes are unused, want %d", s.Value[3], 1<<20-10)
			}
		}
		if found != 1 {
			t.Errorf("%d samples, want 1", found)
		}
	}
	done.Store(true)
	g.Wait()
}

//go:noinline
func unusedCopy(to, from *[2]uintptr, done *atomic.Bool) {
	for !done.Load() {
		*to = *from
	}
}

// TestUnusedSpaceLoad takes profiles while goroutines cut and grow slices. No
// path may have more unused bytes than bytes, or less than none.
func TestUnusedSpaceLoad(t *testing.T) {
	stop := make(chan struct{})
	var g sync.WaitGroup
	for i := range 4 {
		g.Go(func() { unusedChurn(rand.New(rand.NewPCG(uint64(i), 3)), stop) })
	}
	for range 5 {
		for _, s := range takeProfile(t, "refs").Sample {
			if bytes, unused := s.Value[1], s.Value[3]; unused < 0 || unused > bytes {
				t.Errorf("%d of %d bytes are unused at %s", unused, bytes, s.Location[0].Line[0].Function.Name)
			}
		}
	}
	close(stop)
	g.Wait()
}

// unusedChurn cuts and grows slices until stop is closed.
func unusedChurn(r *rand.Rand, stop chan struct{}) {
	texts, queue := make([]string, 1000), []*int(nil)
	buffers := make(map[int][]byte)
	for {
		select {
		case <-stop:
			return
		default:
		}
		text := string(make([]byte, 1+r.IntN(10000)))
		for range 3 {
			texts[r.IntN(len(texts))] = text[r.IntN(len(text)):]
		}
		if queue = append(queue, new(int)); len(queue) > 100 {
			queue = queue[r.IntN(50):]
		}
		b := append(buffers[r.IntN(100)], text...)
		buffers[r.IntN(100)] = b[:min(len(b), r.IntN(20000))]
	}
}
