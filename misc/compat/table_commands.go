// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// commands are programs that people install, most of them large, and programs
// that load Go code.
func commands() []entry {
	const (
		prometheus = "github.com/prometheus/prometheus@v0.316.0"
		opa        = "github.com/open-policy-agent/opa@v1.22.2"
		esbuild    = "github.com/evanw/esbuild@v0.28.2"
	)
	return []entry{
		{"opa", []string{opa}, inFull(
			installs(opa),
			runs("opa", "eval -f raw sum([x|x:=[1,2,3][_];x>1])", "5"),
			tests(opa, "./v1/ast", "./v1/topdown/cache", "./v1/util"),
		)},
		{"esbuild", []string{esbuild}, []check{
			installs("github.com/evanw/esbuild/cmd/esbuild@v0.28.2"),
			custom("bundles two files", bundle),
			inFull(tests(esbuild, "./internal/js_parser", "./internal/bundler_tests"))[0],
		}},
		{"prometheus", []string{prometheus}, inFull(
			builds(prometheus, "-tags=remove_all_sd,enable_kubernetes_sd", "./cmd/promtool", "./cmd/prometheus"),
			tests(prometheus, "./tsdb/chunkenc", "./tsdb/index", "./model/labels", "./promql/parser"),
		)},
		{"caddy", []string{"github.com/caddyserver/caddy/v2@v2.11.9"}, inFull(
			installs("github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9"),
			runs("caddy", "list-modules", "http.handlers.reverse_proxy"),
		)},
		{"golangci-lint", []string{"github.com/golangci/golangci-lint/v2@v2.15.0"}, inFull(
			installs("github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0"),
			runs("golangci-lint", "--version", "version"),
		)},
		{"gofumpt", []string{"mvdan.cc/gofumpt@v0.12.0"}, []check{
			installs("mvdan.cc/gofumpt@v0.12.0"),
			runs("gofumpt", "--version", "v0.12.0"),
		}},
		{"plugin", nil, []check{
			custom("a plugin is opened", openPlugin),
			custom("a C library is called on threads of C", callShared),
		}},
	}
}
