// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check names. They make paths of made-up nodes, with types of this
// file, and compare the names of the elements of the paths.

package refpath

import (
	"bufio"
	"internal/abi"
	"internal/goarch"
	. "internal/profilerecord"
	"internal/vartable"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

type testBase struct {
	size int
	log  *bufio.Writer
}

type testConf struct {
	name string
	tls  *testBase
}

type testServer struct {
	testBase // embedded
	conf     testConf
	sessions map[string]*testJob
	jobs     []*testJob
	grid     [3][2]testConf
	slots    [4]*testJob
	limits   struct{ min, max *int }
	named    testJobs
	raw      unsafe.Pointer
	_        uint8 // no reference
}

type testJob struct {
	fn   func()
	w    io.Writer
	any  any
	done chan testConf
	next **testJob
	ptr  atomic.Pointer[testConf]
	val  atomic.Value
}

type testJobs []*testJob

type testLarge struct {
	jobs [40]*testJob
}

type testNode[K comparable, V any] struct {
	key   K
	value V
	next  *testNode[K, V]
}

func (j *testJob) run() {}

// testClosure returns a closure and the PC of its function.
func testClosure(x *int) (f func() int, entry uintptr) {
	f = func() int { return *x }
	return f, **(**uintptr)(unsafe.Pointer(&f))
}

func typeFor[T any]() unsafe.Pointer { return unsafe.Pointer(abi.TypeFor[T]()) }

// A step is one node of a path. Its name and the type of its objects follow
// from the nodes above it.
type step struct {
	node RefsNode
	name string // "" if there is no element
	typ  string // "-" if there are no objects
}

// global returns a step for a global variable that refers to objects of type T.
func global[T any](name, typ string) step {
	return step{RefsNode{Kind: RefsGlobal, Name: name, Type: typeFor[T]()}, name, typ}
}

func globalVariable[T any](name string) step {
	return step{RefsNode{Kind: RefsGlobal, Role: RefsVariable, Name: name, Type: typeFor[T]()}, name, "-"}
}

// stepTo returns a step to objects of type T.
func stepTo[T any](kind RefsKind, offset uintptr, name, typ string) step {
	return step{RefsNode{Kind: kind, Offset: offset, Type: typeFor[T]()}, name, typ}
}

// with returns the step with some changes to its node.
func (s step) with(change func(*RefsNode)) step {
	change(&s.node)
	return s
}

func (s step) array() step { return s.with(func(n *RefsNode) { n.Array = true }) }

func (s step) role(r RefsRole) step {
	return s.with(func(n *RefsNode) { n.Role = r })
}

func (s step) pc(pc uintptr) step {
	return s.with(func(n *RefsNode) { n.PC = pc })
}

func dynamic[T any](s step) step {
	return s.with(func(n *RefsNode) { n.Dyn = typeFor[T]() })
}

func static[T any](s step) step {
	return s.with(func(n *RefsNode) { n.Static = typeFor[T]() })
}

func TestNames(t *testing.T) {
	const pkg = "internal/refpath."
	var server testServer
	var job testJob
	var node testNode[string, *testJob]
	var pair struct {
		a int
		b *testJob
	}
	type local struct{ p *int }
	_, closure := testClosure(nil)
	closureName := runtime.FuncForPC(closure).Name()
	method := job.run
	methodEntry := **(**uintptr)(unsafe.Pointer(&method))
	frame := step{RefsNode{Kind: RefsFrame, PC: abi.FuncPCABIInternal(testFunction) + 1}, pkg + "testFunction", "-"}
	goroutine := step{RefsNode{Kind: RefsGoroutine}, "", "-"}
	toServer := global[testServer]("app.server", "refpath.testServer")
	toJob := global[testJob]("app.job", "refpath.testJob")

	tests := map[string][]step{
		"field": {toServer,
			stepTo[testBase](RefsField, unsafe.Offsetof(server.conf)+unsafe.Offsetof(server.conf.tls), pkg+"testServer.conf.tls *testBase", "refpath.testBase"),
			stepTo[bufio.Writer](RefsField, unsafe.Offsetof(server.log), pkg+"testBase.log *bufio.Writer", "bufio.Writer")},
		"embedded": {toServer,
			stepTo[bufio.Writer](RefsField, unsafe.Offsetof(server.testBase)+unsafe.Offsetof(server.log), pkg+"testServer.testBase.log *bufio.Writer", "bufio.Writer")},
		"string": {toServer,
			stepTo[uint8](RefsField, unsafe.Offsetof(server.conf), pkg+"testServer.conf.name string", "string")},
		"slice of pointers": {toServer,
			stepTo[*testJob](RefsField, unsafe.Offsetof(server.jobs), pkg+"testServer.jobs []*testJob", "[]*refpath.testJob"),
			stepTo[testJob](RefsField, 0, "[]*refpath.testJob[elem]", "refpath.testJob")},
		"named slice": {toServer,
			stepTo[*testJob](RefsField, unsafe.Offsetof(server.named), pkg+"testServer.named testJobs", "[]*refpath.testJob"),
			stepTo[testJob](RefsField, 0, pkg+"testJobs[elem]", "refpath.testJob")},
		"slice of slices": {
			static[[][]*int](global[[]*int]("app.rows", "[][]*int")),
			stepTo[*int](RefsField, 0, "[][]*int[elem]", "[]*int"),
			stepTo[int](RefsField, 0, "[]*int[elem]", "int")},
		"slice of structs": {
			static[[]testConf](global[testConf]("app.confs", "[]refpath.testConf")),
			stepTo[uint8](RefsField, 0, pkg+"testConf.name string", "string")},
		"global of unknown static type": {
			global[*int]("app.p", "*int"),
			stepTo[int](RefsField, 0, "[]*int[elem]", "int")},
		"global pointer to pointer": {
			static[**int](global[*int]("app.p", "*int")),
			stepTo[int](RefsField, 0, "**int[elem]", "int")},
		"pointer to pointer": {toJob,
			stepTo[*testJob](RefsField, unsafe.Offsetof(job.next), pkg+"testJob.next **testJob", "*refpath.testJob"),
			stepTo[testJob](RefsField, 0, "**refpath.testJob[elem]", "refpath.testJob")},
		"array in a struct": {toServer,
			stepTo[testJob](RefsField, unsafe.Offsetof(server.slots)+3*unsafe.Sizeof(&job), pkg+"testServer.slots *testJob", "refpath.testJob")},
		"array of arrays of structs": {toServer,
			stepTo[testBase](RefsField, unsafe.Offsetof(server.grid)+unsafe.Sizeof(testConf{})+unsafe.Offsetof(server.conf.tls), pkg+"testServer.grid.tls *testBase", "refpath.testBase")},
		"array": {
			global[[4]*int]("app.p", "[4]*int"),
			stepTo[int](RefsField, 8, "[4]*int[elem]", "int")},
		"pointer to an array": {
			static[*[4]*int](global[*int]("app.p", "[4]*int")),
			stepTo[int](RefsField, 0, "[4]*int[elem]", "int")},
		"slice of arrays": {
			static[[][4]*int](global[*int]("app.p", "[][4]*int")),
			stepTo[int](RefsField, 0, "[4]*int[elem]", "int")},
		"unnamed struct in a struct": {toServer,
			stepTo[int](RefsField, unsafe.Offsetof(server.limits)+unsafe.Offsetof(server.limits.max), pkg+"testServer.limits.max *int", "int")},
		"unnamed struct": {
			global[struct{ a, b *int }]("app.pair", "struct { a *int; b *int }"),
			stepTo[int](RefsField, unsafe.Sizeof(&job), "struct { a *int; b *int }.b *int", "int")},
		"named struct in an unnamed one": {
			global[struct{ c testConf }]("app.pair", "struct { c refpath.testConf }"),
			stepTo[uint8](RefsField, 0, pkg+"testConf.name string", "string")},
		"local type": {
			global[local]("app.x", "refpath.local"),
			stepTo[int](RefsField, 0, pkg+"local.p *int", "int")},
		"generic type": {
			global[testNode[string, *testJob]]("app.list", "refpath.testNode[string,*internal/refpath.testJob]"),
			stepTo[testJob](RefsField, unsafe.Offsetof(node.value), pkg+"testNode[string,*internal/refpath.testJob].value *testJob", "refpath.testJob"),
		},
		"offset in a later element": {
			global[testConf]("app.confs", "refpath.testConf"),
			stepTo[testBase](RefsField, 5*unsafe.Sizeof(server.conf)+unsafe.Offsetof(server.conf.tls), pkg+"testConf.tls *testBase", "refpath.testBase")},
		"padding": {toServer,
			stepTo[int](RefsField, unsafe.Sizeof(server)-1, pkg+"testServer *int", "int")},

		"variable of struct type": {
			globalVariable[testServer]("app.server"),
			stepTo[testBase](RefsField, unsafe.Offsetof(server.conf)+unsafe.Offsetof(server.conf.tls), pkg+"testServer.conf.tls *testBase", "refpath.testBase")},
		"variable of unnamed struct type": {
			globalVariable[struct {
				a int
				b *testJob
			}]("app.pair"),
			stepTo[testJob](RefsField, unsafe.Offsetof(pair.b), "app.pair.b *refpath.testJob", "refpath.testJob")},
		"variable, named struct in an unnamed one": {
			globalVariable[struct{ c testConf }]("app.pair"),
			stepTo[uint8](RefsField, 0, "app.pair.c.name string", "string")},
		"variable of array type": {
			globalVariable[[2]*int]("app.array"),
			stepTo[int](RefsField, 8, "[2]*int[elem]", "int")},
		"variable of atomic type": {
			globalVariable[atomic.Pointer[testConf]]("app.current"),
			stepTo[testConf](RefsField, 0, "", "refpath.testConf"), // this element is the variable's own
			stepTo[uint8](RefsField, 0, pkg+"testConf.name string", "string")},
		"variable that is a reference": {
			static[[]*int](globalVariable[[]*int]("app.ps")),
			static[[]*int](global[*int]("app.ps", "[]*int"))},
		"variable of the runtime": {
			globalVariable[testConf]("runtime.x").with(func(n *RefsNode) { n.Kind = RefsRuntimeGlobal }),
			stepTo[testBase](RefsField, unsafe.Offsetof(server.conf.tls), pkg+"testConf.tls *testBase", "refpath.testBase")},
		"module without table": {
			{RefsNode{Kind: RefsModuleData, Name: "plugin(data+0x48)"}, "plugin(data+0x48)", "(unknown)"},
			{RefsNode{Kind: RefsUnknown, Offset: 8}, "(unknown)", "(unknown)"}},

		"map": {
			global[map[string]*testJob]("app.m", "map[string]*refpath.testJob").role(RefsMap),
			stepTo[map[string]*testJob](RefsMapTable, 0, "map[string]*refpath.testJob[table]", "map[string]*refpath.testJob").role(RefsTable)},
		"map key": {toServer,
			stepTo[map[string]*testJob](RefsField, unsafe.Offsetof(server.sessions), pkg+"testServer.sessions map[string]*testJob", "map[string]*refpath.testJob").role(RefsMap),
			stepTo[uint8](RefsMapKey, 0, "map[string]*refpath.testJob[key]", "string")},
		"map value": {
			global[map[string]*testJob]("app.m", "map[string]*refpath.testJob").role(RefsMap),
			stepTo[testJob](RefsMapValue, 0, "map[string]*refpath.testJob[value]", "refpath.testJob"),
			stepTo[testConf](RefsField, unsafe.Offsetof(job.ptr), pkg+"testJob.ptr *testConf", "refpath.testConf")},
		"map with struct keys and values": {
			global[map[testConf]testServer]("app.m", "map[refpath.testConf]refpath.testServer").role(RefsMap),
			stepTo[uint8](RefsMapKey, 0, pkg+"testConf.name string", "string")},
		"map with struct values": {
			global[map[testConf]testConf]("app.m", "map[refpath.testConf]refpath.testConf").role(RefsMap),
			stepTo[testBase](RefsMapValue, unsafe.Offsetof(server.conf.tls), pkg+"testConf.tls *testBase", "refpath.testBase")},
		"map with large struct values": {
			global[map[testConf]testLarge]("app.m", "map[refpath.testConf]refpath.testLarge").role(RefsMap),
			stepTo[testLarge](RefsMapValue, 0, "map[refpath.testConf]refpath.testLarge[value]", "refpath.testLarge"),
			stepTo[testJob](RefsField, unsafe.Sizeof(&job), pkg+"testLarge.jobs *testJob", "refpath.testJob")},
		"map with large array keys and values": {
			global[map[[40]*testJob][50]*int]("app.m", "map[[40]*refpath.testJob][50]*int").role(RefsMap),
			stepTo[*testJob](RefsMapKey, 0, "map[[40]*refpath.testJob][50]*int[key]", "[40]*refpath.testJob"),
			stepTo[testJob](RefsField, 0, "[40]*refpath.testJob[elem]", "refpath.testJob")},
		"map of maps": {
			global[map[int]map[string]bool]("app.m", "map[int]map[string]bool").role(RefsMap),
			stepTo[map[string]bool](RefsMapValue, 0, "map[int]map[string]bool[value]", "map[string]bool").role(RefsMap),
			stepTo[uint8](RefsMapKey, 0, "map[string]bool[key]", "string")},
		"map of interfaces": {
			global[map[string]any]("app.m", "map[string]interface {}").role(RefsMap),
			dynamic[*testJob](stepTo[testJob](RefsMapValue, goarch.PtrSize, "map[string]interface {}[value](*refpath.testJob)", "refpath.testJob"))},

		"interface": {toJob,
			dynamic[*bufio.Writer](stepTo[bufio.Writer](RefsField, unsafe.Offsetof(job.w)+goarch.PtrSize, pkg+"testJob.w io.Writer(*bufio.Writer)", "bufio.Writer"))},
		"interface with a boxed string": {toJob,
			dynamic[string](stepTo[string](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"testJob.any interface {}(string)", "string")),
			stepTo[uint8](RefsField, 0, "*string[elem]", "string")},
		"interface with a boxed slice": {toJob,
			dynamic[[]*int](stepTo[[]*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"testJob.any interface {}([]*int)", "[]*int")),
			stepTo[*int](RefsField, 0, "*[]*int[elem]", "[]*int"),
			stepTo[int](RefsField, 0, "[]*int[elem]", "int")},
		"interface with a boxed array": {toJob,
			dynamic[[3]*int](stepTo[*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"testJob.any interface {}([3]*int)", "[3]*int")),
			stepTo[int](RefsField, 0, "[3]*int[elem]", "int")},
		"interface with a pointer to a pointer": {toJob,
			dynamic[**int](stepTo[*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"testJob.any interface {}(**int)", "*int")),
			stepTo[int](RefsField, 0, "**int[elem]", "int")},
		"interface with a map": {toJob,
			dynamic[map[int]*int](stepTo[map[int]*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"testJob.any interface {}(map[int]*int)", "map[int]*int").role(RefsMap)),
			stepTo[int](RefsMapValue, 0, "map[int]*int[value]", "int")},
		"interface with a function": {toJob,
			dynamic[func()](stepTo[func()](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"testJob.any interface {}(func("+closureName+"))", "func("+closureName+")").role(RefsClosure).pc(closure))},
		"interface of unknown dynamic type": {toJob,
			{RefsNode{Kind: RefsField, Offset: unsafe.Offsetof(job.w) + goarch.PtrSize}, pkg + "testJob.w io.Writer", "(unknown)"}},
		"slice of interfaces": {
			static[[]io.Writer](global[io.Writer]("app.ws", "[]io.Writer")),
			dynamic[*bufio.Writer](stepTo[bufio.Writer](RefsField, goarch.PtrSize, "[]io.Writer[elem](*bufio.Writer)", "bufio.Writer"))},

		"closure": {toJob,
			stepTo[func()](RefsField, unsafe.Offsetof(job.fn), pkg+"testJob.fn func("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure),
			stepTo[int](RefsCaptured, 8, closureName+".(slot+0x8)", "int")},
		"method value": {toJob,
			stepTo[func()](RefsField, unsafe.Offsetof(job.fn), pkg+"testJob.fn func(internal/refpath.(*testJob).run-fm)", "func(internal/refpath.(*testJob).run-fm)").role(RefsClosure).pc(methodEntry)},
		"slice of functions": {
			static[[]func()](global[func()]("app.fs", "[]func()")),
			stepTo[func()](RefsField, 0, "[]func()[elem]("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure)},

		"channel buffer": {toJob,
			stepTo[chan testConf](RefsField, unsafe.Offsetof(job.done), pkg+"testJob.done chan testConf", "chan refpath.testConf").role(RefsChan),
			stepTo[chan testConf](RefsChanBuffer, 0, "chan refpath.testConf[buffer]", "chan refpath.testConf").role(RefsBuffer)},
		"channel with waiting goroutines": {
			global[chan *int]("app.c", "chan *int").role(RefsChan),
			stepTo[uintptr](RefsChanWaiter, 0, "chan *int[waiter]", "uintptr")},
		"channel of structs": {toJob,
			stepTo[chan testConf](RefsField, unsafe.Offsetof(job.done), pkg+"testJob.done chan testConf", "chan refpath.testConf").role(RefsChan),
			stepTo[uint8](RefsChanElem, 0, pkg+"testConf.name string", "string")},
		"channel of pointers": {
			global[<-chan *int]("app.c", "<-chan *int").role(RefsChan),
			stepTo[int](RefsChanElem, 0, "<-chan *int[elem]", "int")},

		"atomic.Value": {toJob,
			dynamic[*testBase](stepTo[testBase](RefsField, unsafe.Offsetof(job.val)+goarch.PtrSize, pkg+"testJob.val interface {}(*testBase)", "refpath.testBase"))},
		"unsafe.Pointer": {toServer,
			stepTo[testBase](RefsField, unsafe.Offsetof(server.raw), pkg+"testServer.raw *testBase", "refpath.testBase").with(func(n *RefsNode) { n.Untyped = true })},
		"unsafe.Pointer to something inferred": {toServer,
			stepTo[testBase](RefsField, unsafe.Offsetof(server.raw), pkg+"testServer.raw *testBase (inferred)", "refpath.testBase").with(func(n *RefsNode) { n.Untyped, n.Inferred = true, true })},
		"unsafe.Pointer to something unknown": {toServer,
			{RefsNode{Kind: RefsField, Offset: unsafe.Offsetof(server.raw), Untyped: true}, pkg + "testServer.raw (unknown)", "(unknown)"},
			{RefsNode{Kind: RefsUnknown, Offset: 24}, "(unknown)", "(unknown)"},
			{RefsNode{Kind: RefsField, Offset: 24}, "(unknown)", "(unknown)"}},
		"interior pointer": {
			global[*int]("app.p", "*int"),
			stepTo[testBase](RefsField, 0, "[]*int[elem]", "refpath.testBase").with(func(n *RefsNode) { n.Untyped = true })},
		"slice of objects of another type": {toServer,
			stepTo[testBase](RefsField, unsafe.Offsetof(server.jobs), pkg+"testServer.jobs []*testJob", "refpath.testBase").with(func(n *RefsNode) { n.Untyped = true })},
		"pointer to an element of an array": {
			static[*testJob](global[testJob]("app.p", "[]refpath.testJob").array()),
			stepTo[testConf](RefsField, unsafe.Offsetof(job.ptr), pkg+"testJob.ptr *testConf", "[]refpath.testConf").array()},
		"pointer to an element of an array of pointers": {toJob,
			stepTo[*testJob](RefsField, unsafe.Offsetof(job.next), pkg+"testJob.next **testJob", "[]*refpath.testJob").array(),
			stepTo[testJob](RefsField, 0, "[]*refpath.testJob[elem]", "refpath.testJob")},
		"unsafe.Pointer to an element of an array": {toServer,
			stepTo[testBase](RefsField, unsafe.Offsetof(server.raw), pkg+"testServer.raw *testBase", "[]refpath.testBase").array().with(func(n *RefsNode) { n.Untyped = true })},
		"variable that is a pointer to an element of an array": {goroutine, frame,
			functionVariable[*testJob](stepTo[*testJob](RefsLocal, 0, pkg+"testFunction.v **testJob", "[]*refpath.testJob").array(), vartable.FormPointer),
			stepTo[testJob](RefsField, 0, "[]*refpath.testJob[elem]", "refpath.testJob")},
		"type descriptor": {toServer,
			{RefsNode{Kind: RefsField, Role: RefsType, Offset: unsafe.Offsetof(server.raw)}, pkg + "testServer.raw (unknown)", "abi.Type"}},

		"local": {goroutine, frame,
			functionVariable[testConf](stepTo[testConf](RefsLocal, 0, pkg+"testFunction.v *testConf", "refpath.testConf"), vartable.FormPointer),
			stepTo[uint8](RefsField, 0, pkg+"testConf.name string", "string")},
		"temporary": {goroutine, frame,
			functionVariable[int](stepTo[int](RefsLocal, 0, pkg+"testFunction.(temporary) *int", "int"), vartable.FormPointer).with(func(n *RefsNode) { n.Name = "" })},
		"local slice": {goroutine, frame,
			functionVariable[*testJob](stepTo[*testJob](RefsLocal, 0, pkg+"testFunction.v []*testJob", "[]*refpath.testJob"), vartable.FormSliceData),
			stepTo[testJob](RefsField, 0, "[]*refpath.testJob[elem]", "refpath.testJob")},
		"local string": {goroutine, frame,
			stepTo[uint8](RefsLocal, 0, pkg+"testFunction.v string", "string").with(func(n *RefsNode) { n.Name, n.Form = "v", vartable.FormString })},
		"local map": {goroutine, frame,
			functionVariable[map[int]*int](stepTo[map[int]*int](RefsLocal, 0, pkg+"testFunction.v map[int]*int", "map[int]*int"), vartable.FormMap).role(RefsMap),
			stepTo[int](RefsMapValue, 0, "map[int]*int[value]", "int")},
		"local func": {goroutine, frame,
			stepTo[int](RefsLocal, 0, pkg+"testFunction.v func("+closureName+")", "func("+closureName+")").with(func(n *RefsNode) { n.Name, n.Form = "v", vartable.FormFunc }).role(RefsClosure).pc(closure)},
		"local interface": {goroutine, frame,
			dynamic[*testBase](functionVariable[io.Writer](stepTo[testBase](RefsLocal, 0, pkg+"testFunction.v io.Writer(*testBase)", "refpath.testBase"), vartable.FormIfaceData))},
		"local interface whose type is not in the program": {goroutine, frame,
			dynamic[*testBase](stepTo[testBase](RefsLocal, 0, pkg+"testFunction.v interface(*testBase)", "refpath.testBase").with(func(n *RefsNode) { n.Name, n.Form = "v", vartable.FormIface }))},
		"local empty interface": {goroutine, frame,
			dynamic[*testBase](stepTo[testBase](RefsLocal, 0, pkg+"testFunction.v interface {}(*testBase)", "refpath.testBase").with(func(n *RefsNode) { n.Name, n.Form = "v", vartable.FormEface }))},
		"local pointer whose type is not in the program": {goroutine, frame,
			{RefsNode{Kind: RefsLocal, Name: "v", Form: vartable.FormPointer, Untyped: true}, pkg + "testFunction.v (unknown)", "(unknown)"}},
		"local struct": {goroutine, frame,
			functionVariable[testConf](stepTo[testConf](RefsLocal, 0, pkg+"testFunction.v testConf", "-"), vartable.FormValue).role(RefsVariable),
			stepTo[testBase](RefsField, unsafe.Offsetof(testConf{}.tls), pkg+"testConf.tls *testBase", "refpath.testBase")},
		"local struct without a name": {goroutine, frame,
			functionVariable[struct{ p *int }](stepTo[struct{ p *int }](RefsLocal, 0, pkg+"testFunction.v struct { p *int }", "-"), vartable.FormValue).role(RefsVariable),
			stepTo[int](RefsField, 0, pkg+"testFunction.v.p *int", "int")},
		"local array": {goroutine, frame,
			functionVariable[int](stepTo[int](RefsLocal, 0, pkg+"testFunction.v [3]*int", "int"), vartable.FormPointer).with(func(n *RefsNode) { n.Count = 3 })},
		"captured variable": {
			global[func()]("app.f", "func("+closureName+")").role(RefsClosure).pc(closure),
			functionVariable[int](stepTo[int](RefsCaptured, 8, closureName+".v *int", "int"), vartable.FormPointer)},
		"closure of a goroutine that has not begun": {goroutine, frame,
			stepTo[int](RefsContext, 0, pkg+"testFunction.(closure) func("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure)},
		"deferred closure": {goroutine, frame,
			stepTo[int](RefsDefer, 0, pkg+"testFunction.(defer) func("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure)},
		"argument of a cleanup": {stepTo[int](RefsCleanup, 0, "(cleanup) internal/refpath.testFunction", "int").pc(abi.FuncPCABIInternal(testFunction)),
			stepTo[*testConf](RefsArgument, 0, "(argument) **refpath.testConf", "*refpath.testConf"),
			stepTo[testConf](RefsField, 0, "**refpath.testConf[elem]", "refpath.testConf")},

		"slot": {goroutine, frame,
			stepTo[testConf](RefsSlot, 0x18, pkg+"testFunction.(slot-0x18)", "refpath.testConf"),
			stepTo[uint8](RefsField, 0, pkg+"testConf.name string", "string")},
		"argument":  {goroutine, frame, stepTo[int](RefsArg, 0x10, pkg+"testFunction.(slot+0x10)", "int")},
		"registers": {goroutine, frame, stepTo[int](RefsRegisters, 0, pkg+"testFunction.(registers)", "int")},
		"defer":     {goroutine, frame, stepTo[int](RefsDefer, 0, pkg+"testFunction.(defer)", "int")},
		"deep stack": {goroutine, {RefsNode{Kind: RefsDeepStack}, pkg + "testDeepStack", "-"}, frame,
			stepTo[int](RefsSlot, 8, pkg+"testFunction.(slot-0x8)", "int")},
		"goroutine without frames": {goroutine, stepTo[int](RefsDefer, 0, "(defer)", "int")},

		"finalizer":            {stepTo[testBase](RefsFinalizer, 0, "(finalizer) *refpath.testBase", "refpath.testBase")},
		"finalizer of unknown": {{RefsNode{Kind: RefsFinalizer}, "(finalizer) (unknown)", "(unknown)"}},
		"finalizer function": {stepTo[testBase](RefsFinalizer, 0, "(finalizer) *refpath.testBase", "refpath.testBase"),
			{RefsNode{Kind: RefsFunction, Role: RefsClosure, PC: closure}, "(function) func(" + closureName + ")", "func(" + closureName + ")"}},
		"finalizer queue":      {{RefsNode{Kind: RefsFinalizerQueue}, "(finalizer queue)", "(unknown)"}},
		"cleanup":              {stepTo[int](RefsCleanup, 0, "(cleanup) internal/refpath.testFunction", "int").pc(abi.FuncPCABIInternal(testFunction))},
		"cleanup queue":        {{RefsNode{Kind: RefsCleanupQueue}, "(cleanup queue)", "(unknown)"}},
		"timer":                {stepTo[int](RefsTimer, 0, "(timer) internal/refpath.testFunction", "int").pc(abi.FuncPCABIInternal(testFunction))},
		"timer with a channel": {stepTo[chan time.Time](RefsTimer, 0, "(timer) chan time.Time", "chan time.Time").role(RefsChan)},
		"weak":                 {{RefsNode{Kind: RefsWeak}, "(weak handle)", "(unknown)"}},
		"barrier":              {stepTo[int](RefsBarrier, 0, "(write barrier)", "int")},
		"allocated":            {stepTo[int](RefsAllocated, 0, "(allocated during GC)", "int")},
		"no memory":            {{RefsNode{Kind: RefsNoMemory}, "(not recorded)", "(unknown)"}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			checkNames(t, steps)
		})
	}
}

