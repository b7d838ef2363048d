// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The pages that Index lists and that are no profiles of runtime/pprof. Index serves them,
// because many programs route all of /debug/pprof/ to Index and nothing else.

package pprof

import (
	"net/http"
	"runtime/pprof"
)

// pages are the handlers of the pages, by name.
var pages = map[string]http.HandlerFunc{
	"cmdline": Cmdline,
	"faults":  Faults,
	"profile": Profile,
	"symbol":  Symbol,
	"trace":   Trace,
}

// page returns the handler of what Index serves under a name: a page or a profile. A
// program may have a profile of its own that is called as a page is.
func page(name string) http.Handler {
	if p, ok := pages[name]; ok && pprof.Lookup(name) == nil {
		return p
	}
	return handler(name)
}
