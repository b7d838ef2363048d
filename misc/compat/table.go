// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "slices"

// entries returns the table. An entry pins the modules and tools that its
// checks name. To try a later version, change it in the pin, in the checks that
// repeat it, and in the go.mod file of each program in programs/ that requires
// the module.
func entries() []entry {
	return slices.Concat(profilers(), debuggers(), commands(), libraries())
}

// profilers are the entries that collect or read profiles or metrics, or use
// the runtime's internals to do so.
func profilers() []entry {
	const (
		pyroscope = "github.com/grafana/pyroscope-go@v1.4.3"
		godelta   = "github.com/grafana/pyroscope-go/godeltaprof@v0.1.12"
		datadog   = "github.com/DataDog/dd-trace-go/v2@v2.12.0"
		pprof     = "github.com/google/pprof@v0.0.0-20261016150608-1facf8f91b50"
		parca     = "github.com/parca-dev/parca@v0.21.0"
		pyroserve = "github.com/grafana/pyroscope@v1.7.1"
	)
	return []entry{
		{"readers", []string{pprof, speedscope}, []check{
			custom("google/pprof, and what Parca and Pyroscope take for granted", readProfiles),
			custom("speedscope imports all profiles", importProfiles),
			inFull(tests(pprof, "./profile", "./internal/graph", "./internal/measurement"))[0],
		}},
		{"godeltaprof", []string{godelta, pyroscope}, []check{
			ours("deltas", "differences are exact, and the agent uploads"),
			tests(godelta, "./..."),
			tests(pyroscope, "./..."),
		}},
		{"dd-trace-go", []string{datadog}, []check{
			ours("datadog", "uploads of differences are exact"),
			tests(datadog, "./profiler/internal/fastdelta", "./profiler/internal/pproflite"),
			inFull(tests(datadog, "-run=TestDeltaProfile|TestAllUploaded|TestHeapProfileCompression|TestImmediateProfile", "./profiler"))[0],
		}},
		{"pyroscope", []string{pyroserve, natsServer}, []check{
			alone(custom("normalizes profiles of nats-server: stacks, values and labels are kept", normalizeProfiles)),
		}},
		{"alloy", []string{"github.com/grafana/alloy/syntax@v0.1.0"}, []check{
			custom("parses the configuration of doc/collectors.md", parseAlloy),
		}},
		{"parca", []string{parca, natsServer}, inFull(
			custom("builds its server", buildParca(parca)),
			alone(custom("scrapes nats-server, and answers queries with what it has scraped", scrapeProfiles)),
		)},
		{"client_golang", []string{"github.com/prometheus/client_golang@v1.25.0"}, []check{
			alone(ours("metrics", "exports the metrics that gorefs adds")),
		}},
		{"fgprof", []string{"github.com/felixge/fgprof@v0.9.5"}, []check{
			// Test_toPprof is skipped, because it compares a text
			// that is in the order of a map.
			tests("github.com/felixge/fgprof@v0.9.5", "-skip=Test_toPprof", "."),
		}},
	}
}

// debuggers are debuggers, build systems and checkers, which read the
// toolchain's version and the files that it writes.
func debuggers() []entry {
	const (
		delve   = "github.com/go-delve/delve@v1.27.2"
		rules   = "github.com/bazelbuild/rules_go@v0.65.0"
		xtools  = "golang.org/x/tools@v0.52.0"
		gopls   = "golang.org/x/tools/gopls@v0.24.0"
		gotools = "honnef.co/go/tools@v0.8.2"
		vuln    = "golang.org/x/vuln@v1.9.0"
		trivy   = "github.com/aquasecurity/trivy@v0.74.0"
		garble  = "mvdan.cc/garble@v0.18.0"
	)
	return []entry{
		{"delve", []string{delve}, []check{
			installs("github.com/go-delve/delve/cmd/dlv@v1.27.2"),
			custom("breaks, prints locals, lists goroutines, sets a variable", debug),
			// TestInstalled wants go version to print what runtime.Version
			// returns. Scanners want the release as its first word.
			tests(delve, "-skip=^TestInstalled$", "./pkg/goversion", "./pkg/dwarf/..."),
			inFull(tests(delve, "-run=TestLocals|TestBreakpoint|TestGoroutine|TestStacktrace|TestMap|TestEvalExpression|TestNext", "./pkg/proc"))[0],
		}},
		{"gopls", []string{gopls, xtools}, append(inFull(
			installs("golang.org/x/tools/gopls@v0.24.0"),
			custom("checks a file, finds a definition", editorServer)),
			tests(xtools, "./internal/gocommand", "./internal/versions", "./internal/gcimporter", "./go/ssa"),
		)},
		{"rules_go", []string{rules, starlark}, []check{
			custom("parse_version of sdk.bzl reads the version", parseInStarlark),
		}},
		{"staticcheck", []string{gotools}, []check{
			installs("honnef.co/go/tools/cmd/staticcheck@v0.8.2"),
			custom("finds a defect and no other", findDefect),
		}},
		{"govulncheck", []string{vuln}, []check{
			installs("golang.org/x/vuln/cmd/govulncheck@v1.9.0"),
			custom("finds a vulnerability of the release, from source", findVulnerability("source", ".")),
			custom("finds it in an executable", findVulnerability("binary", "scanned")),
		}},
		{"trivy", []string{trivy}, []check{
			custom("reads the release in an executable", findRelease),
		}},
		{"garble", []string{garble}, []check{
			installs("mvdan.cc/garble@v0.18.0"),
			custom("builds a program that runs", obfuscate),
		}},
	}
}
