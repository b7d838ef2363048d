// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"net/http"
	"net/url"
	"testing"
)

// TestParameters gets each page with right and wrong values of each parameter,
// and of some pairs of parameters. The server may answer with an error, but
// must not fail.
func TestParameters(t *testing.T) {
	h := loadTestSite(t, (&server{sessions: 120}).file(t), (&server{sessions: 3}).file(t))
	pages := []string{"/", "/flame", "/tree", "/tree/rows", "/types", "/vertices", "/object", "/references", "/paths", "/diff", "/search"}
	parameters := []string{"address", "root", "node", "from", "level", "paths", "part", "way", "by", "sort", "q", "name"}
	values := []string{"", "0", "1", "-1", "2147483647", "99999999999999999999", "0x", "0x0", "0xa000", "0x7fffffffffffffff",
		"0xffffffffffffffff", "in", "type", "path", "retained", "(", "a{1001}", "\x00", "\xff", hostileName}
	get := func(page string, q url.Values) {
		p := getPage(t, h, page+"?"+q.Encode())
		switch p.status {
		case http.StatusOK, http.StatusFound, http.StatusBadRequest, http.StatusNotFound:
		default:
			t.Errorf("%s?%s: status %d\n%s", page, q.Encode(), p.status, p.body)
		}
	}
	for _, page := range pages {
		for i, name := range parameters {
			for j, value := range values {
				q := url.Values{name: {value}}
				get(page, q)
				if j%4 != 0 {
					continue
				}
				q.Set(parameters[(i+j+1)%len(parameters)], values[(3*j+i)%len(values)])
				get(page, q)
			}
		}
	}
}
