// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memscope counts the memory that a piece of work allocates, and limits
// it.
//
// A scope is a call of a function and everything that the call starts: a
// request, a query or a job.
//
//	err := memscope.Run(ctx, memscope.Limits{Bytes: 64 << 20}, func(ctx context.Context) error {
//		rows, err := query(ctx) // goroutines that this starts count, too
//		log.Print(memscope.FromContext(ctx).Usage().Bytes)
//		return err
//	})
//
// # What counts
//
// Every allocation from the heap by a goroutine in the scope counts, in the
// units of the runtime's own metrics: an object counts with the bytes of its
// size class or of its pages, and a block that several tiny objects share
// counts once. Nothing is sampled. Three kinds of memory do not count: memory
// that the runtime allocates for itself, such as goroutines, threads and the
// heaps of timers; goroutine stacks, which are not from the heap; and memory
// that C allocates.
//
// A goroutine is in the scope of the goroutine that started it. Functions of
// [time.AfterFunc] and [context.AfterFunc] are in the scope of the caller of
// AfterFunc, and the function that [iter.Pull] iterates over is in the scope of
// the caller of Pull. Finalizers and cleanups are in no scope, because they run
// on goroutines of the runtime that serve the whole program.
//
// When [Run] returns, the scope is closed, because the work is over. Goroutines
// of the scope that go on, such as a worker that the work was the first to
// need, are from then on in the scope around it, and no limit of the closed
// scope stops them.
//
// [Detach] leaves all scopes. It is for things that a piece of work starts and
// that are not part of it, such as a client whose connections will be reused, a
// goroutine that refreshes a cache, or a server. The standard library does so
// for the connections that net/http, database/sql and net/rpc keep.
//
// Scopes nest, at most 16 deep. Everything that counts in an inner scope counts
// in the scopes around it, too.
//
// # Limits
//
// A limit applies to all that a scope allocates from its beginning, not to the
// memory that is in use at one time. It is for work that is done soon. The
// allocation that crosses the limit succeeds. Another goroutine then cancels
// the scope's context, with a [*LimitError] as the cause, and [Run] returns such
// an error. Nothing stops work that does not look at its context: a loop that
// may allocate much calls [Err].
//
// A goroutine that runs alone finds a limit crossed at the allocation that
// crosses it, with two exceptions: allocations that the runtime makes with a
// lock held or on a system stack, and tiny objects that are put into a block
// that exists. If such an allocation crosses the limit, a later allocation or
// Run finds it crossed. If other goroutines of the scope run on other CPUs at
// the same time, each of them may find a crossed limit late, by up to 1 MiB (or
// 1,048,576 objects or calls), and by less if the limit is small. No limit is
// reported as crossed before it is.
//
// # Cost
//
// Counting bytes costs nothing per allocation, inside or outside of scopes,
// because it uses the countdown to the heap profile's next sample. A scope
// takes a little memory and time, and more of both if it has limits. Scopes
// that count objects and calls make each allocation in them slower. A scope
// needs no cleanup: it is garbage when nothing refers to it.
//
// Scopes with a name are visible in profiles: their samples in the heap,
// allocs, inuse, memory, goroutine and goroutineleak profiles have the name as
// the label "memscope".
package memscope

import (
	"context"
	"errors"
	"sync"
	"unsafe"
)

// Limits configures [Run]: what it counts and where it stops. The zero value
// counts bytes and has no limit.
type Limits struct {
	// Name labels the scope's samples in profiles. It is for kinds of work,
	// such as a route or the name of a query: a process keeps the first 255
	// different names, and all others become "(other)". In profiles, a
	// scope without a name has the name of the scope around it.
	Name string

	// Bytes, Objects and Calls limit how much the work may allocate,
	// counted as in [Usage]. Zero means no limit.
	Bytes, Objects, Calls int64

	// Count makes the scope count objects and calls. A limit on objects or
	// calls has the same effect.
	Count bool
}

// Usage holds the counts of a scope.
type Usage struct {
	Bytes   int64 // allocated from the heap, in bytes, as in /gc/heap/allocs:bytes
	Objects int64 // allocated from the heap, as in /gc/heap/allocs:objects; 0 unless counted
	Calls   int64 // allocations, as in [runtime.MemStats.Mallocs]: each tiny object counts; 0 unless counted

	// LiveBytes and LiveObjects estimate how much of the allocated memory
	// was still in use at the last garbage collection. They are made from
	// the samples of the heap profile, and are 0 if
	// [runtime.MemProfileRate] is 0. With the default rate, the standard
	// deviation of LiveBytes is at most about sqrt(LiveBytes × 512 KiB).
	LiveBytes, LiveObjects int64
}