// functionVariable turns s into a step to the variable v of a function. The
// entry of the variable has type T and the given form.
func functionVariable[T any](s step, form uint8) step {
	return s.with(func(n *RefsNode) { n.Name, n.Form, n.Static = "v", form, typeFor[T]() })
}

// checkNames checks the names of one path. Each step is below the one before.
func checkNames(t *testing.T, steps []step) {
	nodes := make([]RefsNode, 1)
	for i, s := range steps {
		s.node.Parent = int32(i)
		nodes = append(nodes, s.node)
	}
	namer := NewNamer(nodes, abi.FuncPCABIInternal(testDeepStack)+1)
	for i, s := range steps {
		if s.node.Kind == RefsGoroutine {
			continue
		}
		got := namer.Name(i + 1)
		if name := got.Elem.String(); got.IsParent != (s.name == "") || !got.IsParent && name != s.name {
			t.Errorf("name %s, want %s", name, s.name)
		}
		if s.typ != "-" && got.Objects != s.typ {
			t.Errorf("type of objects %q, want %q", got.Objects, s.typ)
		}
	}
}

//go:noinline
func testFunction() { io.Discard.Write(nil) }

// testDeepStack stands for the frames that were left out of a deep stack.
//
//go:noinline
func testDeepStack() { io.Discard.Write(nil) }

