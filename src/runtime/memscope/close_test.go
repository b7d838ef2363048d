// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"runtime"
	"runtime/memscope"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A worker is a goroutine that does what others send to it.
type worker chan func()

func startWorker() worker {
	w := make(worker)
	go func() {
		for f := range w {
			f()
		}
	}()
	return w
}

func (w worker) do(f func()) {
	done := make(chan bool)
	w <- func() { f(); done <- true }
	<-done
}

// TestClosed has a goroutine go on after the Run that started it.
func TestClosed(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func(w worker)
	}{
		{"itself", func(w worker) { w.do(func() { allocate(8 << 20) }) }},
		{"go", func(w worker) {
			done := make(chan bool)
			w.do(func() { go func() { allocate(8 << 20); done <- true }() })
			<-done
		}},
		{"time.AfterFunc", func(w worker) {
			done := make(chan bool)
			w.do(func() { time.AfterFunc(1, func() { allocate(8 << 20); done <- true }) })
			<-done
		}},
		{"Run", func(w worker) {
			w.do(func() {
				memscope.Run(background, memscope.Limits{}, func(context.Context) error { allocate(8 << 20); return nil })
			})
		}},
		{"collection", func(w worker) { w.do(func() { runtime.GC(); allocate(4 << 20); runtime.GC(); allocate(4 << 20) }) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var w worker
			outer := inScope(func(ctx context.Context) {
				around := memscope.FromContext(ctx)
				var s *memscope.Scope
				var leftErr error
				err := memscope.Run(ctx, memscope.Limits{Bytes: 4 << 20}, func(ctx context.Context) error {
					w = startWorker()
					w.do(func() { allocate(1 << 20) })
					s = memscope.FromContext(ctx)
					return nil
				})
				closed, before := s.Usage(), around.Usage()
				test.f(w)
				w.do(func() { leftErr = memscope.Err() })
				if after := s.Usage(); after.Bytes != closed.Bytes || closed.Bytes>>20 != 1 {
					t.Errorf("the closed scope has counted %d bytes, and then %d", closed.Bytes, after.Bytes)
				}
				if n := around.Usage().Bytes - before.Bytes; n>>20 != 8 {
					t.Errorf("the scope around it has counted %d bytes, want 8 MiB", n)
				}
				if err != nil || leftErr != nil {
					t.Errorf("a limit of the closed scope is crossed: %v, %v", err, leftErr)
				}
			})
			if outer>>20 != 9 {
				t.Errorf("the outer scope has counted %d bytes, want 9 MiB", outer)
			}
			if n := inScope(func(context.Context) { w.do(func() { allocate(1 << 20) }) }); n>>20 != 0 {
				t.Errorf("another scope has counted %d bytes", n)
			}
			close(w)
		})
	}
}

// TestClosedWhileRunning closes a scope while its goroutines allocate on other
// CPUs.
func TestClosedWhileRunning(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for range 20 {
		var stop atomic.Bool
		var wg sync.WaitGroup
		var left atomic.Int64
		var s *memscope.Scope
		memscope.Run(background, memscope.Limits{Name: "outer"}, func(ctx context.Context) error {
			around := memscope.FromContext(ctx)
			err := memscope.Run(ctx, memscope.Limits{Bytes: 1 << 40}, func(ctx context.Context) error {
				s = memscope.FromContext(ctx)
				for range 3 {
					wg.Go(func() {
						for !stop.Load() {
							allocate(1 << 10)
							left.Add(1)
						}
					})
				}
				for left.Load() < 1000 {
					runtime.Gosched()
				}
				return nil
			})
			closed := s.Usage()
			for n := left.Load(); left.Load() < n+1000; {
				runtime.Gosched()
			}
			if after := s.Usage(); err != nil || after.Bytes != closed.Bytes || closed.Bytes < 1000<<10 {
				t.Errorf("the closed scope has counted %d bytes, and then %d; %v", closed.Bytes, after.Bytes, err)
			}
			stop.Store(true)
			wg.Wait()
			if n := around.Usage().Bytes; n < left.Load()<<10 || n > left.Load()<<10+256<<10 {
				t.Errorf("the scope around it has counted %d bytes, want %d and a little", n, left.Load()<<10)
			}
			return nil
		})
	}
}

// TestClosedHoldsNoContext checks that a goroutine that stays behind does not
// keep the context of its scope alive.
func TestClosedHoldsNoContext(t *testing.T) {
	freed := make(chan bool)
	var w worker
	type key struct{}
	func() {
		value := new(node)
		runtime.AddCleanup(value, func(int) { close(freed) }, 0)
		ctx := context.WithValue(background, key{}, value)
		memscope.Run(ctx, memscope.Limits{Bytes: 1 << 20}, func(context.Context) error { w = startWorker(); return nil })
	}()
	for {
		runtime.GC()
		select {
		case <-freed:
			close(w)
			return
		default:
			runtime.Gosched()
		}
	}
}

// TestClosedName checks that the memory of a goroutine that stays behind has no
// name, and that the goroutine has the name of the work that has left it behind.
func TestClosedName(t *testing.T) {
	setRate(t, 1)
	var w worker
	memscope.Run(background, memscope.Limits{Name: "a"}, func(context.Context) error { w = startWorker(); return nil })
	var keep []byte
	w.do(func() { keep = allocateLeftBehind(5000) })
	runtime.GC()
	if names := scopesIn(t, "heap", "inuse_objects", "allocateLeftBehind"); names["a"] != 0 || names[""] != 1 {
		t.Errorf("objects by scope: %v", names)
	}
	w.do(func() {
		if names := scopesIn(t, "goroutine", "goroutine", "TestClosedName.func"); names["a"] != 1 {
			t.Errorf("goroutines by scope: %v", names)
		}
	})
	runtime.KeepAlive(keep)
	close(w)
}

//go:noinline
func allocateLeftBehind(n int) []byte { return make([]byte, n) }

func TestDepth(t *testing.T) {
	var nest func(depth int) (deepest int, err error)
	nest = func(depth int) (deepest int, err error) {
		deepest = depth - 1
		err = memscope.Run(background, memscope.Limits{}, func(context.Context) (err error) {
			deepest, err = nest(depth + 1)
			return err
		})
		return deepest, err
	}
	if deepest, err := nest(1); deepest != 16 || err == nil {
		t.Errorf("%d scopes are nested, then %v", deepest, err)
	}
	// A goroutine of a closed scope starts the next scope.
	w := startWorker()
	for range 100 {
		var err error
		next := make(chan worker, 1)
		w.do(func() {
			err = memscope.Run(background, memscope.Limits{}, func(context.Context) error { next <- startWorker(); return nil })
		})
		close(w)
		if w = <-next; err != nil {
			t.Fatal(err)
		}
	}
	close(w)
}
