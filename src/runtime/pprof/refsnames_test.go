// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tests of names: paths of made-up nodes, with types of this file, and the names
// that their elements must get.

package pprof

import (
	"bufio"
	"internal/abi"
	"internal/goarch"
	. "internal/profilerecord"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

type refsTestBase struct {
	size int
	log  *bufio.Writer
}

type refsTestConf struct {
	name string
	tls  *refsTestBase
}

type refsTestServer struct {
	refsTestBase // embedded
	conf         refsTestConf
	sessions     map[string]*refsTestJob
	jobs         []*refsTestJob
	grid         [3][2]refsTestConf
	slots        [4]*refsTestJob
	limits       struct{ min, max *int }
	named        refsTestJobs
	raw          unsafe.Pointer
	_            uint8 // no reference
}

type refsTestJob struct {
	fn   func()
	w    io.Writer
	any  any
	done chan refsTestConf
	next **refsTestJob
	ptr  atomic.Pointer[refsTestConf]
	val  atomic.Value
}

type refsTestJobs []*refsTestJob

type refsTestLarge struct {
	jobs [40]*refsTestJob
}

type refsTestNode[K comparable, V any] struct {
	key   K
	value V
	next  *refsTestNode[K, V]
}

func (j *refsTestJob) run() {}

// refsTestClosure returns a closure and the PC of its function.
func refsTestClosure(x *int) (f func() int, entry uintptr) {
	f = func() int { return *x }
	return f, **(**uintptr)(unsafe.Pointer(&f))
}

func typeFor[T any]() unsafe.Pointer { return unsafe.Pointer(abi.TypeFor[T]()) }

// A refsStep is one node of a path: its name and the type of its objects follow
// from the nodes above it.
type refsStep struct {
	node RefsNode
	name string // "": no element
	typ  string // "-": no objects
}

// global returns a step for a global variable that refers to objects of type T.
func refsGlobalStep[T any](name, typ string) refsStep {
	return refsStep{RefsNode{Kind: RefsGlobal, Name: name, Type: typeFor[T]()}, name, typ}
}

func refsVariableStep[T any](name string) refsStep {
	return refsStep{RefsNode{Kind: RefsGlobal, Role: RefsVariable, Name: name, Type: typeFor[T]()}, name, "-"}
}

// refsStepTo returns a step to objects of type T.
func refsStepTo[T any](kind RefsKind, offset uintptr, name, typ string) refsStep {
	return refsStep{RefsNode{Kind: kind, Offset: offset, Type: typeFor[T]()}, name, typ}
}

// with returns the step with some changes to its node.
func (s refsStep) with(change func(*RefsNode)) refsStep {
	change(&s.node)
	return s
}

func (s refsStep) role(r RefsRole) refsStep {
	return s.with(func(n *RefsNode) { n.Role = r })
}

func (s refsStep) pc(pc uintptr) refsStep {
	return s.with(func(n *RefsNode) { n.PC = pc })
}

func refsDynamic[T any](s refsStep) refsStep {
	return s.with(func(n *RefsNode) { n.Dyn = typeFor[T]() })
}

func refsStatic[T any](s refsStep) refsStep {
	return s.with(func(n *RefsNode) { n.Static = typeFor[T]() })
}

func TestRefsNames(t *testing.T) {
	const pkg = "runtime/pprof."
	var server refsTestServer
	var job refsTestJob
	var node refsTestNode[string, *refsTestJob]
	var pair struct {
		a int
		b *refsTestJob
	}
	type local struct{ p *int }
	_, closure := refsTestClosure(nil)
	closureName := runtime.FuncForPC(closure).Name()
	method := job.run
	methodEntry := **(**uintptr)(unsafe.Pointer(&method))
	frame := refsStep{RefsNode{Kind: RefsFrame, PC: abi.FuncPCABIInternal(refsTestFunction) + 1}, pkg + "refsTestFunction", "-"}
	goroutine := refsStep{RefsNode{Kind: RefsGoroutine}, "", "-"}
	toServer := refsGlobalStep[refsTestServer]("app.server", "pprof.refsTestServer")
	toJob := refsGlobalStep[refsTestJob]("app.job", "pprof.refsTestJob")

	tests := map[string][]refsStep{
		"field": {toServer,
			refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(server.conf)+unsafe.Offsetof(server.conf.tls), pkg+"refsTestServer.conf.tls *refsTestBase", "pprof.refsTestBase"),
			refsStepTo[bufio.Writer](RefsField, unsafe.Offsetof(server.log), pkg+"refsTestBase.log *bufio.Writer", "bufio.Writer")},
		"embedded": {toServer,
			refsStepTo[bufio.Writer](RefsField, unsafe.Offsetof(server.refsTestBase)+unsafe.Offsetof(server.log), pkg+"refsTestServer.refsTestBase.log *bufio.Writer", "bufio.Writer")},
		"string": {toServer,
			refsStepTo[uint8](RefsField, unsafe.Offsetof(server.conf), pkg+"refsTestServer.conf.name string", "string")},
		"slice of pointers": {toServer,
			refsStepTo[*refsTestJob](RefsField, unsafe.Offsetof(server.jobs), pkg+"refsTestServer.jobs []*refsTestJob", "[]*pprof.refsTestJob"),
			refsStepTo[refsTestJob](RefsField, 0, "[]*pprof.refsTestJob[elem]", "pprof.refsTestJob")},
		"named slice": {toServer,
			refsStepTo[*refsTestJob](RefsField, unsafe.Offsetof(server.named), pkg+"refsTestServer.named refsTestJobs", "[]*pprof.refsTestJob"),
			refsStepTo[refsTestJob](RefsField, 0, pkg+"refsTestJobs[elem]", "pprof.refsTestJob")},
		"slice of slices": {
			refsStatic[[][]*int](refsGlobalStep[[]*int]("app.rows", "[][]*int")),
			refsStepTo[*int](RefsField, 0, "[][]*int[elem]", "[]*int"),
			refsStepTo[int](RefsField, 0, "[]*int[elem]", "int")},
		"slice of structs": {
			refsStatic[[]refsTestConf](refsGlobalStep[refsTestConf]("app.confs", "[]pprof.refsTestConf")),
			refsStepTo[uint8](RefsField, 0, pkg+"refsTestConf.name string", "string")},
		"global of unknown static type": {
			refsGlobalStep[*int]("app.p", "*int"),
			refsStepTo[int](RefsField, 0, "[]*int[elem]", "int")},
		"global pointer to pointer": {
			refsStatic[**int](refsGlobalStep[*int]("app.p", "*int")),
			refsStepTo[int](RefsField, 0, "**int[elem]", "int")},
		"pointer to pointer": {toJob,
			refsStepTo[*refsTestJob](RefsField, unsafe.Offsetof(job.next), pkg+"refsTestJob.next **refsTestJob", "*pprof.refsTestJob"),
			refsStepTo[refsTestJob](RefsField, 0, "**pprof.refsTestJob[elem]", "pprof.refsTestJob")},
		"array in a struct": {toServer,
			refsStepTo[refsTestJob](RefsField, unsafe.Offsetof(server.slots)+3*unsafe.Sizeof(&job), pkg+"refsTestServer.slots *refsTestJob", "pprof.refsTestJob")},
		"array of arrays of structs": {toServer,
			refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(server.grid)+unsafe.Sizeof(refsTestConf{})+unsafe.Offsetof(server.conf.tls), pkg+"refsTestServer.grid.tls *refsTestBase", "pprof.refsTestBase")},
		"array": {
			refsGlobalStep[[4]*int]("app.p", "[4]*int"),
			refsStepTo[int](RefsField, 8, "[4]*int[elem]", "int")},
		"pointer to an array": {
			refsStatic[*[4]*int](refsGlobalStep[*int]("app.p", "[4]*int")),
			refsStepTo[int](RefsField, 0, "[4]*int[elem]", "int")},
		"slice of arrays": {
			refsStatic[[][4]*int](refsGlobalStep[*int]("app.p", "[][4]*int")),
			refsStepTo[int](RefsField, 0, "[4]*int[elem]", "int")},
		"unnamed struct in a struct": {toServer,
			refsStepTo[int](RefsField, unsafe.Offsetof(server.limits)+unsafe.Offsetof(server.limits.max), pkg+"refsTestServer.limits.max *int", "int")},
		"unnamed struct": {
			refsGlobalStep[struct{ a, b *int }]("app.pair", "struct { a *int; b *int }"),
			refsStepTo[int](RefsField, unsafe.Sizeof(&job), "struct { a *int; b *int }.b *int", "int")},
		"named struct in an unnamed one": {
			refsGlobalStep[struct{ c refsTestConf }]("app.pair", "struct { c pprof.refsTestConf }"),
			refsStepTo[uint8](RefsField, 0, pkg+"refsTestConf.name string", "string")},
		"local type": {
			refsGlobalStep[local]("app.x", "pprof.local"),
			refsStepTo[int](RefsField, 0, pkg+"local.p *int", "int")},
		"generic type": {
			refsGlobalStep[refsTestNode[string, *refsTestJob]]("app.list", "pprof.refsTestNode[string,*runtime/pprof.refsTestJob]"),
			refsStepTo[refsTestJob](RefsField, unsafe.Offsetof(node.value), pkg+"refsTestNode[string,*runtime/pprof.refsTestJob].value *refsTestJob", "pprof.refsTestJob"),
		},
		"offset in a later element": {
			refsGlobalStep[refsTestConf]("app.confs", "pprof.refsTestConf"),
			refsStepTo[refsTestBase](RefsField, 5*unsafe.Sizeof(server.conf)+unsafe.Offsetof(server.conf.tls), pkg+"refsTestConf.tls *refsTestBase", "pprof.refsTestBase")},
		"padding": {toServer,
			refsStepTo[int](RefsField, unsafe.Sizeof(server)-1, pkg+"refsTestServer *int", "int")},

		"variable of struct type": {
			refsVariableStep[refsTestServer]("app.server"),
			refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(server.conf)+unsafe.Offsetof(server.conf.tls), pkg+"refsTestServer.conf.tls *refsTestBase", "pprof.refsTestBase")},
		"variable of unnamed struct type": {
			refsVariableStep[struct {
				a int
				b *refsTestJob
			}]("app.pair"),
			refsStepTo[refsTestJob](RefsField, unsafe.Offsetof(pair.b), "app.pair.b *pprof.refsTestJob", "pprof.refsTestJob")},
		"variable, named struct in an unnamed one": {
			refsVariableStep[struct{ c refsTestConf }]("app.pair"),
			refsStepTo[uint8](RefsField, 0, "app.pair.c.name string", "string")},
		"variable of array type": {
			refsVariableStep[[2]*int]("app.array"),
			refsStepTo[int](RefsField, 8, "[2]*int[elem]", "int")},
		"variable of atomic type": {
			refsVariableStep[atomic.Pointer[refsTestConf]]("app.current"),
			refsStepTo[refsTestConf](RefsField, 0, "", "pprof.refsTestConf"), // the variable's own element
			refsStepTo[uint8](RefsField, 0, pkg+"refsTestConf.name string", "string")},
		"variable that is a reference": {
			refsStatic[[]*int](refsVariableStep[[]*int]("app.ps")),
			refsStatic[[]*int](refsGlobalStep[*int]("app.ps", "[]*int"))},
		"variable of the runtime": {
			refsVariableStep[refsTestConf]("runtime.x").with(func(n *RefsNode) { n.Kind = RefsRuntimeGlobal }),
			refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(server.conf.tls), pkg+"refsTestConf.tls *refsTestBase", "pprof.refsTestBase")},
		"module without table": {
			{RefsNode{Kind: RefsModuleData, Name: "plugin(data+0x48)"}, "plugin(data+0x48)", "(unknown)"},
			{RefsNode{Kind: RefsUnknown, Offset: 8}, "(unknown)", "(unknown)"}},

		"map": {
			refsGlobalStep[map[string]*refsTestJob]("app.m", "map[string]*pprof.refsTestJob").role(RefsMap),
			refsStepTo[map[string]*refsTestJob](RefsMapTable, 0, "map[string]*pprof.refsTestJob[table]", "map[string]*pprof.refsTestJob").role(RefsTable)},
		"map key": {toServer,
			refsStepTo[map[string]*refsTestJob](RefsField, unsafe.Offsetof(server.sessions), pkg+"refsTestServer.sessions map[string]*refsTestJob", "map[string]*pprof.refsTestJob").role(RefsMap),
			refsStepTo[uint8](RefsMapKey, 0, "map[string]*pprof.refsTestJob[key]", "string")},
		"map value": {
			refsGlobalStep[map[string]*refsTestJob]("app.m", "map[string]*pprof.refsTestJob").role(RefsMap),
			refsStepTo[refsTestJob](RefsMapValue, 0, "map[string]*pprof.refsTestJob[value]", "pprof.refsTestJob"),
			refsStepTo[refsTestConf](RefsField, unsafe.Offsetof(job.ptr), pkg+"refsTestJob.ptr *refsTestConf", "pprof.refsTestConf")},
		"map with struct keys and values": {
			refsGlobalStep[map[refsTestConf]refsTestServer]("app.m", "map[pprof.refsTestConf]pprof.refsTestServer").role(RefsMap),
			refsStepTo[uint8](RefsMapKey, 0, pkg+"refsTestConf.name string", "string")},
		"map with struct values": {
			refsGlobalStep[map[refsTestConf]refsTestConf]("app.m", "map[pprof.refsTestConf]pprof.refsTestConf").role(RefsMap),
			refsStepTo[refsTestBase](RefsMapValue, unsafe.Offsetof(server.conf.tls), pkg+"refsTestConf.tls *refsTestBase", "pprof.refsTestBase")},
		"map with large struct values": {
			refsGlobalStep[map[refsTestConf]refsTestLarge]("app.m", "map[pprof.refsTestConf]pprof.refsTestLarge").role(RefsMap),
			refsStepTo[refsTestLarge](RefsMapValue, 0, "map[pprof.refsTestConf]pprof.refsTestLarge[value]", "pprof.refsTestLarge"),
			refsStepTo[refsTestJob](RefsField, unsafe.Sizeof(&job), pkg+"refsTestLarge.jobs *refsTestJob", "pprof.refsTestJob")},
		"map with large array keys and values": {
			refsGlobalStep[map[[40]*refsTestJob][50]*int]("app.m", "map[[40]*pprof.refsTestJob][50]*int").role(RefsMap),
			refsStepTo[*refsTestJob](RefsMapKey, 0, "map[[40]*pprof.refsTestJob][50]*int[key]", "[40]*pprof.refsTestJob"),
			refsStepTo[refsTestJob](RefsField, 0, "[40]*pprof.refsTestJob[elem]", "pprof.refsTestJob")},
		"map of maps": {
			refsGlobalStep[map[int]map[string]bool]("app.m", "map[int]map[string]bool").role(RefsMap),
			refsStepTo[map[string]bool](RefsMapValue, 0, "map[int]map[string]bool[value]", "map[string]bool").role(RefsMap),
			refsStepTo[uint8](RefsMapKey, 0, "map[string]bool[key]", "string")},
		"map of interfaces": {
			refsGlobalStep[map[string]any]("app.m", "map[string]interface {}").role(RefsMap),
			refsDynamic[*refsTestJob](refsStepTo[refsTestJob](RefsMapValue, goarch.PtrSize, "map[string]interface {}[value](*pprof.refsTestJob)", "pprof.refsTestJob"))},

		"interface": {toJob,
			refsDynamic[*bufio.Writer](refsStepTo[bufio.Writer](RefsField, unsafe.Offsetof(job.w)+goarch.PtrSize, pkg+"refsTestJob.w io.Writer(*bufio.Writer)", "bufio.Writer"))},
		"interface with a boxed string": {toJob,
			refsDynamic[string](refsStepTo[string](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"refsTestJob.any interface {}(string)", "string")),
			refsStepTo[uint8](RefsField, 0, "*string[elem]", "string")},
		"interface with a boxed slice": {toJob,
			refsDynamic[[]*int](refsStepTo[[]*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"refsTestJob.any interface {}([]*int)", "[]*int")),
			refsStepTo[*int](RefsField, 0, "*[]*int[elem]", "[]*int"),
			refsStepTo[int](RefsField, 0, "[]*int[elem]", "int")},
		"interface with a boxed array": {toJob,
			refsDynamic[[3]*int](refsStepTo[*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"refsTestJob.any interface {}([3]*int)", "[3]*int")),
			refsStepTo[int](RefsField, 0, "[3]*int[elem]", "int")},
		"interface with a pointer to a pointer": {toJob,
			refsDynamic[**int](refsStepTo[*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"refsTestJob.any interface {}(**int)", "*int")),
			refsStepTo[int](RefsField, 0, "**int[elem]", "int")},
		"interface with a map": {toJob,
			refsDynamic[map[int]*int](refsStepTo[map[int]*int](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"refsTestJob.any interface {}(map[int]*int)", "map[int]*int").role(RefsMap)),
			refsStepTo[int](RefsMapValue, 0, "map[int]*int[value]", "int")},
		"interface with a function": {toJob,
			refsDynamic[func()](refsStepTo[func()](RefsField, unsafe.Offsetof(job.any)+goarch.PtrSize, pkg+"refsTestJob.any interface {}(func("+closureName+"))", "func("+closureName+")").role(RefsClosure).pc(closure))},
		"interface of unknown dynamic type": {toJob,
			{RefsNode{Kind: RefsField, Offset: unsafe.Offsetof(job.w) + goarch.PtrSize}, pkg + "refsTestJob.w io.Writer", "(unknown)"}},
		"slice of interfaces": {
			refsStatic[[]io.Writer](refsGlobalStep[io.Writer]("app.ws", "[]io.Writer")),
			refsDynamic[*bufio.Writer](refsStepTo[bufio.Writer](RefsField, goarch.PtrSize, "[]io.Writer[elem](*bufio.Writer)", "bufio.Writer"))},

		"closure": {toJob,
			refsStepTo[func()](RefsField, unsafe.Offsetof(job.fn), pkg+"refsTestJob.fn func("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure),
			refsStepTo[int](RefsCaptured, 8, closureName+".(slot+0x8)", "int")},
		"method value": {toJob,
			refsStepTo[func()](RefsField, unsafe.Offsetof(job.fn), pkg+"refsTestJob.fn func(runtime/pprof.(*refsTestJob).run-fm)", "func(runtime/pprof.(*refsTestJob).run-fm)").role(RefsClosure).pc(methodEntry)},
		"slice of functions": {
			refsStatic[[]func()](refsGlobalStep[func()]("app.fs", "[]func()")),
			refsStepTo[func()](RefsField, 0, "[]func()[elem]("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure)},

		"channel buffer": {toJob,
			refsStepTo[chan refsTestConf](RefsField, unsafe.Offsetof(job.done), pkg+"refsTestJob.done chan refsTestConf", "chan pprof.refsTestConf").role(RefsChan),
			refsStepTo[chan refsTestConf](RefsChanBuffer, 0, "chan pprof.refsTestConf[buffer]", "chan pprof.refsTestConf").role(RefsBuffer)},
		"channel with waiting goroutines": {
			refsGlobalStep[chan *int]("app.c", "chan *int").role(RefsChan),
			refsStepTo[uintptr](RefsChanWaiter, 0, "chan *int[waiter]", "uintptr")},
		"channel of structs": {toJob,
			refsStepTo[chan refsTestConf](RefsField, unsafe.Offsetof(job.done), pkg+"refsTestJob.done chan refsTestConf", "chan pprof.refsTestConf").role(RefsChan),
			refsStepTo[uint8](RefsChanElem, 0, pkg+"refsTestConf.name string", "string")},
		"channel of pointers": {
			refsGlobalStep[<-chan *int]("app.c", "<-chan *int").role(RefsChan),
			refsStepTo[int](RefsChanElem, 0, "<-chan *int[elem]", "int")},

		"atomic.Value": {toJob,
			refsDynamic[*refsTestBase](refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(job.val)+goarch.PtrSize, pkg+"refsTestJob.val interface {}(*refsTestBase)", "pprof.refsTestBase"))},
		"unsafe.Pointer": {toServer,
			refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(server.raw), pkg+"refsTestServer.raw *refsTestBase", "pprof.refsTestBase").with(func(n *RefsNode) { n.Untyped = true })},
		"unsafe.Pointer to something unknown": {toServer,
			{RefsNode{Kind: RefsField, Offset: unsafe.Offsetof(server.raw), Untyped: true}, pkg + "refsTestServer.raw (unknown)", "(unknown)"},
			{RefsNode{Kind: RefsUnknown, Offset: 24}, "(unknown)", "(unknown)"},
			{RefsNode{Kind: RefsField, Offset: 24}, "(unknown)", "(unknown)"}},
		"interior pointer": {
			refsGlobalStep[*int]("app.p", "*int"),
			refsStepTo[refsTestBase](RefsField, 0, "[]*int[elem]", "pprof.refsTestBase").with(func(n *RefsNode) { n.Untyped = true })},
		"slice of objects of another type": {toServer,
			refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(server.jobs), pkg+"refsTestServer.jobs []*refsTestJob", "pprof.refsTestBase").with(func(n *RefsNode) { n.Untyped = true })},
		"type descriptor": {toServer,
			{RefsNode{Kind: RefsField, Role: RefsType, Offset: unsafe.Offsetof(server.raw)}, pkg + "refsTestServer.raw (unknown)", "abi.Type"}},

		"local": {goroutine, frame,
			refsVariable[refsTestConf](refsStepTo[refsTestConf](RefsLocal, 0, pkg+"refsTestFunction.v *refsTestConf", "pprof.refsTestConf"), abi.FrameVarPointer),
			refsStepTo[uint8](RefsField, 0, pkg+"refsTestConf.name string", "string")},
		"temporary": {goroutine, frame,
			refsVariable[int](refsStepTo[int](RefsLocal, 0, pkg+"refsTestFunction.(temporary) *int", "int"), abi.FrameVarPointer).with(func(n *RefsNode) { n.Name = "" })},
		"local slice": {goroutine, frame,
			refsVariable[*refsTestJob](refsStepTo[*refsTestJob](RefsLocal, 0, pkg+"refsTestFunction.v []*refsTestJob", "[]*pprof.refsTestJob"), abi.FrameVarSliceData),
			refsStepTo[refsTestJob](RefsField, 0, "[]*pprof.refsTestJob[elem]", "pprof.refsTestJob")},
		"local string": {goroutine, frame,
			refsStepTo[uint8](RefsLocal, 0, pkg+"refsTestFunction.v string", "string").with(func(n *RefsNode) { n.Name, n.Form = "v", abi.FrameVarString })},
		"local map": {goroutine, frame,
			refsVariable[map[int]*int](refsStepTo[map[int]*int](RefsLocal, 0, pkg+"refsTestFunction.v map[int]*int", "map[int]*int"), abi.FrameVarMap).role(RefsMap),
			refsStepTo[int](RefsMapValue, 0, "map[int]*int[value]", "int")},
		"local func": {goroutine, frame,
			refsStepTo[int](RefsLocal, 0, pkg+"refsTestFunction.v func("+closureName+")", "func("+closureName+")").with(func(n *RefsNode) { n.Name, n.Form = "v", abi.FrameVarFunc }).role(RefsClosure).pc(closure)},
		"local interface": {goroutine, frame,
			refsDynamic[*refsTestBase](refsVariable[io.Writer](refsStepTo[refsTestBase](RefsLocal, 0, pkg+"refsTestFunction.v io.Writer(*refsTestBase)", "pprof.refsTestBase"), abi.FrameVarIfaceData))},
		"local interface whose type is not in the program": {goroutine, frame,
			refsDynamic[*refsTestBase](refsStepTo[refsTestBase](RefsLocal, 0, pkg+"refsTestFunction.v interface(*refsTestBase)", "pprof.refsTestBase").with(func(n *RefsNode) { n.Name, n.Form = "v", abi.FrameVarIface }))},
		"local empty interface": {goroutine, frame,
			refsDynamic[*refsTestBase](refsStepTo[refsTestBase](RefsLocal, 0, pkg+"refsTestFunction.v interface {}(*refsTestBase)", "pprof.refsTestBase").with(func(n *RefsNode) { n.Name, n.Form = "v", abi.FrameVarEface }))},
		"local pointer whose type is not in the program": {goroutine, frame,
			{RefsNode{Kind: RefsLocal, Name: "v", Form: abi.FrameVarPointer, Untyped: true}, pkg + "refsTestFunction.v (unknown)", "(unknown)"}},
		"local struct": {goroutine, frame,
			refsVariable[refsTestConf](refsStepTo[refsTestConf](RefsLocal, 0, pkg+"refsTestFunction.v refsTestConf", "-"), abi.FrameVarValue).role(RefsVariable),
			refsStepTo[refsTestBase](RefsField, unsafe.Offsetof(refsTestConf{}.tls), pkg+"refsTestConf.tls *refsTestBase", "pprof.refsTestBase")},
		"local struct without a name": {goroutine, frame,
			refsVariable[struct{ p *int }](refsStepTo[struct{ p *int }](RefsLocal, 0, pkg+"refsTestFunction.v struct { p *int }", "-"), abi.FrameVarValue).role(RefsVariable),
			refsStepTo[int](RefsField, 0, pkg+"refsTestFunction.v.p *int", "int")},
		"local array": {goroutine, frame,
			refsVariable[int](refsStepTo[int](RefsLocal, 0, pkg+"refsTestFunction.v [3]*int", "int"), abi.FrameVarPointer).with(func(n *RefsNode) { n.Count = 3 })},
		"captured variable": {
			refsGlobalStep[func()]("app.f", "func("+closureName+")").role(RefsClosure).pc(closure),
			refsVariable[int](refsStepTo[int](RefsCaptured, 8, closureName+".v *int", "int"), abi.FrameVarPointer)},
		"closure of a goroutine that has not begun": {goroutine, frame,
			refsStepTo[int](RefsContext, 0, pkg+"refsTestFunction.(closure) func("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure)},
		"deferred closure": {goroutine, frame,
			refsStepTo[int](RefsDefer, 0, pkg+"refsTestFunction.(defer) func("+closureName+")", "func("+closureName+")").role(RefsClosure).pc(closure)},
		"argument of a cleanup": {refsStepTo[int](RefsCleanup, 0, "(cleanup) runtime/pprof.refsTestFunction", "int").pc(abi.FuncPCABIInternal(refsTestFunction)),
			refsStepTo[*refsTestConf](RefsArgument, 0, "(argument) **pprof.refsTestConf", "*pprof.refsTestConf"),
			refsStepTo[refsTestConf](RefsField, 0, "**pprof.refsTestConf[elem]", "pprof.refsTestConf")},

		"slot": {goroutine, frame,
			refsStepTo[refsTestConf](RefsSlot, 0x18, pkg+"refsTestFunction.(slot-0x18)", "pprof.refsTestConf"),
			refsStepTo[uint8](RefsField, 0, pkg+"refsTestConf.name string", "string")},
		"argument":  {goroutine, frame, refsStepTo[int](RefsArg, 0x10, pkg+"refsTestFunction.(slot+0x10)", "int")},
		"registers": {goroutine, frame, refsStepTo[int](RefsRegisters, 0, pkg+"refsTestFunction.(registers)", "int")},
		"defer":     {goroutine, frame, refsStepTo[int](RefsDefer, 0, pkg+"refsTestFunction.(defer)", "int")},
		"deep stack": {goroutine, {RefsNode{Kind: RefsDeepStack}, "runtime._DeepStack", "-"}, frame,
			refsStepTo[int](RefsSlot, 8, pkg+"refsTestFunction.(slot-0x8)", "int")},
		"goroutine without frames": {goroutine, refsStepTo[int](RefsDefer, 0, "(defer)", "int")},

		"finalizer":            {refsStepTo[refsTestBase](RefsFinalizer, 0, "(finalizer) *pprof.refsTestBase", "pprof.refsTestBase")},
		"finalizer of unknown": {{RefsNode{Kind: RefsFinalizer}, "(finalizer) (unknown)", "(unknown)"}},
		"finalizer function": {refsStepTo[refsTestBase](RefsFinalizer, 0, "(finalizer) *pprof.refsTestBase", "pprof.refsTestBase"),
			{RefsNode{Kind: RefsFunction, Role: RefsClosure, PC: closure}, "(function) func(" + closureName + ")", "func(" + closureName + ")"}},
		"finalizer queue":      {{RefsNode{Kind: RefsFinalizerQueue}, "(finalizer queue)", "(unknown)"}},
		"cleanup":              {refsStepTo[int](RefsCleanup, 0, "(cleanup) runtime/pprof.refsTestFunction", "int").pc(abi.FuncPCABIInternal(refsTestFunction))},
		"cleanup queue":        {{RefsNode{Kind: RefsCleanupQueue}, "(cleanup queue)", "(unknown)"}},
		"timer":                {refsStepTo[int](RefsTimer, 0, "(timer) runtime/pprof.refsTestFunction", "int").pc(abi.FuncPCABIInternal(refsTestFunction))},
		"timer with a channel": {refsStepTo[chan time.Time](RefsTimer, 0, "(timer) chan time.Time", "chan time.Time").role(RefsChan)},
		"weak":                 {{RefsNode{Kind: RefsWeak}, "(weak handle)", "(unknown)"}},
		"barrier":              {refsStepTo[int](RefsBarrier, 0, "(write barrier)", "int")},
		"allocated":            {refsStepTo[int](RefsAllocated, 0, "(allocated during GC)", "int")},
		"no memory":            {{RefsNode{Kind: RefsNoMemory}, "(not recorded)", "(unknown)"}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			checkRefsNames(t, steps)
		})
	}
}

