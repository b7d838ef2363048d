// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file protects the pages from other sites. A page of another site cannot
// read them, but it could make the server work. Therefore requests that a
// browser says are from another site are refused: a browser sends Sec-Fetch-Site
// or, if it is old, may send Origin. A page whose host's name resolves to this
// machine's address (DNS rebinding) has the same origin. Its requests have that
// name in the header Host. Therefore only requests for localhost, for an IP
// address or for the host of -http are answered.
//
// Names in a snapshot may be hostile. html/template escapes them, and the
// Content-Security-Policy allows only the scripts and styles of the tool
// itself.

package memsite

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Guard returns a handler that passes requests to h, and refuses those for
// hosts that allowedHost does not allow. host is the host at which h is served.
func Guard(host string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range policies {
			w.Header().Set(name, value)
		}
		switch {
		case !allowedHost(host, r.Host):
			http.Error(w, "The request is for a host that is not served. To allow it, name it in the flag -http.", http.StatusForbidden)
		case !sameOrigin(r):
			http.Error(w, "The request is from a page of another site. To follow a link from there, copy it to the address bar.", http.StatusForbidden)
		case len(r.RequestURI) > MaxURI:
			http.Error(w, "The URL is too long.", http.StatusRequestURITooLong)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// policies are the headers of all answers.
var policies = map[string]string{
	"Content-Security-Policy":      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
}

// RemovePolicies removes the headers that Guard sets from an answer that is
// passed on by another guard, because some are void if they are there twice.
func RemovePolicies(h http.Header) {
	for name := range policies {
		h.Del(name)
	}
}

// MaxURI is the largest number of bytes of a URL. Pages repeat parts of it.
const MaxURI = 32 << 10

// sameOrigin reports whether a request is from the user, from a page of this
// server or from a program that is no browser.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
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