// TestNamesKept checks that a name that was found for one reference is used
// again only for references that it fits. It combines several values of each
// property of a node. Each node must have the name that it has if no other node
// was named before it.
func TestNamesKept(t *testing.T) {
	type owner struct{ First, Second *int }
	nodes := []RefsNode{{}}
	for _, parent := range []RefsNode{
		{Kind: RefsGlobal, Role: RefsVariable, Name: "app.x", Type: typeFor[struct{ First, Second *int }]()},
		{Kind: RefsGlobal, Role: RefsVariable, Name: "app.y", Type: typeFor[struct{ First, Second *int }]()},
		{Kind: RefsGlobal, Role: RefsObject, Name: "app.o", Static: typeFor[*owner](), Type: typeFor[owner]()},
		{Kind: RefsGlobal, Role: RefsObject, Name: "app.s", Static: typeFor[[]owner](), Type: typeFor[owner]()},
		{Kind: RefsGlobal, Role: RefsMap, Name: "app.m", Type: typeFor[map[string]owner]()},
		{Kind: RefsCleanup, PC: abi.FuncPCABIInternal(TestNamesKept)},
	} {
		at := int32(len(nodes))
		nodes = append(nodes, parent)
		for _, kind := range []RefsKind{RefsField, RefsMapValue, RefsArgument, RefsUnknown} {
			for _, off := range []uintptr{0, unsafe.Sizeof(uintptr(0))} {
				for _, typ := range []unsafe.Pointer{nil, typeFor[int](), typeFor[any]()} {
					for _, untyped := range []bool{false, true} {
						for range 2 {
							nodes = append(nodes, RefsNode{Parent: at, Kind: kind, Offset: off, Type: typ, Dyn: typ, Untyped: untyped})
						}
					}
				}
			}
		}
	}
	namer := NewNamer(nodes, 0)
	for i := range nodes {
		if i == 0 {
			continue
		}
		got := namer.Name(i)
		alone := NewNamer(nodes, 0)
		if p := int(nodes[i].Parent); p != 0 {
			alone.Name(p)
		}
		if want := alone.Name(i); got != want {
			t.Errorf("node %d, %+v below %+v: %+v, want %+v", i, nodes[i], nodes[nodes[i].Parent], got, want)
		}
	}
}
