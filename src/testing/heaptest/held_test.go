// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heaptest_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	. "testing/heaptest"
	"unsafe"
)

// The types of a small server. Only these tests have objects of type session.
type (
	server struct {
		name     string
		sessions map[int]*session
		last     *entry
	}
	entry struct {
		s  *session
		id [3]int
	}
	session struct {
		user [3]*int
		buf  []byte
	}
)

var (
	theServer  *server
	theAudit   []*session
	theNothing *session
	thePool    = sync.Pool{New: func() any { return new(entry) }}
)

//go:noinline
func newServer(n int) *server {
	s := &server{sessions: make(map[int]*session)}
	for i := range n {
		s.sessions[i] = &session{buf: make([]byte, 1000)}
	}
	s.last = &entry{s: s.sessions[0]}
	return s
}

// start makes theServer and theAudit for a test.
func start(t *testing.T, sessions int) {
	theServer, theAudit = newServer(sessions), make([]*session, 4)
	t.Cleanup(func() { theServer, theAudit = nil, nil })
}

func TestOnlyHeldBy(t *testing.T) {
	const (
		variable = "testing/heaptest_test.theServer"
		typ      = "heaptest_test.session"
		fullType = "testing/heaptest_test.session"
	)
	nothing := func() func() { return nil }
	for _, test := range []struct {
		name, typ, holder string
		hold              func() (release func()) // holds a session in another way
		want              []string                // in the report, in this order
	}{
		{"variable", typ, variable, nothing, nil},
		{"full type", fullType, variable, nothing, nil},
		{"holder of a type", typ, "heaptest_test.server", nothing, nil},
		{"holder of a full type", fullType, "testing/heaptest_test.server", nothing, nil},
		{"holder of a part", typ, "heaptest_test.entry", nothing, []string{"reachable without heaptest_test.entry", variable, "server.sessions", "heaptest_test.session of "}},
		{"field", typ, "testing/heaptest_test.server.sessions", nothing, []string{"reachable without testing/heaptest_test.server.sessions", variable, "server.last *entry", "testing/heaptest_test.entry.s"}},
		{"pool", typ, variable, func() func() {
			thePool.Put(&entry{s: theServer.sessions[1]})
			return nil
		}, nil},
		{"another variable", typ, variable, func() func() {
			theAudit[2] = theServer.sessions[1]
			return func() { theAudit[2] = nil }
		}, []string{"a heaptest_test.session is reachable without " + variable, "testing/heaptest_test.theAudit", "[]*heaptest_test.session[elem]", "heaptest_test.session of "}},
		{"goroutine", typ, variable, func() func() {
			stop, done := make(chan bool), make(chan bool)
			go audit(theServer.sessions[1], stop, done)
			<-done
			return func() { close(stop); <-done }
		}, []string{"goroutine testing/heaptest_test.audit", "testing/heaptest_test.audit", "heaptest_test.session of "}},
		{"no holder", typ, "testing/heaptest_test.theServr", nothing, []string{"nothing has the name testing/heaptest_test.theServr", variable}},
		{"no objects", "heaptest_test.sesion", variable, nothing, []string{"no object of type heaptest_test.sesion is reachable"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			start(t, 5)
			release := test.hold()
			r := recorder{TB: t}
			OnlyHeldBy(&r, test.typ, test.holder)
			if release != nil {
				release()
			}
			got := strings.Join(r.reports, "\n")
			if len(r.reports) != min(len(test.want), 1) || !inOrder(got, test.want) {
				t.Errorf("reported:\n%s\nwant %q", got, test.want)
			}
		})
	}
}

type queued struct{ next *queued }

var theQueue []*queued

//go:noinline
func fillQueue() {
	for range 200 {
		theQueue = append(theQueue, new(queued))
	}
	theQueue = theQueue[190:]
}

