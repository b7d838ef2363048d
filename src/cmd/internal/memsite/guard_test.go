// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memsite

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	h := Guard("view.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	for host, want := range map[string]int{
		"localhost":         http.StatusOK,
		"LOCALHOST:8080":    http.StatusOK,
		"127.0.0.1:8080":    http.StatusOK,
		"[::1]:8080":        http.StatusOK,
		"::1":               http.StatusOK,
		"192.0.2.1":         http.StatusOK,
		"view.example:80":   http.StatusOK,
		"":                  http.StatusForbidden,
		":8080":             http.StatusForbidden,
		"evil.example":      http.StatusForbidden,
		"localhost.evil.to": http.StatusForbidden,
		"evil.to:localhost": http.StatusForbidden,
		"127.0.0.1.evil.to": http.StatusForbidden,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: status %d, want %d", host, w.Code, want)
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'self';") {
			t.Errorf("the security policy is %q", policy)
		}
	}
}

// TestGuardOrigin checks that requests from pages of other sites are refused.
func TestGuardOrigin(t *testing.T) {
	h := Guard("localhost", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	for _, test := range []struct {
		site, origin string
		want         int
	}{
		{"", "", http.StatusOK}, // no browser
		{"none", "", http.StatusOK},
		{"same-origin", "", http.StatusOK},
		{"same-origin", "http://localhost:8080", http.StatusOK},
		{"", "http://localhost:8080", http.StatusOK},
		{"same-site", "", http.StatusForbidden}, // another port of this machine
		{"cross-site", "", http.StatusForbidden},
		{"something", "", http.StatusForbidden},
		{"", "http://localhost:8081", http.StatusForbidden},
		{"", "http://evil.example", http.StatusForbidden},
		{"", "null", http.StatusForbidden},
		{"same-origin", "http://evil.example", http.StatusForbidden},
	} {
		r := httptest.NewRequest("GET", "http://localhost:8080/flame", nil)
		for key, value := range map[string]string{"Sec-Fetch-Site": test.site, "Origin": test.origin} {
			if value != "" {
				r.Header.Set(key, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%+v: status %d", test, w.Code)
		}
	}
}
