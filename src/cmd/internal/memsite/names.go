// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file shortens names for places where there is little room. There, the
// title attribute of the HTML element, or the title element of the SVG
// picture's box, has the whole name.

package memsite

import "regexp"

// importPath matches the path of a package without its last element.
var importPath = regexp.MustCompile(`[\w.~%-]+(/[\w.~%-]+)*/`)

// Cut returns a name without its end if it is very long.
func Cut(name string) string {
	const most = 500
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}

// Ends returns the beginning and the end of a path that is very long.
func Ends(path string) string {
	const most = 4000
	if len(path) > most {
		return path[:most/2] + " … " + path[len(path)-most/2:]
	}
	return path
}

// ShortName returns a name with only the last element of each package path.
func ShortName(name string) string { return importPath.ReplaceAllString(name, "") }
