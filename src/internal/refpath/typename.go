// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes types as the source of a package writes them: the package's
// own types have no package name. The type of a reference is written as in the
// package of its owner. Viewers such as pprof's flame graph shorten a name in a
// narrow box to the part after its last dots. With fewer dots in the type, this
// part has the field or the variable, and not only the end of the type.

package refpath

import (
	"reflect"
	"strconv"
	"strings"
)

// A pkgPath is the path of a package. If it is "", all types are qualified.
type pkgPath string

// fullPaths stands for no package: types are written with the paths of their
// packages.
const fullPaths pkgPath = "/"

// FullName returns t with the paths of packages, and not with their names.
func FullName(t reflect.Type) string { return fullPaths.typeName(t) }

// TypeIn returns a type as source of the package at a path writes it. typ has
// the full paths of packages.
func TypeIn(pkg, typ string) string {
	if !strings.ContainsAny(typ, "./") {
		return typ
	}
	return pkgPath(pkg).arguments(typ)
}

// PackageOf returns the path of the package of a function, a variable or a type
// with the given name in the program's tables, or "".
func PackageOf(name string) string { return string(ownerPackage(name)) }

// ownerPackage returns the package of a function or variable. name is its name
// in the program's tables.
func ownerPackage(name string) pkgPath {
	if i := strings.IndexAny(name, "([ "); i >= 0 {
		name = name[:i]
	}
	directory := strings.LastIndexByte(name, '/') + 1
	last, _, ok := strings.Cut(name[directory:], ".")
	if !ok {
		return ""
	}
	return pkgPath(name[:directory] + unescaped(last))
}

// unescaped returns a path with its dots as they are in the source. In names of
// symbols, the compiler escapes dots in the last element of a path.
func unescaped(path string) string { return strings.ReplaceAll(path, "%2e", ".") }

// typeName returns t as source of the package writes it. In interface types
// without a name, however, all types have package names.
func (pkg pkgPath) typeName(t reflect.Type) string {
	if t.Name() != "" {
		return pkg.named(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + pkg.typeName(t.Elem())
	case reflect.Slice:
		return "[]" + pkg.typeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + pkg.typeName(t.Elem())
	case reflect.Map:
		return "map[" + pkg.typeName(t.Key()) + "]" + pkg.typeName(t.Elem())
	case reflect.Chan:
		return pkg.chanName(t)
	case reflect.Func:
		return "func" + pkg.signature(t)
	case reflect.Struct:
		return pkg.structName(t)
	}
	return t.String()
}

// named returns a type that has a name.
func (pkg pkgPath) named(t reflect.Type) string {
	if pkg == fullPaths {
		return ownerName(t)
	}
	name := t.String()
	if pkg != "" && t.PkgPath() == string(pkg) {
		name = t.Name()
	}
	generic, arguments, ok := strings.Cut(name, "[")
	if !ok {
		return name
	}
	return generic + "[" + pkg.arguments(arguments)
}

// arguments returns types, such as type arguments. text has them as in the name
// that reflect gives to a type: with the full paths of packages. The names of these packages
// are not known, so arguments uses those that packageName returns.
func (pkg pkgPath) arguments(text string) string {
	var b strings.Builder
	for text != "" {
		end := strings.IndexAny(text, "[](){}*,; ")
		if end < 0 {
			end = len(text)
		}
		name := text[:end]
		if i := strings.LastIndexByte(name, '.'); i >= 0 && strings.Trim(name, ".") == name {
			if path := unescaped(name[:i]); path == string(pkg) {
				name = name[i+1:]
			} else {
				name = packageName(path) + name[i:]
			}
		}
		b.WriteString(name)
		b.WriteString(text[end:min(end+1, len(text))])
		text = text[min(end+1, len(text)):]
	}
	return b.String()
}

// packageName returns the name that most packages at a path have: the last
// element that is not the version of a module, without a version at its end,
// such as .v3.
func packageName(path string) string {
	directory, last := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		directory, last = path[:i], path[i+1:]
	}
	if isVersion(last) && directory != "" {
		return packageName(directory)
	}
	if i := strings.LastIndex(last, ".v"); i > 0 && isVersion(last[i+1:]) {
		last = last[:i]
	}
	return last
}

// isVersion reports whether an element of a path is the major version of a
// module.
func isVersion(element string) bool {
	if len(element) < 2 || element[0] != 'v' {
		return false
	}
	_, err := strconv.ParseUint(element[1:], 10, 0)
	return err == nil
}

func (pkg pkgPath) chanName(t reflect.Type) string {
	elem := pkg.typeName(t.Elem())
	if t.ChanDir() == reflect.BothDir && strings.HasPrefix(elem, "<-") {
		elem = "(" + elem + ")"
	}
	return t.ChanDir().String() + " " + elem
}

// signature returns the parameters and results of a function.
func (pkg pkgPath) signature(t reflect.Type) string {
	in := make([]string, t.NumIn())
	for i := range in {
		in[i] = pkg.typeName(t.In(i))
	}
	if t.IsVariadic() {
		last := t.In(len(in) - 1)
		in[len(in)-1] = "..." + pkg.typeName(last.Elem())
	}
	out := make([]string, t.NumOut())
	for i := range out {
		out[i] = pkg.typeName(t.Out(i))
	}
	parameters, results := "("+strings.Join(in, ", ")+")", strings.Join(out, ", ")
	switch len(out) {
	case 0:
		return parameters
	case 1:
		return parameters + " " + results
	}
	return parameters + " (" + results + ")"
}

func (pkg pkgPath) structName(t reflect.Type) string {
	if t.NumField() == 0 {
		return "struct {}"
	}
	fields := make([]string, t.NumField())
	for i := range fields {
		f := t.Field(i)
		fields[i] = pkg.typeName(f.Type)
		if !f.Anonymous {
			fields[i] = f.Name + " " + fields[i]
		}
		if f.Tag != "" {
			fields[i] += " " + strconv.Quote(string(f.Tag))
		}
	}
	return "struct { " + strings.Join(fields, "; ") + " }"
}
