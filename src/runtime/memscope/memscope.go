// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memscope counts what a piece of work allocates, and limits it.
//
// A scope is a call of a function, and everything that it starts: a request, a query, a
// job.
//
//	err := memscope.Run(ctx, memscope.Limits{Bytes: 64 << 20}, func(ctx context.Context) error {
//		rows, err := query(ctx) // goroutines that this starts count, too
//		log.Print(memscope.FromContext(ctx).Usage().Bytes)
//		return err
//	})
//
// # What counts
//
// Every allocation from the heap counts by goroutines in the scope, in the unit of
// the runtime's own metrics: an object's bytes are those of its size class or its pages, a
// block that several tiny objects share counts once. Nothing is sampled. What does not
// count is what the runtime allocates for itself: goroutines, threads, timers' heaps, and
// the like; goroutine stacks, which are not from the heap; and what C allocates.
//
// A goroutine is in the scope of the goroutine that started it, for as long as it runs, even
// after [Run] has returned. So are functions that [time.AfterFunc] starts, in the scope of
// its caller, and both sides of an [iter.Pull], each in its own. Finalizers and cleanups
// are in no scope: they run on goroutines of the runtime, for everyone. Functions that
// [context.AfterFunc] starts are in the scope of who cancels the context. [Detach]
// leaves all scopes, for what a piece of work starts that is not part of it, such as a
// connection that will be reused, a cache's refresher, or a server.
//
// Scopes nest. What an inner one counts its outer ones count, too.
//
// # Limits
//
// A limit is on all that a scope allocates, from its beginning, not on what is in use at
// a time: it is for work that is done soon. The allocation that crosses it succeeds. Then the scope's context is cancelled, by
// another goroutine, with a [*LimitError] as the cause, and [Run] returns it. Work that
// looks at its context stops by that. With [Limits.Panic] goroutines that go on
// allocating panic, too.
//
// A goroutine finds a limit crossed by the very allocation that crosses it, while it is
// alone. If others of the scope run at the same time on other CPUs, each of these may
// allocate up to 1 MiB more (or objects, by number) than the limit before it finds out, and
// less if the limit is small. A limit is never found crossed that is not.
//
// # Cost
//
// Counting bytes costs nothing per allocation, in scopes or outside: it uses the
// countdown to the memory profile's next sample. A scope costs a few hundred bytes and
// about a microsecond. Scopes that count objects and calls make each allocation in
// them slower. There is nothing to clean up: a scope is garbage when nothing refers
// to it.
//
// Scopes with a name are visible in profiles: samples of the heap, allocs, inuse and
// goroutine profiles have it as the label "memscope".
package memscope

import (
	"context"
	"sync"
	"unsafe"
)

// Limits says what [Run] counts and where it stops. The zero value counts bytes and has
// no limit.
type Limits struct {
	// Name is what the scope's samples in profiles are labelled with. It is for kinds of
	// work, such as a route or a query's name: the first 255 different names of a process
	// are kept, all others become "(other)". A scope without a name has that of the scope
	// around it.
	Name string

	// Bytes, Objects and Calls are how much the work may allocate, as counted by
	// [Usage]. Zero is no limit.
	Bytes, Objects, Calls int64

	// Count makes the scope count objects and calls, as a limit on these does.
	Count bool

	// Panic makes a goroutine panic with the [*LimitError] when it has crossed a limit,
	// or goes on to allocate when another has, so that code stops that does not look at its
	// context. The panic takes the place of a call in code that is not of the standard
	// library, if possible the next: it is not inside the allocation, where it would leave
	// a map or channel broken, nor in a loop that does not call anything. No deferred call
	// is skipped, and no other panic is replaced. A function literal that is deferred
	// where it is written is not interrupted, but for what it calls in turn. Other
	// deferred functions may be interrupted. Statements are interrupted as by the panic of
	// a function that they call: m[k] = append(m[k], v) may have added the key. A goroutine
	// panics once; what it does after it has recovered is counted but not stopped.
	//
	// Run recovers the panic of its own goroutine. A goroutine that was started in the
	// scope ends the program, as by any panic, unless it recovers. Code must be ready for
	// that: a lock that is not released by a deferred call stays locked, and a [sync.Once]
	// counts as done. What is for more than the scope belongs into [Detach], which
	// panics do not reach.
	Panic bool
}

// Usage is what a scope has counted.
type Usage struct {
	Bytes   int64 // allocated from the heap, in bytes, as in /gc/heap/allocs:bytes
	Objects int64 // allocated from the heap, as in /gc/heap/allocs:objects; 0 unless counted
	Calls   int64 // allocations, as [runtime.MemStats.Mallocs]: tiny objects each count; 0 unless counted

	// LiveBytes and LiveObjects are estimates of how much of that is still in use, as of the
	// last garbage collection. They are made from the samples of the memory profile
	// and are 0 if [runtime.MemProfileRate] is. With the default rate, the standard
	// deviation of LiveBytes is about the root of LiveBytes times 512 KiB.
	LiveBytes, LiveObjects int64
}

