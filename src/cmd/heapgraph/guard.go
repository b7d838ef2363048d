// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file protects the pages from other sites. A page of another site cannot
// read them, unless the name of its host resolves to this machine's address
// (DNS rebinding). A request from such a page has that name in its header Host.
// Therefore only requests for localhost, for an IP address or for the host of
// -http are answered.
//
// Names in a snapshot may be hostile. html/template escapes them, and the
// Content-Security-Policy allows only the scripts and styles of heapgraph
// itself.

package main

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard returns a handler that passes requests to h, and refuses those for
// hosts that allowedHost does not allow. host is the host at which h is served.
func guard(host string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		if !allowedHost(host, r.Host) {
			http.Error(w, "The request is for a host that is not served. To allow it, name it in the flag -http.", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// allowedHost reports whether the server at host may answer a request whose
// header Host is hostport.
func allowedHost(host, hostport string) bool {
	name := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") || strings.EqualFold(name, host)
}
