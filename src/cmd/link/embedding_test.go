// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A test of a program whose frames and closures hold structs with promoted
// methods. Most of the structs are type arguments. Frame variables (see package
// internal/vartable) refer to the descriptors of such types, and the
// descriptors refer to the methods of the types. If the linker keeps the
// descriptor, it must keep the methods, too.

package main

import (
	"fmt"
	"internal/platform"
	"internal/testenv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// embeddingLib is a package that all embeddingPackages import, and nothing else
// imports. The functions in its first part put their arguments on the stack or
// into a closure.
const embeddingLib = `package lib

import (
	"iter"
	"runtime"
	"time"
)

//go:noinline
func touch[T any](p *T) { runtime.Gosched() }

//go:noinline
func Keep[T any](v T) T {
	w := v
	touch(&w)
	runtime.KeepAlive(v)
	return w
}

func KeepInlined[T any](v T) T {
	w := v
	touch(&w)
	return w
}

func KeepPlain[T any](v T) T {
	runtime.Gosched()
	return v
}

//go:noinline
func KeepArray[T any](v T) T {
	var w [3]T
	w[1] = v
	touch(&w)
	return w[1]
}

//go:noinline
func KeepClosure[T any](v T) func() T {
	return func() T {
		w := v
		touch(&w)
		return w
	}
}

func KeepDeferred[T any](v T) (w T) {
	defer func(x T) {
		touch(&x)
		w = x
	}(v)
	return w
}

func KeepAll[T any](seq iter.Seq[T]) (all []T) {
	for v := range seq {
		touch(&v)
		all = append(all, v)
	}
	return all
}

func KeepSent[T any](v T) T {
	c := make(chan T, 1)
	select {
	case c <- v:
	default:
	}
	w := <-c
	touch(&w)
	return w
}

func KeepMapped[K comparable, V any](k K, v V) (K, V) {
	m := map[K]V{k: v}
	for k, v := range m {
		touch(&k)
		touch(&v)
		return k, v
	}
	panic("empty")
}

type Box[T any] struct{ V T }

//go:noinline
func (b Box[T]) Get() T {
	w := b
	touch(&w)
	return w.V
}

//go:noinline
func (b *Box[T]) Set(v T) {
	touch(&v)
	b.V = v
}

type hidden struct {
	when *time.Time
}

func (h hidden) Unix() int64      { return h.when.Unix() }
func (h *hidden) seconds() int64  { return h.when.Unix() }
func (h *hidden) Seconds() int64  { return h.seconds() }

type Open struct {
	hidden
	Name string
}

func NewOpen(unix int64) Open {
	t := time.Unix(unix, 0)
	return Open{hidden: hidden{&t}}
}

type Deep struct{ *Open }

type Clock interface{ Unix() int64 }

func Local(unix int64) int64 {
	type local struct {
		time.Time
		next *local
	}
	l := local{Time: time.Unix(unix, 0)}
	touch(&l)
	return l.Unix()
}

func LocalArgument(unix int64) int64 {
	type local struct {
		time.Time
		next *local
	}
	return KeepInlined(local{Time: time.Unix(unix, 0)}).Unix()
}

func LocalClosure(unix int64) func() int64 {
	type local struct {
		time.Time
		next *local
	}
	l := local{Time: time.Unix(unix, 0)}
	return func() int64 { return Keep(l).Unix() }
}

func Anonymous(unix int64) int64 {
	v := struct {
		hidden
		Deep
	}{hidden: NewOpen(unix).hidden}
	touch(&v)
	return v.hidden.Unix()
}

type Generic[T any] struct {
	time.Time
	V T
}

func (g *Generic[T]) Later(v T) Generic[T] {
	w := Generic[T]{g.Add(time.Second), v}
	touch(&w)
	return w
}
`

// embeddingPackages are packages whose results are 42. They differ in the
// variables that are on the stack.
var embeddingPackages = []struct{ name, decls, result string }{
	{"collected", `type T struct { time.Time; Name string }`,
		`slices.Collect(maps.Values(map[string]T{"": {time.Unix(42, 0), ""}}))[0].Unix()`},
	{"sorted", `type T struct { time.Time; x []int }`,
		`slices.SortedFunc(slices.Values([]T{{time.Unix(43, 0), nil}, {time.Unix(42, 0), nil}}), func(a, b T) int { return a.Compare(b.Time) })[0].Unix()`},
	{"pulled", `type T struct { time.Time; pulled int }
		func pull(l ...T) T { next, stop := iter.Pull(slices.Values(l)); defer stop(); v, _ := next(); return v }`,
		`pull(T{time.Unix(42, 0), 1}).Unix()`},
	{"ranged", `type T struct { time.Time; ranged int }`, `lib.KeepAll(slices.Values([]T{{time.Unix(42, 0), 1}}))[0].Unix()`},
	{"kept", `type T struct { time.Time; kept int }`, `lib.Keep(T{time.Unix(42, 0), 1}).Unix()`},
	{"kept plain", `type T struct { time.Time; plain int }`, `lib.KeepPlain(T{time.Unix(42, 0), 1}).Unix()`},
	{"kept inlined", `type T struct { time.Time; inlined int }`, `lib.KeepInlined(T{time.Unix(42, 0), 1}).Unix()`},
	{"in an array", `type T struct { time.Time; array int }`, `lib.KeepArray(T{time.Unix(42, 0), 1}).Unix()`},
	{"an array", `type T struct { time.Time; arrays int }; type A [2]T`, `lib.Keep(A{{time.Unix(42, 0), 1}})[0].Unix()`},
	{"an array of literals", `type A [2]struct { time.Time; literals int }`, `lib.Keep(A{{time.Unix(42, 0), 1}})[0].Unix()`},
	{"a slice", `type A []struct { time.Time; slice int }`, `lib.Keep(A{{time.Unix(42, 0), 1}})[0].Unix()`},
	{"a map", `type T struct { time.Time; key int }; type A map[T]T`, `len(lib.Keep(A{T{}: {}}))+41`},
	{"captured", `type T struct { time.Time; captured int }`, `lib.KeepClosure(T{time.Unix(42, 0), 1})().Unix()`},
	{"deferred", `type T struct { time.Time; deferred int }`, `lib.KeepDeferred(T{time.Unix(42, 0), 1}).Unix()`},
	{"sent", `type T struct { time.Time; sent int }`, `lib.KeepSent(T{time.Unix(42, 0), 1}).Unix()`},
	{"mapped", `type K struct { time.Month; k int }; type T struct { time.Time; v *int }
		func mapped(t T) T { _, t = lib.KeepMapped(K{1, 2}, t); return t }`, `mapped(T{time.Unix(42, 0), nil}).Unix()`},
	{"boxed", `type T struct { time.Time; boxed int }`, `lib.Box[T]{T{time.Unix(42, 0), 1}}.Get().Unix()`},
	{"boxed by pointer", `type T struct { time.Time; set int }
		func set(t T) T { var b lib.Box[T]; b.Set(t); return b.V }`, `set(T{time.Unix(42, 0), 1}).Unix()`},
	{"method value", `type T struct { time.Time; value int }`, `lib.KeepClosure(lib.Box[T]{T{time.Unix(42, 0), 1}}.Get)()().Unix()`},
	{"method expression", `type T struct { time.Time; expression int }`, `lib.Box[T].Get(lib.Box[T]{T{time.Unix(42, 0), 1}}).Unix()`},
	{"through an interface", `type T struct { time.Time; dynamic int }
		var box interface { Get() T } = lib.Box[T]{T{time.Unix(42, 0), 1}}`, `box.Get().Unix()`},
	{"pointer", `type T struct { *time.Time; Name string }
		func newTime() *time.Time { t := time.Unix(42, 0); return &t }`, `lib.Keep(T{newTime(), ""}).Unix()`},
	{"interface", `type T struct { lib.Clock; Name string }`, `lib.Keep(T{time.Unix(42, 0), ""}).Unix()`},
	{"interface argument", `type T interface { lib.Clock; UnixNano() int64 }`, `lib.Keep[T](time.Unix(42, 0)).Unix()`},
	{"deep", `type T struct { lib.Deep; x int }
		func newDeep() lib.Deep { o := lib.NewOpen(42); return lib.Deep{&o} }`, `lib.Keep(T{newDeep(), 1}).Seconds()`},
	{"imported", ``, `lib.Keep(lib.NewOpen(42)).Unix()`},
	{"imported inlined", `type T lib.Open`, `lib.KeepInlined((*T)(new(lib.NewOpen(42)))).Unix()`},
	{"imported defined", `type T lib.Open`, `lib.Keep(T(lib.NewOpen(42))).Unix()`},
	{"imported deep", `func newDeep() lib.Deep { o := lib.NewOpen(42); return lib.Deep{&o} }`, `lib.Keep(newDeep()).Seconds()`},
	{"reflected", ``, `lib.Keep(reflect.ValueOf(42)).Int()`},
	{"type", `type T struct { reflect.Type; x int }`, `lib.Keep(T{reflect.TypeFor[int32](), 1}).Size() + 38`},
	{"lock", `type T struct { *sync.Mutex; n *int }
		func locked(t T) *int { t.Lock(); defer t.Unlock(); return t.n }`, `*locked(lib.Keep(T{new(sync.Mutex), new(42)}))`},
	{"generic", ``, `lib.Keep(lib.Generic[int]{time.Unix(42, 0), 1}).Unix()`},
	{"generic embedded", `type T struct { lib.Generic[[]int]; x int }`, `lib.Keep(T{lib.Generic[[]int]{time.Unix(42, 0), nil}, 1}).Unix()`},
	{"generic in generic", `type T[V any] struct { lib.Generic[V]; p *V }
		func keep[V any](v V) int64 { return lib.Keep(T[V]{lib.Generic[V]{time.Unix(42, 0), v}, nil}).Unix() }`, `keep(T[int]{})`},
	{"generic method", `type T struct { time.Time; method int }`, `new(lib.Generic[T]{time.Unix(41, 0), T{}}).Later(T{}).Unix()`},
	{"method of its own", `type T struct { time.Time; own int }
		func (t T) Own() int64 { return t.Unix() }
		type owner interface { Own() int64 }
		func own[V owner](v V) int64 { w := v; return lib.Keep(w).Own() }`, `own(T{time.Unix(42, 0), 1})`},
	{"type parameters of a method", `type T struct { time.Time; parameter int }
		type keeper struct { time.Month }
		func (k keeper) Keep[V any](v V) V { w := v; return lib.Keep(lib.Box[V]{w}).Get() }`, `keeper{1}.Keep(T{time.Unix(42, 0), 1}).Unix()`},
	{"recursive", `type pair[V any] struct { time.Time; v V }
		func nest[V any](n int, v V) int64 { if n == 42 { return lib.Keep(pair[V]{time.Unix(42, 0), v}).Unix() }; return nest(n+1, v) }`, `nest(0, pair[int]{})`},
	{"recursive type", `type T struct { time.Time; next *T; all []T; by map[string]T }`, `lib.Keep(T{Time: time.Unix(42, 0)}).Unix()`},
	{"local", `func local() int64 { type T struct { time.Time; local int }; return lib.Keep(T{time.Unix(42, 0), 1}).Unix() }`, `local()`},
	{"local of a generic function", `func local[V any](v V) int64 { type T struct { time.Time; V V }; return lib.Keep(T{time.Unix(42, 0), v}).Unix() }`,
		`local(struct { time.Month; x int }{1, 2})`},
	{"local elsewhere", ``, `lib.Local(42)`},
	{"local argument elsewhere", ``, `lib.LocalArgument(42)`},
	{"local captured elsewhere", ``, `lib.LocalClosure(42)()`},
	{"anonymous", ``, `lib.Keep(struct { time.Time; anonymous int }{time.Unix(42, 0), 1}).Unix()`},
	{"anonymous elsewhere", ``, `lib.Anonymous(42)`},
	{"anonymous and not generic", `func anonymous() int64 { v := struct { time.Time; notGeneric *int }{Time: time.Unix(42, 0)}; p := &v; runtime.Gosched(); return p.Unix() }`, `anonymous()`},
	{"converted", `type T struct { time.Time; converted *int }
		func convert(t T) int64 { v := struct { time.Time; converted *int }(lib.Keep(t)); p := &v; runtime.Gosched(); return p.Unix() }`, `convert(T{Time: time.Unix(42, 0)})`},
	{"variable", `type T struct { time.Time; variable int }
		var v, w = T{Time: time.Unix(42, 0)}, &struct { time.Time; pointer int }{Time: time.Unix(42, 0)}`, `lib.Keep(v).Unix() * w.Unix() / 42`},
	{"alias", `type M = time.Time; type A = struct { M; alias int }; type T A`, `lib.Keep(T{time.Unix(42, 0), 1}).Unix()`},
	{"generic alias", `type A[V any] = struct { lib.Generic[V]; alias int }; type T A[string]`, `lib.Keep(T{lib.Generic[string]{time.Unix(42, 0), ""}, 1}).Unix()`},
	{"ambiguous", `type T struct { time.Time; lib.Open; time.Month; _ int; tagged *int "json:\"t\"" }`, `lib.Keep(T{Time: time.Unix(42, 0)}).Time.Unix()`},
	{"named at length", `type T struct { time.Time; ` + strings.Repeat("aFieldWithALongName", 40) + ` *int }`, `lib.Keep(T{Time: time.Unix(42, 0)}).Unix()`},
}

const embeddingImports = `
import (
	"iter"
	"lib/lib"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"
)

var _ = []any{iter.Pull[int], maps.Keys[map[int]int], reflect.TypeFor[int], runtime.GC, slices.Values[[]int], new(sync.Mutex), lib.Local, time.Now}
`

// embeddingMain records references, so that the program has frame variables.
const embeddingMain = `
func main() {
	if err := pprof.Lookup("refs").WriteTo(io.Discard, 0); err != nil {
		println(err.Error())
		os.Exit(1)
	}
	for name, result := range results {
		if r := result(); r != 42 {
			println(name, r)
			os.Exit(1)
		}
	}
}
`

// writeEmbedding writes a module with a program that imports embeddingPackages.
// Each case is a package of its own, so that no case keeps methods that another
// case needs.
func writeEmbedding(t *testing.T, dir string) {
	files := map[string]string{"go.mod": "module lib\ngo 1.27\n", "lib/lib.go": embeddingLib}
	imports, results := "", ""
	for i, p := range embeddingPackages {
		name := fmt.Sprintf("p%d", i)
		files[name+"/p.go"] = "package " + name + embeddingImports + p.decls + "\nfunc Result() int64 { return int64(" + p.result + ") }\n"
		imports += fmt.Sprintf("import \"lib/%s\"\n", name)
		results += fmt.Sprintf("%q: %s.Result,\n", p.name, name)
	}
	files["main.go"] = "package main\nimport (\"io\"; \"os\"; \"runtime/pprof\")\n" + imports +
		"var results = map[string]func() int64{\n" + results + "}\n" + embeddingMain
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmbedding(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	goos, goarch := runtime.GOOS, runtime.GOARCH
	links := []refsLink{
		{name: "default"},
		{name: "no inlining", flags: []string{"-gcflags=lib/...=-l"}},
		{name: "no optimization", flags: []string{"-gcflags=lib/...=-N -l"}},
	}
	if platform.BuildModeSupported("gc", "pie", goos, goarch) {
		links = append(links, refsLink{name: "PIE", cgo: true, flags: []string{"-buildmode=pie"}})
	}
	if platform.RaceDetectorSupported(goos, goarch) {
		links = append(links, refsLink{name: "race", cgo: true, flags: []string{"-race"}})
	}
	if goos == "linux" && goarch == "amd64" && !testing.Short() {
		links = append(links, refsLink{name: "386", env: []string{"GOARCH=386", "CGO_ENABLED=0"}})
	}
	for _, l := range links {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			if l.cgo {
				testenv.MustHaveCGO(t)
			}
			dir := t.TempDir()
			writeEmbedding(t, dir)
			exe := filepath.Join(dir, "main.exe")
			cmd := testenv.Command(t, testenv.GoToolPath(t), append(append([]string{"build", "-o", exe}, l.flags...), ".")...)
			cmd.Dir = dir
			cmd.Env = append(cmd.Environ(), l.env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd, err, out)
			}
			if out, err := testenv.Command(t, exe).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