// TestOnlyHeldByElements has a queue that has been resliced: what elements before
// its beginning hold, elements hold.
func TestOnlyHeldByElements(t *testing.T) {
	const typ, elem = "heaptest_test.queued", "[]*heaptest_test.queued[elem]"
	fillQueue()
	t.Cleanup(func() { theQueue = nil })
	r := recorder{TB: t}
	OnlyHeldBy(&r, typ, elem)
	if len(r.reports) != 0 {
		t.Errorf("reported:\n%s", strings.Join(r.reports, "\n"))
	}
	OnlyHeldBy(&r, typ, "testing/heaptest_test.theQueu")
	if got := strings.Join(r.reports, "\n"); !inOrder(got, []string{"testing/heaptest_test.theQueue", "[]*heaptest_test.queued[outside]"}) {
		t.Errorf("reported:\n%s", got)
	}
}

// inOrder reports whether s has all parts, in their order.
func inOrder(s string, parts []string) bool {
	for _, p := range parts {
		_, rest, ok := strings.Cut(s, p)
		if !ok {
			return false
		}
		s = rest
	}
	return true
}

// audit holds a session until stop is closed. It sends on done when it holds
// the session, and closes done when it ends.
//
//go:noinline
func audit(s *session, stop, done chan bool) {
	done <- true
	<-stop
	s.buf = nil
	close(done)
}

// TestOnlyHeldByGoroutine names, as the holder, a goroutine and then a variable
// of the goroutine's function.
func TestOnlyHeldByGoroutine(t *testing.T) {
	stop, done := make(chan bool), make(chan bool)
	start(t, 1)
	go audit(theServer.sessions[0], stop, done)
	theServer = nil
	<-done
	defer func() { close(stop); <-done }()
	OnlyHeldBy(t, "heaptest_test.session", "goroutine testing/heaptest_test.audit")
	OnlyHeldBy(t, "heaptest_test.session", "testing/heaptest_test.audit.s")
}

var theHook func() int

// hook returns a closure that holds a session.
//
//go:noinline
func hook(s *session) func() int {
	return func() int { return len(s.buf) }
}

// hookPart returns a closure that holds a session in a struct.
//
//go:noinline
func hookPart(part struct {
	n int
	s *session
}) func() int {
	return func() int { return part.n + len(part.s.buf) }
}

// TestOnlyHeldByCapturedStruct names, as the holder, a struct that a closure has
// captured, and then a field of the struct.
func TestOnlyHeldByCapturedStruct(t *testing.T) {
	theHook = hookPart(struct {
		n int
		s *session
	}{1, new(session)})
	defer func() { theHook = nil }()
	OnlyHeldBy(t, "heaptest_test.session", "testing/heaptest_test.hookPart.func1.part")
}

// TestOnlyHeldByCaptured names, as the holder, the variable that a closure has
// captured, and then a variable that it has not.
func TestOnlyHeldByCaptured(t *testing.T) {
	theHook = hook(new(session))
	defer func() { theHook = nil }()
	OnlyHeldBy(t, "heaptest_test.session", "testing/heaptest_test.hook.func1.s")
	r := recorder{TB: t}
	OnlyHeldBy(&r, "heaptest_test.session", "testing/heaptest_test.hook.func1.t")
	want := []string{"nothing has the name testing/heaptest_test.hook.func1.t", "testing/heaptest_test.theHook", "testing/heaptest_test.hook.func1.s"}
	if got := strings.Join(r.reports, "\n"); !inOrder(got, want) {
		t.Errorf("reported:\n%s\nwant %q", got, want)
	}
}

