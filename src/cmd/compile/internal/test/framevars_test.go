// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package test

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"internal/testenv"
	"internal/vartable"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const frameVarsSource = `package p

import "io"

type T struct{ next *T }
type wide struct{ a, b *T; rest [3]*T }

func use(...any)
func keep(*T, []T, string, map[int]*T, chan T, func(), io.Reader, any)
func newT() *T
func newSlice() []T
func newString() string
func newMap() map[int]*T
func newChan() chan T
func newFunc() func()
func newReader() io.Reader
func newAny() any
func newWide() wide
func newArray() [5]*T
func useWide(wide)
func useArray([5]*T)
func fill(**T)
func call(func())

func kinds() {
	pointer, slice, text, table, queue, fn := newT(), newSlice(), newString(), newMap(), newChan(), newFunc()
	reader, empty := newReader(), newAny()
	use()
	keep(pointer, slice, text, table, queue, fn, reader, empty)
}

func shared(first bool) {
	if first {
		a := newWide()
		use()
		useWide(a)
	} else {
		b := newWide()
		use()
		useWide(b)
	}
}

func arguments(p *T, s []T) (result *T, err error) {
	result = newT()
	use()
	p.next, s[0].next = nil, result
	return result, nil
}

func array() {
	many := newArray()
	use()
	useArray(many)
}

func closures(p *T, n int) func() {
	q := newT()
	return func() { p.next = q; q = nil; n++ }
}

type S struct{ p *T }

func (s *S) method() { s.p = nil }

func methodValue(s *S) func() { return s.method }

//go:noescape
func look(*T, []*T, map[int]*T)
func newInt() int

func objects() {
	one, many, table := &T{next: newT()}, make([]*T, 3), make(map[int]*T)
	many[0] = newT()
	table[0] = newT()
	use()
	look(one, many, table)
}

func hinted() {
	table := make(map[int]*T, newInt())
	use()
	look(nil, nil, table)
}

func later() {
	var a *T
	b := newT()
	use()
	a = b
	use()
	useT(b)
	useT(a)
}

func exchanged(n int) {
	a, b := newT(), newT()
	for range n {
		a, b = b, a
		use()
	}
	useT(a)
	useT(b)
}

func inlined() {
	body := result()
	use()
	useT(body)
}
func result() *T {
	t := newT()
	return t
}

func parts(c bool) {
	var x struct{ t, u *T }
	if c {
		x.t, x.u = newT(), newT()
	}
	use()
	useT(x.t)
	useT(x.u)
}

func part(x struct {
	list []*T
	n    int
}) {
	use()
	for _, t := range x.list {
		useT(t)
	}
}

func deferred(p *T) {
	defer fill(&p.next)
	defer useT(p)
	use()
}
func useT(*T)

func noPointers(n int) int { use(); return n }
`

// TestFrameVars compiles functions, and compares the entries of their variables
// with the variables in the source. It does not compare positions.
func TestFrameVars(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("which variables are in the frame depends on the calling convention")
	}
	testenv.MustHaveGoBuild(t)
	t.Parallel()
	got := compileFrameVars(t, "-S")
	tests := []struct {
		function string
		want     []string
	}{
		{"kinds", []string{
			"local pointer *p.T", "local slice data []p.T", "local text data string", "local table map[int]*p.T",
			"local queue chan p.T", "local fn func", "local reader data io.Reader", "local empty data any",
		}},
		{"shared", []string{"local a p.wide shared", "local b p.wide shared"}},
		{"arguments", []string{"arg p *p.T", "arg s []p.T", "local result *p.T"}},
		{"array", []string{"local many [5]*p.T"}},
		{"closures.func1", []string{"captured n *int", "captured p *p.T", "captured q **p.T"}},
		{"(*S).method-fm", []string{"captured . *p.S"}},
		{"objects", []string{"local one p.T", "local many [3]*p.T", "local table header of map[int]*p.T"}},
		{"hinted", []string{"local table header of map[int]*p.T", "local table map[int]*p.T"}},
		{"later", []string{"local a,b *p.T"}},
		{"exchanged", []string{"local a,b *p.T", "local a,b *p.T"}},
		{"inlined", []string{"local body *p.T"}},
		{"parts", []string{"local x.t *p.T", "local x.u *p.T"}},
		{"part", []string{"arg x struct { p.list []*p.T; p.n int }", "local x.list data []*p.T"}},
		{"deferred.deferwrap2", []string{"captured p *p.T"}},
		{"noPointers", nil},
	}
	for _, test := range tests {
		vars := slices.DeleteFunc(got[test.function], func(v string) bool { return strings.Contains(v, " (temporary) ") })
		slices.Sort(vars)
		slices.Sort(test.want)
		if !slices.Equal(vars, test.want) {
			t.Errorf("%s: %q, want %q", test.function, vars, test.want)
		}
	}
	if got := compileFrameVars(t, "-S -d=framevars=0"); len(got) != 0 {
		t.Errorf("with -d=framevars=0: %q", got)
	}
}