// A Scope is what [Run] calls a function in. Its methods may be called at any time, by any
// goroutine.
type Scope struct {
	state  *state
	limits Limits
	cancel context.CancelCauseFunc
}

// state is the runtime's part of a scope, runtime.memscope.
type state struct{}

type contextKey struct{}

var start sync.Once

// Run calls f in a new scope, which is inside of that of the calling goroutine, if any. The
// context that f gets is derived from ctx. It has the scope, for [FromContext], and is
// cancelled when a limit is crossed, or f returns.
//
// If a limit was crossed Run returns a [*LimitError], even if f was done by then, else what
// f returns. A panic of f, but for that of [Limits.Panic], is passed on. Run panics if a
// limit is negative.
func Run(ctx context.Context, limits Limits, f func(ctx context.Context) error) error {
	if limits.Bytes < 0 || limits.Objects < 0 || limits.Calls < 0 {
		panic("memscope: negative limit")
	}
	start.Do(func() { runtime_start(cancelOwner, errorOfOwner) })
	s := &Scope{limits: limits}
	ctx, s.cancel = context.WithCancelCause(context.WithValue(ctx, contextKey{}, s))
	defer s.cancel(nil)
	s.state = runtime_new(unsafe.Pointer(s), limits.Name, limits.max(), limits.counts(), limits.Panic)
	return s.run(ctx, f)
}

// max returns the limits in the runtime's order.
func (l *Limits) max() [kinds]int64 { return [kinds]int64{l.Bytes, l.Objects, l.Calls} }

// counts reports whether objects and calls are to be counted.
func (l *Limits) counts() bool { return l.Count || l.Objects > 0 || l.Calls > 0 }

// run calls f in s.
func (s *Scope) run(ctx context.Context, f func(ctx context.Context) error) (err error) {
	outer, phase := runtime_set(s.state, 0)
	returned := false
	defer func() {
		runtime_set(outer, phase)
		limit := s.limitError(err)
		if limit == nil {
			return
		}
		s.cancel(limit)
		if !returned && s.limits.Panic {
			s.recovered(recover())
		}
		err = limit
	}()
	err = f(ctx)
	runtime_check(s.state)
	returned = true
	return err
}

// recovered panics with v unless that is what a limit of s made f panic with.
func (s *Scope) recovered(v any) {
	if limit, ok := v.(*LimitError); v != nil && (!ok || limit.scope != s) {
		panic(v)
	}
}

// Detach calls f outside of any scope, with a context that has the values of ctx but
// no scope, and is not cancelled when ctx is.
func Detach(ctx context.Context, f func(ctx context.Context)) {
	outer, phase := runtime_set(nil, 0)
	defer runtime_set(outer, phase)
	f(context.WithValue(context.WithoutCancel(ctx), contextKey{}, (*Scope)(nil)))
}

// FromContext returns the scope of the innermost [Run] that ctx is from, or nil if it is
// from none.
func FromContext(ctx context.Context) *Scope {
	s, _ := ctx.Value(contextKey{}).(*Scope)
	return s
}

// Usage returns what was counted so far. It is exact for everything that happened
// before the call, in the sense of the Go memory model. Usage of a nil Scope is zero.
func (s *Scope) Usage() Usage {
	if s == nil {
		return Usage{}
	}
	u := usage(runtime_usage(s.state))
	u.LiveBytes, u.LiveObjects = runtime_live(s.state)
	return u
}

// Name returns the name in the scope's limits. That of a nil Scope is "".
func (s *Scope) Name() string {
	if s == nil {
		return ""
	}
	return s.limits.Name
}

// usage returns the counts of the runtime as a Usage.
func usage(counted [kinds]int64) Usage {
	return Usage{Bytes: counted[0], Objects: counted[1], Calls: counted[2]}
}

// kinds is the number of what the runtime counts: bytes, objects and calls.
const kinds = 3

// Functions of the runtime: see runtime/memscope.go and the files that this names.

//go:linkname runtime_new
func runtime_new(owner unsafe.Pointer, name string, limits [kinds]int64, counts, panics bool) *state

//go:linkname runtime_set
func runtime_set(s *state, phase uint8) (*state, uint8)

//go:linkname runtime_usage
func runtime_usage(*state) [kinds]int64

//go:linkname runtime_live
func runtime_live(*state) (bytes, objects int64)

//go:linkname runtime_check
func runtime_check(*state)

//go:linkname runtime_crossed
func runtime_crossed(*state) (kind int, counted [kinds]int64, stack []uintptr, crossed bool)

//go:linkname runtime_start
func runtime_start(cancel func(unsafe.Pointer), newError func(unsafe.Pointer) any)
