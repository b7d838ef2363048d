// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the pages that Index lists and that are not profiles of
// runtime/pprof. Index serves them, because many programs route /debug/pprof/
// to Index, and register no other handler of this package.

package pprof

import (
	"net/http"
	"runtime/pprof"
)

// pages has the handlers of the pages, by name. Other files may add some.
var pages = map[string]http.HandlerFunc{
	"cmdline": Cmdline,
	"faults":  Faults,
	"profile": Profile,
	"symbol":  Symbol,
	"trace":   Trace,
}

// page returns the handler that Index uses for a name, which is that of a page
// or a profile. A profile is preferred to a page of the same name, because it
// may be the program's own.
func page(name string) http.Handler {
	if p, ok := pages[name]; ok && pprof.Lookup(name) == nil {
		return p
	}
	return handler(name)
}
