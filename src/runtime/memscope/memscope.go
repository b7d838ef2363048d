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
// A goroutine is in the scope of the goroutine that started it, for as long as
// it runs, even after [Run] has returned. A function that [time.AfterFunc]
// starts is in the scope of the caller of AfterFunc. The function that
// [iter.Pull] iterates over runs in the scope of the caller of Pull, whoever
// calls next. Finalizers and cleanups are in no scope, because they run on
// goroutines of the runtime that serve the whole program. A function that
// [context.AfterFunc] starts is in the scope of the goroutine that cancels the
// context. [Detach] leaves all scopes. It is for things that a piece of work
// starts and that are not part of it, such as a connection that will be reused,
// a goroutine that refreshes a cache, or a server.
//
// Scopes nest. Everything that counts in an inner scope counts in the scopes
// around it, too.
//
// # Limits
//
// A limit applies to all that a scope allocates from its beginning, not to the
// memory that is in use at one time. It is for work that is done soon. The
// allocation that crosses the limit succeeds. Another goroutine then cancels
// the scope's context, with a [*LimitError] as the cause. Work that looks at
// its context stops. When the function has returned, [Run] returns a
// [*LimitError], too. With [Limits.Panic], the goroutine that has crossed the
// limit panics, and so do others that go on allocating.
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

	// Panic makes a goroutine panic with the [*LimitError] when it has
	// crossed a limit, or when it continues to allocate after another
	// goroutine has crossed one. It stops code that does not look at its
	// context.
	//
	// The panic takes the place of a call that is made by code that is not
	// of the standard library, or that the library makes to such code: the
	// next such call, if possible. It does not happen inside the
	// allocation, where it would leave a map or channel broken, nor in a
	// loop that calls nothing, nor in place of calls of package sync, apart
	// from methods of [sync.Map]. It does not happen in Go code that C code
	// has called, either, nor in code that was inlined from packages of the
	// library that may hold locks. In a function that has not yet executed
	// its last defer statement, it may pass over calls without parameters,
	// and over calls of functions that are not of the standard library. It
	// skips no deferred call, replaces no other panic, and does not come on
	// a line of a go or defer statement before the statement is executed.
	// It does not interrupt a function literal that is deferred where it is
	// written, but it may interrupt functions that the literal calls. It
	// may interrupt other deferred functions. It interrupts a statement in
	// the same way as a panic of a function that the statement calls: m[k]
	// = append(m[k], v) may already have added the key.
	//
	// A goroutine panics at most once in each call of Run that it is in.
	// Its allocations after it has recovered are counted but do not stop
	// it. Libraries that recover panics, as fmt recovers those of String
	// methods, recover this one, too.
	//
	// Run recovers the panic of its own goroutine. In a goroutine that was
	// started in the scope, the panic ends the program, as any panic does,
	// unless the goroutine recovers. Code must be ready for that: a lock
	// that no deferred call releases stays locked, and a [sync.Once] counts
	// as done. Work that is for more than the scope belongs in [Detach],
	// which these panics do not reach. Goroutines that the standard library
	// has started for itself do not panic, even where they call other code,
	// unless that code calls Run. Those of [sync.WaitGroup.Go],
	// [time.AfterFunc] and [context.AfterFunc] do, and so do functions that
	// [iter.Pull] iterates over.
	Panic bool
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
// was done by then; otherwise it returns the error that f returns. Run recovers
// the panic that [Limits.Panic] causes for this scope, and passes on every
// other panic of f. Run panics if a limit is negative.
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

// Detach calls f outside of any scope. The context of f has the values of ctx
// but no scope, and is not cancelled when ctx is.
func Detach(ctx context.Context, f func(ctx context.Context)) {
	outer, phase := runtime_set(nil, 0)
	defer runtime_set(outer, phase)
	f(context.WithValue(context.WithoutCancel(ctx), contextKey{}, (*Scope)(nil)))
}

// FromContext returns the scope of the innermost [Run] that ctx comes from. It
// returns nil if ctx comes from none, or from a [Detach] inside that Run.
func FromContext(ctx context.Context) *Scope {
	s, _ := ctx.Value(contextKey{}).(*Scope)
	return s
}

// Usage returns the counts of s so far. Except for the estimates LiveBytes and
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

//go:linkname runtime_init
func runtime_init()

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
