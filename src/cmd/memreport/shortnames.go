// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The text of a report has the last element of a package's path, as source code
// does: github.com/nats-io/nats-server/v2/server.Account is server.Account. Whole
// paths fill lines; -json has them.

package main

import (
	"regexp"
	"strings"
)

// longName matches lines of files, which stay, and names with the path of a
// package in which an element, such as the host, has a dot.
var longName = regexp.MustCompile(`[^\s>]*\.\w+:[0-9]+|(?:[\w~%-]+/)*[\w~-]+\.[\w.~-]+/(?:[\w.~%-]+/)*[\w~%-]+\.[\pL_(]`)

// majorVersion matches the last element of a path that is no name, as in
// github.com/nats-io/nats-server/v2 and k8s.io/api/apps/v1beta1.
var majorVersion = regexp.MustCompile(`^v[0-9]+\w*\.`)

// shortNames replaces the paths of packages in a line.
func shortNames(line string) string {
	return longName.ReplaceAllStringFunc(line, func(name string) string {
		elements := strings.Split(name, "/")
		short := elements[len(elements)-1]
		switch pkg, _, _ := strings.Cut(short, "."); {
		case fileLine.MatchString(name) || stdTrees[pkg]:
			return name
		case majorVersion.MatchString(short):
			return elements[len(elements)-2] + "/" + short
		}
		return short
	})
}

var fileLine = regexp.MustCompile(`:[0-9]+$`)
