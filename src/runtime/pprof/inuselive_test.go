// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the inuse profile on the heap of the test itself. Some are
// exact, with every allocation sampled. One is statistical, at the default
// rate. One compares the profile with the heap profile at several rates, and
// one checks the order of the samples.

package pprof

import (
	"fmt"
	"internal/profile"
	"internal/race"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// An inuseNode is an object of 64 bytes, on all machines.
type inuseNode struct {
	next *inuseNode
	_    [64 - unsafe.Sizeof(uintptr(0))]byte
}

type inuseFinal struct {
	child *inuseNode
	_     [64 - unsafe.Sizeof(uintptr(0))]byte
}

// inuseHeld holds the objects of these tests.
var inuseHeld inuseHolder

type inuseHolder struct {
	nodes [1000]*inuseNode
	list  *inuseNode
	bytes [1000][]byte
	texts map[int]string
	large []byte
	tiny  [1000]*int32
	iface [100]any
}

//go:noinline
func holdNodes(n int) {
	for i := range n {
		inuseHeld.nodes[i] = new(inuseNode)
	}
}

//go:noinline
func holdList(n int) {
	for range n {
		inuseHeld.list = &inuseNode{next: inuseHeld.list}
	}
}

//go:noinline
func holdBytes(n, size int) {
	for i := range n {
		inuseHeld.bytes[i] = make([]byte, size)
	}
}

//go:noinline
func holdTexts(n int) {
	inuseHeld.texts = make(map[int]string)
	for i := range n {
		inuseHeld.texts[i] = holdText(i)
	}
}

//go:noinline
func holdText(i int) string {
	b := [48]byte{byte(i)}
	return string(b[:])
}

//go:noinline
func holdLarge(n int) { inuseHeld.large = make([]byte, n) }

//go:noinline
func holdTiny(n int) {
	for i := range n {
		inuseHeld.tiny[i] = new(int32)
	}
}

//go:noinline
func holdIfaces(n int) {
	for i := range n {
		inuseHeld.iface[i] = &inuseNode{}
	}
}

//go:noinline
func holdGarbage(n int) {
	for range n {
		inuseHeld.iface[0] = new(inuseNode)
	}
	inuseHeld.iface[0] = nil
}

//go:noinline
func holdFinals(n int) {
	for range n {
		runtime.SetFinalizer(&inuseFinal{child: new(inuseNode)}, func(*inuseFinal) {})
	}
}

// dropInuse drops all objects that the tests hold.
func dropInuse() { inuseHeld = inuseHolder{} }

// collections returns the number of garbage collections so far.
func collections() uint32 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.NumGC
}

// inuseCycle returns the number of the collection that recorded a profile.
func inuseCycle(t *testing.T, p *profile.Profile) (cycle uint32) {
	if _, err := fmt.Sscanf(p.Comments[0], "GC cycle %d:", &cycle); err != nil {
		t.Fatalf("%q: %v", p.Comments[0], err)
	}
	return cycle
}

// An inuseRow identifies the samples that have equal sites, ages and labels.
// The object size does not count.
type inuseRow struct {
	site, typ, root, retainedBy string
	age                         int64
}

// inuseRows sums the values of the samples that were allocated by functions
// whose names begin with prefix, or by functions that these called.
func inuseRows(p *profile.Profile, prefix string) map[inuseRow][2]int64 {
	rows := make(map[inuseRow][2]int64)
	for _, s := range p.Sample {
		site := siteOf(s, prefix)
		if site == "" {
			continue
		}
		label := func(key string) string { return strings.Join(s.Label[key], ",") }
		row := inuseRow{site, label("type"), label("root"), label("retained_by"), s.NumLabel["age"][0]}
		sum := rows[row]
		rows[row] = [2]int64{sum[0] + s.Value[0], sum[1] + s.Value[1]}
	}
	return rows
}

// powerOfTwo rounds n down to a power of two.
func powerOfTwo(n uint32) int64 {
	p := int64(1)
	for ; p*2 <= int64(n); p *= 2 {
	}
	return p
}

