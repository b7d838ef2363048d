// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file computes the hash of a release's tree, which lib/upstream.json
// pins. It has the form of the hashes in go.sum: SHA-256 over a line for each
// file, in the order of the names, with the file's own SHA-256, two spaces and
// the name. Graft computes it itself, because a build without a network could
// not fetch a module that does.

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
)

// hashTree returns the hash over the named files. open returns their contents.
func hashTree[F io.ReadCloser](names []string, open func(name string) (F, error)) (string, error) {
	sum := sha256.New()
	for _, name := range slices.Sorted(slices.Values(names)) {
		if strings.Contains(name, "\n") {
			return "", fmt.Errorf("file name %q has a newline", name)
		}
		f, err := open(name)
		if err != nil {
			return "", err
		}
		file := sha256.New()
		_, err = io.Copy(file, f)
		f.Close()
		if err != nil {
			return "", fmt.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(sum, "%x  %s\n", file.Sum(nil), name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(sum.Sum(nil)), nil
}