// A Scope is a scope in which [Run] has called a function. Its methods may be
// called at any time, by any goroutine.
type Scope struct {
	state  *state
	limits Limits
	cancel context.CancelCauseFunc
}

func init() { runtime_init() }

// state is the runtime's part of a scope, runtime.memscope.
type state struct{}

type contextKey struct{}

var start sync.Once

// Run calls f in a new scope, which is inside the scope of the calling
// goroutine, if that has one. The context that f gets is derived from ctx. It
// holds the scope, for [FromContext], and is cancelled when a limit is crossed
// or f returns.
//
// If a limit was crossed, Run returns a [*LimitError], even if the work of f
// was done by then; otherwise it returns the error that f returns. If a scope
// around it has crossed a limit already, or if scopes would be nested too deep,
// Run returns an error and does not call f. Run panics if a limit is negative.
func Run(ctx context.Context, limits Limits, f func(ctx context.Context) error) error {
	if limits.Bytes < 0 || limits.Objects < 0 || limits.Calls < 0 {
		panic("memscope: negative limit")
	}
	if err := Err(); err != nil {
		return err
	}
	start.Do(func() { runtime_start(cancelOwner) })
	s := &Scope{limits: limits}
	ctx, s.cancel = context.WithCancelCause(context.WithValue(ctx, contextKey{}, s))
	defer s.cancel(nil)
	if s.state = runtime_new(unsafe.Pointer(s), limits.Name, limits.max(), limits.counts()); s.state == nil {
		return errDepth
	}
	return s.run(ctx, f)
}

var errDepth = errors.New("memscope: more than 16 nested scopes")

// run calls f in s, and closes s.
func (s *Scope) run(ctx context.Context, f func(ctx context.Context) error) (err error) {
	outer := runtime_set(s.state)
	defer func() {
		runtime_close(s.state)
		runtime_set(outer)
		limit := s.limitError(err)
		if limit == nil {
			return
		}
		s.cancel(limit)
		err = limit
	}()
	return f(ctx)
}

// Detach calls f outside of any scope. The context of f has the values of ctx
// but no scope, and is not cancelled when ctx is.
func Detach(ctx context.Context, f func(ctx context.Context)) {
	outer := runtime_set(nil)
	defer runtime_set(outer)
	f(context.WithValue(context.WithoutCancel(ctx), contextKey{}, (*Scope)(nil)))
}

// FromContext returns the scope of the innermost [Run] that ctx comes from. It
// returns nil if ctx comes from none, or from a [Detach] inside that Run.
func FromContext(ctx context.Context) *Scope {
	s, _ := ctx.Value(contextKey{}).(*Scope)
	return s
}

// Usage returns the counts of s so far. After [Run] has returned, they are those
// of the moment when it returned. Except for the estimates LiveBytes and
// LiveObjects, they are exact for everything that happened before the call, in
// the sense of the Go memory model. The Usage of a nil Scope is zero.
func (s *Scope) Usage() Usage {
	if s == nil {
		return Usage{}
	}
	u := usage(runtime_usage(s.state))
	u.LiveBytes, u.LiveObjects = runtime_live(s.state)
	return u
}

// Name returns the name in the scope's limits. The name of a nil Scope is "".
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

// kinds is the number of things that the runtime counts: bytes, objects and
// calls.
const kinds = 3

// Functions of the runtime: see runtime/memscope.go and the files that it
// names.

//go:linkname runtime_init runtime.memscopeInit
func runtime_init()

//go:linkname runtime_new runtime.memscopeNew
func runtime_new(owner unsafe.Pointer, name string, limits [kinds]int64, counts bool) *state

//go:linkname runtime_set runtime.memscopeSet
func runtime_set(s *state) *state

//go:linkname runtime_usage runtime.memscopeUsage
func runtime_usage(*state) [kinds]int64

//go:linkname runtime_live runtime.memscopeLiveUsage
func runtime_live(*state) (bytes, objects int64)

//go:linkname runtime_close runtime.memscopeClose
func runtime_close(*state)

//go:linkname runtime_over runtime.memscopeOver
func runtime_over() unsafe.Pointer

//go:linkname runtime_crossed runtime.memscopeCrossedBy
func runtime_crossed(*state) (kind int, counted [kinds]int64, stack []uintptr, crossed bool)

//go:linkname runtime_start runtime.memscopeStart
func runtime_start(cancel func(unsafe.Pointer))
