// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestCheckLoopback(t *testing.T) {
	tests := map[string]bool{
		"nats://127.0.0.1:4222":    true,
		"nats://[::1]:4222":        true,
		"nats://10.0.0.1:4222":     false,
		"nats://nats.invalid:4222": false,
		"127.0.0.1:4222":           false,
		"":                         false,
	}
	for server, ok := range tests {
		if err := checkLoopback(server); (err == nil) != ok {
			t.Errorf("checkLoopback(%q) = %v, want ok = %v", server, err, ok)
		}
	}
}