// refsVariable makes a step that to the variable v of a function, T being what its entry
// tells in a form.
func refsVariable[T any](s refsStep, form uint8) refsStep {
	return s.with(func(n *RefsNode) { n.Name, n.Form, n.Static = "v", form, typeFor[T]() })
}

// checkRefsNames checks the names of one path. Steps are below one another.
func checkRefsNames(t *testing.T, steps []refsStep) {
	nodes := make([]RefsNode, 1)
	var names, types []string
	for i, s := range steps {
		s.node.Parent = int32(i)
		if s.typ != "-" {
			s.node.Objects, s.node.Bytes = 1, 8
			types = append(types, s.typ)
		}
		if s.name != "" {
			names = append(names, s.name)
		}
		if s.node.Kind == RefsGoroutine {
			names = append(names, "(stack)")
		}
		nodes = append(nodes, s.node)
	}
	r := newRefs(&RefsProfile{Nodes: nodes})
	var got []string
	for _, e := range r.elems {
		if e.pc != 0 {
			e.name = frameFunction(e.pc)
		}
		got = append(got, e.name)
	}
	slices.Sort(names)
	slices.Sort(got)
	if !slices.Equal(got, slices.Compact(names)) {
		t.Errorf("names\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(names, "\n\t"))
	}
	got = nil
	for _, s := range r.samples {
		got = append(got, r.types[s.typ])
	}
	if !slices.Equal(got, types) {
		t.Errorf("types of objects %q, want %q", got, types)
	}
}

//go:noinline
func refsTestFunction() { io.Discard.Write(nil) }

// TestRefsTypeWords checks findRefsWord on every word of a type against a walk
// that lists all its fields from the outside in.
func TestRefsTypeWords(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[refsTestServer](), reflect.TypeFor[refsTestJob](), reflect.TypeFor[[2]refsTestServer](),
		reflect.TypeFor[testing.T](), reflect.TypeFor[time.Timer](), reflect.TypeFor[[]int](), reflect.TypeFor[[3][2]string](),
	} {
		want := make(map[uintptr]string)
		listRefsWords(typ, 0, "", want)
		for offset := range typ.Size() {
			at := findRefsWord(typ, offset, "", "elem")
			name := at.name
			if at.leaf != nil {
				name += " " + at.leaf.String()
			}
			if w, ok := want[offset]; ok && name != w {
				t.Errorf("%v at %d: %s, want %s", typ, offset, name, w)
			} else if !ok && at.leaf != nil {
				t.Errorf("%v at %d: %s, want nothing", typ, offset, name)
			}
		}
	}
}

