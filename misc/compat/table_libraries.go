// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// libraries are modules that programs import. Many of them rely on the
// internals of the runtime and the compiler: by linkname, by layouts, by
// machine code of their own, by generics.
func libraries() []entry {
	return []entry{
		{"client-go", []string{"k8s.io/client-go@v0.37.2"}, inFull(
			ours("clientset", "a fake clientset lists and watches pods"),
			tests("k8s.io/client-go@v0.37.2", "./tools/cache", "./util/workqueue"),
			tests("k8s.io/client-go@v0.37.2", "./testing"),
		)},
		{"tenants", []string{"google.golang.org/grpc@v1.85.0", "golang.org/x/sync@v0.25.0", "golang.org/x/net@v0.62.0", "github.com/panjf2000/ants/v2@v2.12.1"}, inFull(
			alone(ours("tenants", "no tenant is charged for another after its Run")),
		)},
		library("sonic", "github.com/bytedance/sonic@v1.15.5", "./ast", "./encoder", "./decoder"),
		library("go-json", "github.com/goccy/go-json@v0.12.0", "-run=TestMarshal|TestUnmarshal|TestDecoder|TestEncoder|TestCodec", "."),
		library("jsoniter", "github.com/json-iterator/go@v1.1.12", ".", "./any_tests"),
		library("reflect2", "github.com/modern-go/reflect2@v1.0.2", "."),
		library("goid", "github.com/petermattis/goid@v0.0.0-20260820044319-269ab09b5261", "."),
		library("routine", "github.com/timandy/routine@v1.1.6", "."),
		library("purego", "github.com/ebitengine/purego@v0.11.3", "."),
		library("wazero", "github.com/tetratelabs/wazero@v1.12.0", "./internal/engine/wazevo", "./internal/wasm", "./experimental/..."),
		library("ristretto", "github.com/dgraph-io/ristretto/v2@v2.4.2", ".", "./z"),
		library("xsync", "github.com/puzpuzpuz/xsync/v4@v4.5.0", "."),
		library("otter", "github.com/maypok86/otter/v2@v2.4.0", "./internal/..."),
		{"lo", []string{"github.com/samber/lo@v1.53.0"}, []check{builds("github.com/samber/lo@v1.53.0", "./...")}},
		library("conc", "github.com/sourcegraph/conc@v0.3.0", "./..."),
		library("go-cmp", "github.com/google/go-cmp@v0.7.0", "./..."),
		library("fasthttp", "github.com/valyala/fasthttp@v1.77.0", ".", "./pprofhandler"),
		inFullLibrary("quic-go", "github.com/quic-go/quic-go@v0.65.0", "./internal/ackhandler", "./internal/wire", "./internal/handshake", "./http3"),
		inFullLibrary("grpc-go", "google.golang.org/grpc@v1.85.0", "./internal/transport", "./encoding/...", "./metadata"),
		inFullLibrary("badger", "github.com/dgraph-io/badger/v4@v4.9.6", "./skl", "./y", "./table", "./trie"),
		inFullLibrary("pebble", "github.com/cockroachdb/pebble/v2@v2.1.7", "./internal/arenaskl", "./internal/manual", "./internal/cache", "./sstable/block", "./vfs"),
		inFullLibrary("arrow-go", "github.com/apache/arrow-go/v18@v18.8.0", "./arrow/array", "./arrow/memory", "./arrow/scalar"),
		inFullLibrary("bleve", "github.com/blevesearch/bleve/v2@v2.6.3", "./index/scorch", "./mapping", "./search/searcher"),
		inFullLibrary("cel-go", "github.com/google/cel-go@v0.32.0", "-mod=mod", "-skip=^TestConcurrentEval$", "./cel", "./interpreter", "./checker"),
		inFullLibrary("goja", "github.com/dop251/goja@v0.0.0-20260917113740-793a2a65c13b", "."),
		inFullLibrary("yaegi", "github.com/traefik/yaegi@v0.16.1", "./internal/...", "./cmd/yaegi"),
		{"sqlite", []string{"github.com/mattn/go-sqlite3@v1.14.53", "modernc.org/sqlite@v1.61.1"}, inFull(
			custom("mattn's driver: C", sqlite("-tags=cgo_driver")),
			custom("modernc's driver: C translated to Go", sqlite()),
			tests("github.com/mattn/go-sqlite3@v1.14.53", "."),
		)},
		{"confluent-kafka-go", []string{"github.com/confluentinc/confluent-kafka-go/v2@v2.11.1"}, inFull(
			alone(ours("kafka", "cmemory names the lines that forget producers, clients and messages, within 5% of the bytes, and no others")),
		)},
		{"ebitengine", []string{"github.com/hajimehoshi/ebiten/v2@v2.8.8"}, inFull(
			custom("builds for Windows, by purego", buildEbitengine),
		)},
	}
}

// library returns an entry that runs the tests of some packages.
func library(name, pin string, flagsAndPackages ...string) entry {
	return entry{name, []string{pin}, []check{tests(pin, flagsAndPackages...)}}
}

func inFullLibrary(name, pin string, flagsAndPackages ...string) entry {
	return entry{name, []string{pin}, inFull(tests(pin, flagsAndPackages...))}
}
