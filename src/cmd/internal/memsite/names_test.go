// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memsite

import "testing"

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"goroutine github.com/nats-io/nats-server/v2/server.(*Server).Start": "goroutine server.(*Server).Start",
		"map[string]*example.com/a.T":                                        "map[string]*a.T",
		"tree.T[example.com/x/y.K,go.uber.org/z.V]":                          "tree.T[y.K,z.V]",
		"[]uint8":                 "[]uint8",
		"(all roots)":             "(all roots)",
		"a > b/c.d > e":           "a > c.d > e",
		"gopkg.in/yaml%2ev3.Node": "yaml%2ev3.Node",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("short name of %s is %s, want %s", name, got, want)
		}
	}
}