// listRefsWords lists all bytes of a value of type t at offset by the names of
// the words that they are in. prefix is the owner and the fields above.
func listRefsWords(t reflect.Type, offset uintptr, prefix string, words map[uintptr]string) {
	leaf := atomicReference(t)
	switch {
	case leaf != nil:
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			listRefsWords(t.Elem(), offset+uintptr(i)*t.Elem().Size(), prefix, words)
		}
		return
	case t.Kind() == reflect.Struct:
		if prefix == "" {
			prefix = t.PkgPath() + "." + t.Name()
		}
		for i := range t.NumField() {
			f := t.Field(i)
			listRefsWords(f.Type, offset+f.Offset, prefix+"."+f.Name, words)
		}
		return
	default:
		leaf = t
	}
	if prefix == "" {
		prefix = "elem"
	}
	for i := range t.Size() {
		words[offset+i] = prefix + " " + leaf.String()
	}
}

// TestRefsNamesKept checks that a name found for one reference is given to those alone
// that it fits: of nodes of several values of each property, combined, each has the name
// that it has when no other was described before.
func TestRefsNamesKept(t *testing.T) {
	type owner struct{ First, Second *int }
	nodes := []RefsNode{{}}
	for _, parent := range []RefsNode{
		{Kind: RefsGlobal, Role: RefsVariable, Name: "app.x", Type: typeFor[struct{ First, Second *int }]()},
		{Kind: RefsGlobal, Role: RefsVariable, Name: "app.y", Type: typeFor[struct{ First, Second *int }]()},
		{Kind: RefsGlobal, Role: RefsObject, Name: "app.o", Static: typeFor[*owner](), Type: typeFor[owner]()},
		{Kind: RefsGlobal, Role: RefsObject, Name: "app.s", Static: typeFor[[]owner](), Type: typeFor[owner]()},
		{Kind: RefsGlobal, Role: RefsMap, Name: "app.m", Type: typeFor[map[string]owner]()},
		{Kind: RefsCleanup, PC: abi.FuncPCABIInternal(TestRefsNamesKept)},
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
	namer := newRefsNamer(nodes)
	for i := range nodes {
		if i == 0 {
			continue
		}
		got := namer.name(i)
		alone := newRefsNamer(nodes)
		if p := int(nodes[i].Parent); p != 0 {
			alone.name(p)
		}
		if want := alone.name(i); got != want {
			t.Errorf("node %d, %+v below %+v: %+v, want %+v", i, nodes[i], nodes[nodes[i].Parent], got, want)
		}
	}
}