// TestInuseLive takes profiles of objects of all kinds and ages, with every
// allocation sampled, and compares site, type, path, age, objects and bytes.
func TestInuseLive(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	setMemProfileRate(t, 1)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer dropInuse()
	const field = "runtime/pprof.inuseHeld > runtime/pprof.inuseHolder"
	works := []struct {
		gcs  int // number of collections before the profile is taken
		work func()
		want inuseRow
		sum  [2]int64
	}{
		{0, func() { holdList(500) }, inuseRow{site: "holdList", typ: "pprof.inuseNode", retainedBy: field + ".list *inuseNode"}, [2]int64{500, 500 * 64}},
		{5, func() { holdBytes(200, 1024) }, inuseRow{site: "holdBytes", typ: "[]uint8", retainedBy: field + ".bytes []uint8"}, [2]int64{200, 200 * 1024}},
		{1, func() { holdNodes(300) }, inuseRow{site: "holdNodes", typ: "pprof.inuseNode", retainedBy: field + ".nodes *inuseNode"}, [2]int64{300, 300 * 64}},
		{0, func() { holdLarge(1 << 20) }, inuseRow{site: "holdLarge", typ: "[]uint8", retainedBy: field + ".large []uint8"}, [2]int64{1, 1 << 20}},
		{0, func() { holdGarbage(1000) }, inuseRow{}, [2]int64{}},
		{1, func() { holdIfaces(100) }, inuseRow{site: "holdIfaces", typ: "pprof.inuseNode", retainedBy: field + ".iface interface {}(*inuseNode)"}, [2]int64{100, 100 * 64}},
		{0, func() { holdTexts(100) }, inuseRow{site: "holdText", typ: "string", retainedBy: field + ".texts map[int]string > map[int]string[value]"}, [2]int64{100, 100 * 48}},
		{0, func() { holdFinals(50) }, inuseRow{site: "holdFinals", typ: "pprof.inuseFinal", root: "finalizer", retainedBy: "(finalizer) *pprof.inuseFinal"}, [2]int64{50, 50 * 64}},
	}
	want := make(map[inuseRow][2]int64)
	cycles := make([]uint32, len(works))
	for i, w := range works {
		for range w.gcs {
			runtime.GC()
		}
		w.work()
		cycles[i] = collections()
	}
	p := takeProfile(t, "inuse")
	for i, w := range works {
		if w.want.site == "" {
			continue
		}
		row := w.want
		if row.root == "" {
			row.root = "global"
		}
		row.age = powerOfTwo(inuseCycle(t, p) - cycles[i])
		want[row] = w.sum
		if row.root == "finalizer" {
			row.typ, row.retainedBy = "pprof.inuseNode", row.retainedBy+" > runtime/pprof.inuseFinal.child *inuseNode"
			want[row] = w.sum
		}
	}
	got := inuseRows(p, "hold")
	for row, sum := range got {
		if strings.HasPrefix(row.typ, "map[") && row.site == "holdTexts" {
			continue // the map's storage, whose size the test does not know
		}
		if want[row] != sum {
			t.Errorf("%+v: %d, want %d", row, sum, want[row])
		}
		delete(want, row)
	}
	for row, sum := range want {
		t.Errorf("no %+v: %d", row, sum)
	}
}

// TestInuseBefore checks that ages tell objects that existed when the profile
// before was recorded from others, after any number of collections.
func TestInuseBefore(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	setMemProfileRate(t, 1)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer dropInuse()
	const old, young = 100, 30
	for gcs := range 10 {
		dropInuse()
		holdNodes(old)
		first := inuseCycle(t, takeProfile(t, "inuse"))
		for i := range gcs {
			if i == gcs/2 {
				holdBytes(young, 64)
			}
			runtime.GC()
		}
		if gcs == 0 {
			holdBytes(young, 64)
		}
		p := takeProfile(t, "inuse")
		last := inuseCycle(t, p)
		if want := fmt.Sprintf("GC cycle %d: the inuse profile before is of GC cycle %d", last, first); !slices.Contains(p.Comments, want) {
			t.Errorf("comments %q, want one of them %q", p.Comments, want)
		}
		var before, after int64
		for row, sum := range inuseRows(p, "hold") {
			if row.age >= int64(last-first)+1 {
				before += sum[0]
			} else {
				after += sum[0]
			}
			if row.age > int64(last-first)+1 {
				t.Errorf("%d collections: age %d of objects that have survived %d at most", gcs, row.age, last-first+1)
			}
		}
		if before != old || after != young {
			t.Errorf("%d collections: %d objects from before and %d others, want %d and %d", gcs, before, after, old, young)
		}
	}
}

// TestInuseTiny checks the blocks that tiny objects share.
func TestInuseTiny(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	setMemProfileRate(t, 1)
	defer dropInuse()
	holdTiny(len(inuseHeld.tiny))
	typ, least, most := "(tiny block)", int64(250), int64(270)
	if race.Enabled {
		typ, least, most = "int32", 1000, 1000 // with the race detector, no two objects share a block
	}
	var objects int64
	for row, sum := range inuseRows(takeProfile(t, "inuse"), "holdTiny") {
		if row.typ == typ {
			objects += sum[0]
		}
		if sum[1] != 16*sum[0] && !race.Enabled {
			t.Errorf("%d bytes in %d blocks", sum[1], sum[0])
		}
	}
	if objects < least || objects > most {
		t.Errorf("%d blocks of type %s, want %d to %d", objects, typ, least, most)
	}
}

// heapRows sums the values of the heap profile's samples, by stack and object
// size, for the functions whose names begin with prefix. objects is the index
// of the value that counts objects.
func heapRows(p *profile.Profile, prefix string, objects int) map[string][2]int64 {
	rows := make(map[string][2]int64)
	for _, s := range p.Sample {
		if siteOf(s, prefix) == "" {
			continue
		}
		var stack []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				stack = append(stack, fmt.Sprint(line.Function.Name, ":", line.Line))
			}
		}
		key := fmt.Sprint(s.NumLabel["bytes"], stack)
		sum := rows[key]
		rows[key] = [2]int64{sum[0] + s.Value[objects], sum[1] + s.Value[objects+1]}
	}
	for key, sum := range rows {
		if sum == [2]int64{} {
			delete(rows, key)
		}
	}
	return rows
}

