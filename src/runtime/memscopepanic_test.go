// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"context"
	"internal/testenv"
	"math/rand/v2"
	"runtime"
	"runtime/memscope"
	"strings"
	"testing"
)

// TestMayBeStd checks that mayBeStd knows the paths of all packages of the
// standard library.
func TestMayBeStd(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	list, err := testenv.Command(t, testenv.GoToolPath(t), "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range strings.Fields(string(list)) {
		if !runtime.MayBeStd(pkg) {
			t.Errorf("%s is of the standard library", pkg)
		}
	}
	for _, pkg := range []string{"main", "example.com/strings", "app/strings", "sortof"} {
		if runtime.MayBeStd(pkg) {
			t.Errorf("%s is not of the standard library", pkg)
		}
	}
}

// TestMemscopePanics runs other tests in scopes with random limits, so that
// they panic somewhere if they allocate more than that. After that it runs them
// again without a limit, and they must pass.
func TestMemscopePanics(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	for name, test := range map[string]func(*testing.T){
		"TestTinyAlloc":            TestTinyAlloc,
		"TestGcDeepNesting":        TestGcDeepNesting,
		"TestGcMapIndirection":     TestGcMapIndirection,
		"TestGcArraySlice":         TestGcArraySlice,
		"TestGcRescan":             TestGcRescan,
		"TestHugeGCInfo":           TestHugeGCInfo,
		"TestGrowWithNaN":          TestGrowWithNaN,
		"TestGrowWithNegativeZero": TestGrowWithNegativeZero,
		"TestIterGrowAndDelete":    TestIterGrowAndDelete,
		"TestIterGrowWithGC":       TestIterGrowWithGC,
		"TestBigItems":             TestBigItems,
		"TestEmptyKeyAndValue":     TestEmptyKeyAndValue,
		"TestMapNanGrowIterator":   TestMapNanGrowIterator,
		"TestMapInterfaceKey":      TestMapInterfaceKey,
		"TestLargeStringConcat":    TestLargeStringConcat,
		"TestString2Slice":         TestString2Slice,
		"TestAppendGeneric":        TestAppendGeneric,
		"TestMoveToHeapClosure1":   TestMoveToHeapClosure1,
		"deferredPanics":           deferredPanics,
		"TestAbortedPanic":         TestAbortedPanic,
		"TestRecoverMatching":      TestRecoverMatching,
	} {
		t.Run(name, func(t *testing.T) {
			var used int64
			t.Run("free", func(t *testing.T) {
				memscope.Run(context.Background(), memscope.Limits{}, func(ctx context.Context) error {
					test(t)
					used = memscope.FromContext(ctx).Usage().Bytes
					return nil
				})
			})
			panics := 0
			for range rounds {
				limits := memscope.Limits{Bytes: 1 + rnd.Int64N(max(used, 1)), Panic: true}
				t.Run("limited", func(t *testing.T) {
					err := memscope.Run(context.Background(), limits, func(context.Context) error {
						test(t)
						return nil
					})
					if err != nil {
						panics++
					}
				})
				runtime.GC()
			}
			if used > 1<<20 && panics == 0 {
				t.Errorf("no limit was crossed of a test that uses %d bytes", used)
			}
			t.Run("sound", test)
		})
	}
}

// deferredPanics panics in two situations: where deferred functions recover the
// panic and panic again, and where calls of deferred functions are open-coded.
// In the first case, defer statements may allocate, because they are in a loop.
// Panics of limits are passed on.
func deferredPanics(t *testing.T) {
	const panics = 4
	for i := range panics {
		defer func() {
			r := recover()
			if err, ok := r.(*memscope.LimitError); ok {
				panic(err)
			}
			if r != i {
				t.Errorf("recovered %v, want %d", r, i)
			}
			if i > 0 {
				panic(i - 1)
			}
		}()
	}
	openCodedPanic(t)
	panic(panics - 1)
}

//go:noinline
func openCodedPanic(t *testing.T) {
	defer func() {
		r := recover()
		if err, ok := r.(*memscope.LimitError); ok {
			panic(err)
		}
		if r != "open-coded" {
			t.Errorf("recovered %v", r)
		}
	}()
	panic("open-coded")
}
