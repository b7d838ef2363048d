// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Alloy uses the package of Grafana Alloy to parse a configuration, and prints
// the paths of the profiles that the configuration collects.
//
//	alloy FILE
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/grafana/alloy/syntax/ast"
	"github.com/grafana/alloy/syntax/parser"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: alloy FILE")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	file, err := parser.ParseFile(os.Args[1], text)
	if err != nil {
		log.Fatal(err)
	}
	ast.Walk(paths{}, file)
}

// paths prints the values of attributes named path.
type paths struct{}

func (p paths) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AttributeStmt); ok && a.Name.Name == "path" {
		if v, ok := a.Value.(*ast.LiteralExpr); ok {
			fmt.Println(v.Value)
		}
	}
	return p
}
