// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"fmt"
	"internal/memcgroup"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWindow(t *testing.T) {
	start := time.Now()
	w := newWindow(time.Minute, start)
	for _, step := range []struct {
		second      float64
		inUse, want int64
	}{
		{0, 100, 0},
		{1, 110, 10},
		{1.5, 90, 0},
		{30, 200, 110},
		{60.5, 210, 120}, // the 90 of second 1 is still in the window
		{61.5, 210, 10},  // it is no longer in the window, but the 200 is
		{500, 1000, 0},   // long after all others
		{501, 1001, 1},   // one byte more than the second before
		{501.5, 900, 0},  // shrinks
		{502, 1e15, 1e15 - 900},
	} {
		if got := w.add(start.Add(time.Duration(step.second*float64(time.Second))), step.inUse); got != step.want {
			t.Errorf("second %v: got growth of %d, want %d", step.second, got, step.want)
		}
	}
	w.clear()
	if got := w.add(start.Add(503*time.Second), 2000); got != 0 {
		t.Errorf("after clear: got growth of %d, want 0", got)
	}
}

func TestReason(t *testing.T) {
	start := time.Now()
	for _, test := range []struct {
		name   string
		config Config
		last   time.Duration // after start; 0 if there was no set
		u      usage
		want   string // part of the reason, or ""
	}{
		{"share", Config{Share: 90}, 0, usage{limit: 1000, due: 900, inUse: 900}, "memory in use is 90% of the memory limit"},
		{"below", Config{Share: 90}, 0, usage{limit: 1000, due: 900, inUse: 899}, ""},
		{"above the limit", Config{Share: 90}, 0, usage{limit: 1000, due: 900, inUse: 1300}, "130%"},
		{"no limit", Config{Share: 90}, 0, usage{inUse: 0, live: 1e15}, ""},
		{"large", Config{Share: 90}, 0, usage{limit: math.MaxInt64 / 2, due: part(math.MaxInt64/2, 90), inUse: math.MaxInt64 / 2}, "memory limit"},
		{"too soon", Config{Share: 90, Interval: time.Hour}, time.Minute, usage{limit: 1000, due: 900, inUse: 950}, ""},
		{"late enough", Config{Share: 90, Interval: time.Minute}, time.Minute, usage{limit: 1000, due: 900, inUse: 950}, "95%"},
		{"allocation", Config{Share: 90}, 0, usage{limit: 1000, due: 900, inUse: 100, waiting: 850, expected: 950}, "850 bytes to be allocated bring memory in use to 95%"},
		{"small allocation", Config{Share: 90}, 0, usage{limit: 1000, due: 900, inUse: 100, waiting: 700, expected: 800}, ""},
		{"allocation, too soon", Config{Share: 90, Interval: time.Hour}, time.Minute, usage{limit: 1000, due: 900, waiting: 950, expected: 950}, ""},
		{"growth", Config{Share: 90, Growth: 50, Within: time.Minute}, 0, usage{live: 150}, "grown by 50 bytes within 1m0s"},
		{"less growth", Config{Share: 90, Growth: 51, Within: time.Minute}, 0, usage{live: 150}, ""},
		{"growth of garbage", Config{Share: 90, Growth: 50, Within: time.Minute}, 0, usage{live: 100, goInUse: 900}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &watcher{Config: test.config}
			if test.config.Growth > 0 {
				w.growth = newWindow(w.Within, start)
				w.growth.add(start, 100)
			}
			if test.last > 0 {
				w.last = start.Add(test.last)
			}
			got := w.reason(test.u, start.Add(2*time.Minute-time.Second*70))
			if test.last > 0 {
				got = w.reason(test.u, start.Add(test.last+2*time.Minute))
			}
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestSetAside checks that what is set aside for the reserve is not left for
// allocations, and that those that wait come first.
func TestSetAside(t *testing.T) {
	for _, test := range []struct {
		name string
		held int64 // of the reserve
		u    usage
		want int64 // bytes set aside
	}{
		{"room", 0, usage{limit: 1000, room: 101, left: 50}, 100},
		{"no room", 0, usage{limit: 1000, room: 100, left: 50}, 0},
		{"room for what waits", 0, usage{limit: 1000, room: 150, waiting: 50, left: 50}, 0},
		{"room for what waits, too", 0, usage{limit: 1000, room: 151, waiting: 50, left: 50}, 100},
		{"no limit", 0, usage{}, 100},
		{"held", 1, usage{limit: 1000, room: 500, left: 50}, 0},
	} {
		w := &watcher{Config: Config{Reserve: 100}}
		if test.held > 0 && !w.reserve.take(test.held) {
			t.Fatal("no memory")
		}
		u := test.u
		if again := w.setAside(&u); again != (test.want > 0) || test.u.room-u.room != test.want || test.u.left-u.left != test.want {
			t.Errorf("%s: %v, %+v, want %d less than %+v", test.name, again, u, test.want, test.u)
		}
		w.reserve.release()
	}
}

func TestWait(t *testing.T) {
	w := &watcher{Config: Config{Share: 90}}
	for _, test := range []struct {
		name string
		u    usage
		want time.Duration
	}{
		{"no limit", usage{}, time.Second},
		{"far", usage{limit: 10 << 30, room: 9 << 30}, time.Second},
		{"half a second", usage{limit: 1 << 30, room: 512 << 20}, time.Second / 2},
		{"near", usage{limit: 1 << 30, room: 1}, 10 * time.Millisecond},
		{"beyond", usage{limit: 1 << 30, room: -1 << 30}, 10 * time.Millisecond},
		{"beyond, GOMEMLIMIT", usage{limit: 1 << 30, room: -1 << 30, source: gomemlimit}, 20 * time.Millisecond},
	} {
		if got := w.wait(test.u); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// TestMeter checks which limit applies, and which memory counts as in use.
func TestMeter(t *testing.T) {
	const (
		cgroupLimit = 64 << 30
		cache       = 10 << 30
	)
	for _, test := range []struct {
		name    string
		memory  int64 // GOMEMLIMIT
		cgroup  bool
		current int64  // memory of the cgroup, with the cache
		source  string // prefix of the source
		limit   int64
		due     int64
	}{
		{"none", math.MaxInt64, false, 0, "", 0, 0},
		{"GOMEMLIMIT", 1 << 30, false, 0, gomemlimit, 1 << 30, part(1<<30, 90)},
		{"cgroup", math.MaxInt64, true, 60 << 30, "cgroup ", cgroupLimit, part(cgroupLimit, 90)},
		{"both", 32 << 30, true, 60 << 30, gomemlimit, 32 << 30, part(32<<30, 90)},
		{"both, and memory that is not Go's", 32 << 30, true, 69 << 30, "cgroup ", cgroupLimit, part(cgroupLimit, 90)},
		{"both, near to each other", 62 << 30, true, 72 << 30, gomemlimit, 62 << 30, part(62<<30, 90)},
		{"both, near, and memory that is not Go's", 62 << 30, true, 74 << 30, "cgroup ", cgroupLimit, 63 << 30},
		{"GOMEMLIMIT above the cgroup's limit", 128 << 30, true, 60 << 30, "cgroup ", cgroupLimit, part(cgroupLimit, 90)},
	} {
		t.Run(test.name, func(t *testing.T) {
			setMemoryLimit(t, test.memory)
			m := newMeter(90)
			m.root = t.TempDir()
			defer m.forget()
			if test.cgroup {
				for name, text := range map[string]string{
					"proc/self/cgroup":             "0::/\n",
					"proc/self/mountinfo":          "36 25 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
					"sys/fs/cgroup/memory.max":     "68719476736\n",
					"sys/fs/cgroup/memory.current": fmt.Sprintln(test.current),
					"sys/fs/cgroup/memory.stat":    "inactive_file 10737418240\n",
				} {
					file := filepath.Join(m.root, name)
					os.MkdirAll(filepath.Dir(file), 0o777)
					if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			u := m.read(time.Now())
			if !strings.HasPrefix(u.source, test.source) || (u.source == "") != (test.source == "") || u.limit != test.limit || u.due != test.due {
				t.Errorf("got limit of %d from %q, due %d; want %d from %q, due %d", u.limit, u.source, u.due, test.limit, test.source, test.due)
			}
			want := int64(0)
			switch u.source {
			case "":
			case gomemlimit:
				want = u.live
			default:
				want = test.current - cache - u.free
			}
			if u.inUse != want {
				t.Errorf("got %d bytes in use, want %d", u.inUse, want)
			}
			spare := int64(math.MaxInt64)
			if test.memory != math.MaxInt64 {
				spare = test.memory - u.goInUse
			}
			if test.cgroup {
				spare = min(spare, cgroupLimit-test.current+cache)
			}
			if u.limit > 0 && u.spare != spare {
				t.Errorf("got %d bytes left, want %d", u.spare, spare)
			}
			if u.live <= 0 || u.live > u.goInUse {
				t.Errorf("got %d bytes without garbage of %d", u.live, u.goInUse)
			}
		})
	}
}

// TestExpected checks which memory counts as in use when allocations wait, and
// how much more may be allocated after that.
func TestExpected(t *testing.T) {
	for _, test := range []struct {
		name                   string
		crossed                bool
		used                   int64
		u                      usage
		wantExpected, wantLeft int64
	}{
		{"nothing waits", false, 510, usage{free: 10, goInUse: 500}, 500, 390},
		{"waits", false, 510, usage{free: 10, goInUse: 400, waiting: 100, fresh: 90}, 600, 290},
		{"memory that has not been written to", false, 100, usage{goInUse: 500, waiting: 100}, 600, 300},
		{"Go's memory has crossed the share without a large allocation", false, 100, usage{goInUse: 950, waiting: 10}, 960, -60},
		{"Go's memory is beyond the share", true, 100, usage{goInUse: 950, waiting: 100}, 200, 700},
		{"Go's memory is below the share again", true, 100, usage{goInUse: 850, waiting: 100}, 950, -50},
		{"free heap has room", false, 920, usage{free: 200, goInUse: 700, waiting: 100, fresh: 20}, 820, -120},
		{"free heap has no room in one piece", false, 920, usage{free: 200, goInUse: 700, waiting: 100, fresh: 40}, 960, -120},
	} {
		m := meter{group: &memcgroup.Group{Limit: 1000}, crossed: test.crossed}
		expected, left := m.expect(&test.u, test.used, 900)
		if expected != test.wantExpected || left != test.wantLeft {
			t.Errorf("%s: got %d and %d, want %d and %d", test.name, expected, left, test.wantExpected, test.wantLeft)
		}
	}
}

// TestMeterGarbage checks that usage.live has neither dead nor new objects
// before the next collection, and that after it, usage.live has those that are
// still reachable.
func TestMeterGarbage(t *testing.T) {
	if !ownProcess(t, "GOGC=off") {
		return
	}
	const size = 64 << 20
	m := newMeter(90)
	collect()
	before := m.read(time.Now())
	kept := make([]byte, size)
	lost := make([]byte, size)
	touch(kept)
	touch(lost)
	within := func(what string, got, want int64) {
		t.Helper()
		if got < want-2<<20 || got > want+2<<20 {
			t.Errorf("%s: got growth of %d bytes, want about %d", what, got, want)
		}
	}
	u := m.read(time.Now())
	within("new, live", u.live-before.live, 0)
	within("new, in use", u.goInUse-before.goInUse, 2*size)
	lost = nil
	collect()
	u = m.read(time.Now())
	within("collected, live", u.live-before.live, size)
	touch(kept)
}

// TestGrowthReserve checks that the reserve does not count as growth.
func TestGrowthReserve(t *testing.T) {
	c := Config{Dir: t.TempDir(), Growth: 32 << 20, Reserve: 128 << 20}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	w, err := newWatcher(c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	now := time.Now()
	if reason := w.reason(w.meter.read(now), now); reason != "" {
		t.Errorf("got reason %q", reason)
	}
}

// TestReserveTooLarge checks that a reserve which does not fit is an error, and
// that a default one always fits.
func TestReserveTooLarge(t *testing.T) {
	setMemoryLimit(t, 1<<30)
	c := Config{Dir: t.TempDir(), Reserve: 1 << 30}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	if _, err := newWatcher(c); err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Errorf("got error %v", err)
	}
	c.Reserve, c.Share = 0, 1
	w, err := newWatcher(c)
	if err != nil {
		t.Fatal(err)
	}
	w.close()
}
