// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmd/internal/filetool"
	"fmt"
	"net/url"
	"strings"
)

// wrongTool returns an error if a source, a file or a URL, is no profile, but for
// another tool.
func wrongTool(source string) error {
	if u, err := url.Parse(source); err == nil && u.Host != "" && strings.HasSuffix(u.Path, "/debug/pprof/heapgraph") {
		return fmt.Errorf("this is a heap graph, for which the command is: go tool heapgraph -http=: %s", source)
	}
	return filetool.Check("pprof", source)
}