// TestInuseEqualsHeap compares the profile with the heap profile of the same
// moment: at different rates, with a rate that changes in between, and with
// thousands of stacks, which no later test shall have in its profiles.
func TestInuseEqualsHeap(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	tests := []struct {
		name                    string
		rate, changed, atTheEnd int
	}{
		{"every allocation", 1, 1, 1},
		{"512 bytes", 512, 512, 512},
		{"64 KiB", 64 << 10, 64 << 10, 64 << 10},
		{"rate raised", 1, 4096, 4096},
		{"rate lowered", 4096, 1, 1},
		{"sampling switched off and on", 1, 0, 512},
	}
	depth := 12
	if testing.Short() {
		depth = 10
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			setMemProfileRate(t, test.rate)
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			defer dropInuse()
			holdNodes(1000)
			holdStacks(0, depth)
			runtime.MemProfileRate = test.changed
			holdBytes(1000, 2048)
			holdTexts(1000)
			holdGarbage(1000)
			runtime.MemProfileRate = test.atTheEnd
			runtime.GC()
			runtime.GC()
			inuse := heapRows(takeProfile(t, "inuse"), "hold", 0)
			heap := heapRows(takeProfile(t, "heap"), "hold", 2)
			if len(heap) < 3 && test.rate < 64<<10 {
				t.Errorf("only %d stacks in the heap profile", len(heap))
			}
			for stack, sum := range heap {
				if inuse[stack] != sum {
					t.Errorf("%d, heap profile has %d: %s", inuse[stack], sum, stack)
				}
				delete(inuse, stack)
			}
			for stack, sum := range inuse {
				t.Errorf("%d, heap profile has none: %s", sum, stack)
			}
		})
	}
}

// holdStacks allocates nodes from 2^depth call stacks.
//
//go:noinline
func holdStacks(bits, depth int) {
	if depth == 0 {
		inuseHeld.list = &inuseNode{next: inuseHeld.list}
		return
	}
	holdStacks(bits<<1, depth-1)
	holdStacks(bits<<1|1, depth-1)
}

// TestInuseSampled estimates objects at the default rate. The numbers of
// objects come from a fixed seed. The number of sampled objects among n of one
// size has a binomial distribution, here with a mean of 28 or more. In all but
// one of 10^8 runs, all estimates are within 8 standard deviations and one
// object of the truth.
func TestInuseSampled(t *testing.T) {
	const rate = 512 << 10
	setMemProfileRate(t, rate)
	defer dropInuse()
	rand := rand.New(rand.NewPCG(3, 4))
	for _, test := range []struct{ size, n int }{{16 << 10, 900}, {64 << 10, 500}, {512 << 10, 50}} {
		size, n := test.size, test.n+rand.IntN(test.n/9)
		dropInuse()
		holdBytes(n, size)
		var objects, bytes int64
		for _, sum := range inuseRows(takeProfile(t, "inuse"), "holdBytes") {
			objects += sum[0]
			bytes += sum[1]
		}
		p := 1 - math.Exp(-float64(size)/rate)
		deviation := 8*math.Sqrt(float64(n)*(1-p)/p) + 1
		if math.Abs(float64(objects)-float64(n)) > deviation {
			t.Errorf("%d objects of %d bytes, want %d ± %.0f", objects, size, n, deviation)
		}
		if math.Abs(float64(bytes)-float64(n*size)) > deviation*float64(size) {
			t.Errorf("%d bytes in objects of %d, want %d ± %.0f", bytes, size, n*size, deviation*float64(size))
		}
	}
}

// TestInuseFreed takes profiles while other goroutines allocate and drop
// objects, so that sampled objects are freed. Objects that are held all the
// time must be in each profile.
func TestInuseFreed(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	setMemProfileRate(t, 1)
	defer dropInuse()
	holdNodes(1000)
	stop := make(chan bool)
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			held := make([]*inuseNode, 100)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				held[i%len(held)] = &inuseNode{}
				if i%1000 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	for range 5 {
		var sum [2]int64
		for row, s := range inuseRows(takeProfile(t, "inuse"), "holdNodes") {
			if !strings.HasPrefix(row.retainedBy, "runtime/pprof.inuseHeld") || row.typ != "pprof.inuseNode" {
				t.Errorf("%d at %+v", s, row)
			}
			sum[0], sum[1] = sum[0]+s[0], sum[1]+s[1]
		}
		if sum != [2]int64{1000, 64000} {
			t.Errorf("%d nodes, want 1000 of 64 bytes", sum)
		}
	}
	close(stop)
	others.Wait()
}

// TestInuseSiteOrder checks that samples of the same site are adjacent, which
// scaling requires.
func TestInuseSiteOrder(t *testing.T) {
	setMemProfileRate(t, 1)
	r, err := refsRequests.take(true)
	if err != nil {
		t.Fatal(err)
	}
	p := newInuse(r, 1)
	if !slices.IsSortedFunc(p.samples, func(a, b *inuseSample) int { return int(a.site - b.site) }) {
		t.Error("samples are not in order of their sites")
	}
}
