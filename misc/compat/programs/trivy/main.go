// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Trivy prints the version of the standard library that Trivy, a scanner for
// vulnerabilities, finds in a Go program.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/aquasecurity/trivy/pkg/dependency/parser/golang/binary"
)

func main() {
	log.SetFlags(0)
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	packages, _, err := binary.NewParser().Parse(context.Background(), file)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range packages {
		if p.Name == "stdlib" {
			fmt.Println(p.Version)
		}
	}
}