var (
	frameVarsSymbol = regexp.MustCompile(`^p\.(.*)\.framevars1 SRODATA`)
	frameVarsBytes  = regexp.MustCompile(`^\t0x[0-9a-f]+((?: [0-9a-f]{2})+)  `)
	frameVarsReloc  = regexp.MustCompile(`^\trel (\d+)\+4 t=\S+ type:(.*)\+0$`)
)

// compileFrameVars compiles the functions, and returns the frame variables that
// the compiler prints for each of them.
func compileFrameVars(t *testing.T, flags string) map[string][]string {
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module p\ngo 1.26\n", "p.go": frameVarsSource, "empty.s": ""}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := testenv.Command(t, testenv.GoToolPath(t), "build", "-gcflags=p="+flags, ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	functions := make(map[string]*frameVarsData)
	var data *frameVarsData
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\n")
		if m := frameVarsSymbol.FindStringSubmatch(line); m != nil {
			data = new(frameVarsData)
			functions[m[1]] = data
		} else if !strings.HasPrefix(line, "\t") {
			data = nil
		} else if m := frameVarsBytes.FindStringSubmatch(line); m != nil && data != nil {
			b, err := hex.DecodeString(strings.ReplaceAll(m[1], " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			data.bytes = append(data.bytes, b...)
		} else if m := frameVarsReloc.FindStringSubmatch(line); m != nil && data != nil {
			off, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			data.types = append(data.types, m[2])
			binary.NativeEndian.PutUint32(data.bytes[off:], uint32(len(data.types)))
		}
	}
	vars := make(map[string][]string)
	for name, data := range functions {
		vars[name] = data.decode()
	}
	return vars
}

// frameVarsData is the content of a symbol. Where a type's offset belongs,
// bytes have the number of the type in types, counted from 1.
type frameVarsData struct {
	bytes []byte
	types []string
}

// decode returns each entry as "place name type".
func (d *frameVarsData) decode() (vars []string) {
	r := vartable.NewFrameReader(d.bytes)
	for v := (vartable.FrameEntry{}); r.Next(&v, -1); {
		place := map[uint8]string{vartable.PlaceCaptured: "captured", vartable.PlaceArg: "arg", vartable.PlaceLocal: "local"}[v.Place]
		name := cmp.Or(string(d.bytes[v.NameAt:][:v.NameSize]), "(temporary)")
		count, typ, shared := "", "", ""
		if v.Count != 0 {
			count = fmt.Sprintf("[%d]", v.Count)
		}
		if v.Type != 0 {
			typ = d.types[v.Type-1]
		}
		if !v.Live { // stack map -1 has no variables
			shared = " shared"
		}
		vars = append(vars, place+" "+name+" "+fmt.Sprintf(frameVarForms[v.Form], count, typ)+shared)
	}
	return vars
}

var frameVarForms = map[uint8]string{
	vartable.FormValue:      "%s%s",
	vartable.FormPointer:    "%s*%s",
	vartable.FormSlice:      "%s[]%s",
	vartable.FormString:     "%sstring%s",
	vartable.FormMap:        "%s%s",
	vartable.FormChan:       "%s%s",
	vartable.FormFunc:       "%sfunc%s",
	vartable.FormEface:      "%sany%s",
	vartable.FormIface:      "%s%s",
	vartable.FormUnsafe:     "%sunsafe.Pointer%s",
	vartable.FormClosure:    "%sclosure%s",
	vartable.FormSliceData:  "%sdata []%s",
	vartable.FormStringData: "%sdata string%s",
	vartable.FormIfaceData:  "%sdata %s",
	vartable.FormEfaceData:  "%sdata any%s",
	vartable.FormMapHeader:  "%sheader of %s",
	vartable.FormMapGroup:   "%sgroup of %s",
}