// TestMaxRetained compares retained sizes with the sizes of the objects in
// their size classes. A buffer of 1,000 bytes takes 1,024 bytes.
func TestMaxRetained(t *testing.T) {
	const sessions = 100
	start(t, sessions)
	theNothing = nil                    // the program must have the variable
	theAudit[0] = theServer.sessions[7] // the server no longer retains this session
	each := int64(unsafe.Sizeof(session{})) + 1024
	for _, test := range []struct {
		holder string
		bytes  int64
		want   string // in the report
	}{
		{"heaptest_test.session", sessions * each, ""},
		{"testing/heaptest_test.session", sessions * each, ""},
		{"heaptest_test.session", sessions*each - 1, fmt.Sprintf("retains %d bytes in %d objects; the limit is %d bytes:", sessions*each, 2*sessions, sessions*each-1)},
		{"testing/heaptest_test.theAudit", 4 * int64(unsafe.Sizeof(theAudit[0])), ""},
		{"testing/heaptest_test.theServer", 1 << 20, ""},
		{"testing/heaptest_test.theServer", (sessions - 1) * each, "server.sessions map[int]*session"},
		{"testing/heaptest_test.theNothing", 0, ""},
		{"testing/heaptest_test.theServr", 1 << 20, `nothing in the heap has the name "testing/heaptest_test.theServr"`},
	} {
		r := recorder{TB: t}
		MaxRetained(&r, test.holder, test.bytes)
		got := strings.Join(r.reports, "\n")
		if (got != "") != (test.want != "") || !strings.Contains(got, test.want) {
			t.Errorf("MaxRetained(%q, %d) reports:\n%s\nwant %q", test.holder, test.bytes, got, test.want)
		}
	}
}

// A static is a type of objects that the linker allocates.
type static struct {
	buf  []byte
	next *static
	size [100]int
}

// A staticPart holds statics as parts.
type staticPart struct {
	parts [2]static
	buf   []byte
}

var (
	staticValue       = static{size: [100]int{1}}
	staticPointer     = &static{next: &static{size: [100]int{2}}}
	staticSlice       = []*static{{size: [100]int{3}}, {}}
	staticValues      = []static{{size: [100]int{4}}, {}, {}}
	staticAny     any = &static{size: [100]int{5}}
	staticOther       = &staticPart{}
	staticNil     *static
)

// TestMaxRetainedStatic checks that statically allocated objects count with
// what they hold, as if they were in the heap.
func TestMaxRetainedStatic(t *testing.T) {
	all := []*static{&staticValue, staticPointer, staticPointer.next, staticSlice[0], staticSlice[1],
		&staticValues[0], &staticValues[1], &staticValues[2], staticAny.(*static)}
	for _, s := range all {
		s.buf = make([]byte, 1000)
		defer func() { s.buf = nil }()
	}
	staticOther.buf = make([]byte, 1000)
	staticOther.parts[0].buf = make([]byte, 1000)
	defer func() { *staticOther, staticNil = staticPart{}, nil }()
	const buf, pointer = 1024, int64(unsafe.Sizeof(staticNil))
	each := int64(unsafe.Sizeof(static{})) + buf
	for _, test := range []struct {
		holder string
		bytes  int64
	}{
		{"testing/heaptest_test.staticValue", each},
		{"testing/heaptest_test.staticPointer", 2 * each},
		{"testing/heaptest_test.staticSlice", 2*each + 2*pointer},
		{"testing/heaptest_test.staticValues", 3 * each},
		{"testing/heaptest_test.staticAny", each},
		{"testing/heaptest_test.staticOther", int64(unsafe.Sizeof(staticPart{})) + 2*buf},
		{"testing/heaptest_test.staticNil", 0},
		{"heaptest_test.static", 9 * each},
		{"testing/heaptest_test.static", 9 * each},
		{"heaptest_test.staticPart", int64(unsafe.Sizeof(staticPart{})) + 2*buf},
		{"testing/heaptest_test.staticP...r", 2 * each},
	} {
		r := recorder{TB: t}
		MaxRetained(&r, test.holder, test.bytes)
		if len(r.reports) > 0 {
			t.Errorf("MaxRetained(%q, %d) reports:\n%s", test.holder, test.bytes, strings.Join(r.reports, "\n"))
		}
		if test.bytes == 0 {
			continue
		}
		r.reports = nil
		MaxRetained(&r, test.holder, test.bytes-1)
		want := fmt.Sprintf("retains %d bytes in ", test.bytes)
		limit := fmt.Sprintf("; the limit is %d bytes:", test.bytes-1)
		if got := strings.Join(r.reports, "\n"); !inOrder(got, []string{want, limit, "of these are statically allocated"}) {
			t.Errorf("MaxRetained(%q, %d) reports:\n%s\nwant %q and %q", test.holder, test.bytes-1, got, want, limit)
		}
	}
}
