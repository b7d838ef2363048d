// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The text of a report has the last element of a package's path, as source code
// does: github.com/nats-io/nats-server/v2/server.Account is server.Account. Whole
// paths fill lines; -json has them.

package main

import "regexp"

// longName matches lines of files, which stay, and names with the path of a
// package that begins with a host.
var longName = regexp.MustCompile(`[^\s>]*\.go:[0-9]+|[\w~-]+\.[\w.~-]+/(?:[\w.~%-]+/)*?([\w~%-]+(?:/v[0-9]+)?\.[\pL_(])`)

// shortNames replaces the paths of packages in a line.
func shortNames(line string) string {
	return longName.ReplaceAllStringFunc(line, func(name string) string {
		if m := longName.FindStringSubmatch(name); m[1] != "" {
			return m[1]
		}
		return name
	})
}
