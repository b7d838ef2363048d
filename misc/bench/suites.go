// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "path/filepath"

// A suite has the benchmarks on one subject.
type suite struct {
	name       string
	benchmarks []benchmark
}

// suites returns the table of everything that can be measured.
func suites() []suite {
	return []suite{
		{"Malloc", []benchmark{
			counted{"malloc", "tiny8", 200_000, 2_000_000, 20_000_000}.benchmark("Malloc", "8 bytes without pointers"),
			counted{"malloc", "24noscan", 200_000, 2_000_000, 20_000_000}.benchmark("Malloc", "24 bytes without pointers"),
			counted{"malloc", "24scan", 200_000, 2_000_000, 20_000_000}.benchmark("Malloc", "24 bytes, two pointers"),
			counted{"malloc", "4Knoscan", 10_000, 100_000, 500_000}.benchmark("Malloc", "4 KiB without pointers"),
			counted{"malloc", "4Kscan", 10_000, 100_000, 500_000}.benchmark("Malloc", "4 KiB of pointers"),
			counted{"malloc", "large", 2_000, 22_000, 100_000}.benchmark("Malloc", "128 KiB without pointers"),
			counted{"malloc", "sampled", 20_000, 120_000, 1_000_000}.benchmark("Malloc", "24 bytes, two pointers, sampled by the memory profiler"),
			counted{"malloc", "sampled4K", 20_000, 120_000, 1_000_000}.benchmark("Malloc", "4 KiB without pointers, sampled by the memory profiler"),
		}},
		{"Served", []benchmark{
			counted{"served", "24scan", 200_000, 2_000_000, 20_000_000}.benchmark("Served", "24 bytes, two pointers, in a program with net/http/pprof"),
			counted{"served", "4Knoscan", 10_000, 100_000, 500_000}.benchmark("Served", "4 KiB without pointers, in such a program"),
			counted{"served", "4Kscan", 10_000, 100_000, 500_000}.benchmark("Served", "4 KiB of pointers, in such a program"),
			counted{"served", "large", 2_000, 22_000, 100_000}.benchmark("Served", "128 KiB without pointers, in such a program"),
		}},
		{"Recycled", []benchmark{
			counted{"malloc", "recycled8", 4, 14, 100}.benchmark("Recycled", "500,000 objects of 8 bytes without pointers, and a collection"),
			counted{"malloc", "recycled24", 4, 14, 100}.benchmark("Recycled", "200,000 objects of 24 bytes, two pointers, and a collection"),
			counted{"malloc", "recycled4K", 4, 14, 100}.benchmark("Recycled", "2,000 objects of 4 KiB without pointers, and a collection"),
		}},
		{"Scope", []benchmark{
			counted{"scope", "scoped8", 200_000, 2_000_000, 20_000_000}.benchmark("Scope", "8 bytes without pointers, in a memory scope (fork only)"),
			counted{"scope", "scoped24", 200_000, 2_000_000, 20_000_000}.benchmark("Scope", "24 bytes, two pointers, in a scope"),
			counted{"scope", "scoped4K", 10_000, 100_000, 500_000}.benchmark("Scope", "4 KiB without pointers, in a scope"),
			counted{"scope", "limited24", 200_000, 2_000_000, 20_000_000}.benchmark("Scope", "24 bytes, two pointers, in a scope with a limit"),
			counted{"scope", "counted8", 200_000, 2_000_000, 20_000_000}.benchmark("Scope", "8 bytes without pointers, in a scope that counts objects"),
			counted{"scope", "counted24", 200_000, 2_000_000, 20_000_000}.benchmark("Scope", "24 bytes, two pointers, in a scope that counts objects"),
			counted{"scope", "beside24", 200_000, 2_000_000, 20_000_000}.benchmark("Scope", "the same in memscope.Detach, called in such a scope"),
		}},
		{"GC", []benchmark{
			counted{"gc", "tree", 4, 24, 200}.benchmark("GC", "forced, 32,767 nodes of a binary tree live"),
			counted{"gc", "slice", 4, 24, 200}.benchmark("GC", "forced, 32,768 nodes of one slice live"),
			counted{"gc", "headers", 4, 24, 200}.benchmark("GC", "forced, 2,048 objects of 1 KiB with pointers and interfaces, and 131,072 nodes live"),
			counted{"gc", "stacks", 2, 12, 100}.benchmark("GC", "forced, 1,000 goroutines of 20 frames with pointers"),
			counted{"gc", "sweep", 4, 34, 500}.benchmark("GC", "forced, after 16,384 objects of garbage"),
		}},
		{"Goroutine", []benchmark{
			counted{"goroutine", "create", 10_000, 100_000, 1_000_000}.benchmark("Goroutine", "start one and wait for its end"),
			counted{"goroutine", "batch", 100, 1_000, 10_000}.benchmark("Goroutine", "start 100 and wait for all"),
			counted{"goroutine", "grow", 100, 1_000, 20_000}.benchmark("Goroutine", "start one that makes its stack grow"),
			counted{"goroutine", "pingpong", 10_000, 100_000, 2_000_000}.benchmark("Goroutine", "there and back by unbuffered channels"),
			counted{"goroutine", "gosched", 20_000, 200_000, 2_000_000}.benchmark("Goroutine", "two goroutines yield to each other"),
		}},
		{"Growth", []benchmark{
			counted{"growth", "small", 2, 6, 60}.benchmark("Growth", "16 MiB of 64-byte objects, then all returned to the operating system"),
			counted{"growth", "spans", 2, 12, 100}.benchmark("Growth", "the same of 8 KiB objects, each a span of its own"),
			counted{"growth", "large", 2, 42, 200}.benchmark("Growth", "the same of 256 KiB objects"),
			counted{"growth", "limit", 20, 120, 1000}.benchmark("Growth", "1 MiB of 1 KiB objects at a memory limit"),
			counted{"growth", "stack", 50, 300, 5_000}.benchmark("Growth", "start a goroutine whose stack grows to 128 KiB"),
		}},
		{"Channel", []benchmark{
			counted{"channel", "buffered", 100_000, 1_000_000, 10_000_000}.benchmark("Channel", "send and receive by a buffer"),
			counted{"channel", "select", 20_000, 200_000, 5_000_000}.benchmark("Channel", "the same by select with a second channel"),
		}},
		{"Map", []benchmark{
			counted{"mapaccess", "read", 300_000, 3_000_000, 30_000_000}.benchmark("Map", "read from maps of 1,000 integers"),
			counted{"mapaccess", "fill", 50, 500, 10_000}.benchmark("Map", "make a map of 1,000 integers"),
		}},
		{"Real", []benchmark{
			counted{"jsonserver", "json", 200, 2_200, 10_000}.benchmark("Real", "a request to an HTTP server that decodes and encodes 50 orders in JSON"),
			counted{"grpc", "grpc", 500, 5_500, 50_000}.benchmarkOf("Real", "a call of a grpc-go server", target{filepath.Join("servers", "grpc"), "."}),
			counted{"typecheck", "typecheck", 2, 12, 100}.benchmark("Real", "parse and type-check 200 types with methods and generic functions"),
		}},
		{"Scaling", []benchmark{
			counted{"scaling", "collect1", 2, 12, 100}.benchmark("Scaling", "a collection of 120,000 objects with GOMAXPROCS=1"),
			counted{"scaling", "collect2", 2, 12, 100}.benchmark("Scaling", "a collection of 120,000 objects with GOMAXPROCS=2"),
			counted{"scaling", "collect4", 2, 12, 100}.benchmark("Scaling", "a collection of 120,000 objects with GOMAXPROCS=4"),
			counted{"scaling", "collect8", 2, 12, 100}.benchmark("Scaling", "a collection of 120,000 objects with GOMAXPROCS=8"),
			counted{"scaling", "collect16", 2, 12, 100}.benchmark("Scaling", "a collection of 120,000 objects with GOMAXPROCS=16"),
			counted{"scaling", "record1", 2, 12, 100}.benchmark("Scaling", "a refs profile of the same with GOMAXPROCS=1 (fork only)"),
			counted{"scaling", "record2", 2, 12, 100}.benchmark("Scaling", "a refs profile of the same with GOMAXPROCS=2 (fork only)"),
			counted{"scaling", "record4", 2, 12, 100}.benchmark("Scaling", "a refs profile of the same with GOMAXPROCS=4 (fork only)"),
			counted{"scaling", "record8", 2, 12, 100}.benchmark("Scaling", "a refs profile of the same with GOMAXPROCS=8 (fork only)"),
			counted{"scaling", "record16", 2, 12, 100}.benchmark("Scaling", "a refs profile of the same with GOMAXPROCS=16 (fork only)"),
		}},
		{"Tool", []benchmark{
			tool{target{"", "go/types"}, compileArguments}.benchmark("Tool/compile", "compile go/types, with one worker"),
			tool{hello, linkArguments}.benchmark("Tool/link", "link a small program"),
			tool{target{"", "./programs/jsonserver"}, linkArguments}.benchmark("Tool/linkserver", "link a server with net/http/pprof"),
		}},
		{"Hello", []benchmark{
			printing{"hello", nothingMore}.benchmark("Hello/memory", "memory that the runtime holds in an idle program"),
			link{hello, ""}.benchmark("Hello/link", "size and link time of a small program"),
		}},
		{"Garbage", []benchmark{
			printing{"garbage", wholeUsage}.benchmark("Garbage/documents", "binary trees and documents of maps and strings"),
		}},
		{"GoroutineProfile", []benchmark{
			printing{"goroutineprofile like 100000 9", peakMemory}.benchmark("GoroutineProfile/like", "100,000 parked goroutines, one stack"),
			printing{"goroutineprofile thousand 100000 9", peakMemory}.benchmark("GoroutineProfile/thousand", "100,000 parked goroutines, 1,000 stacks"),
			printing{"goroutineprofile deep 100000 5", peakMemory}.benchmark("GoroutineProfile/deep", "100,000 parked goroutines, one stack of 100 frames"),
			printing{"goroutineprofile distinct 2000 9", peakMemory}.benchmark("GoroutineProfile/distinct", "2,000 parked goroutines, 2,000 stacks of 110 frames"),
			printing{"stacksize 100000 21", nothingMore}.benchmark("GoroutineProfile/metric", "read /sched/goroutines/stack-size:bytes at 100,000 goroutines (fork only)"),
		}},
		{"Refs", []benchmark{
			printing{"refs records 1000000 9", peakMemory}.benchmark("Refs/1M", "refs profiles (fork only) and plain collections of 1 million objects"),
			printing{"refs records 5000000 9", peakMemory}.benchmark("Refs/5M", "the same of 5 million"),
			printing{"refs shuffled 5000000 9", peakMemory}.benchmark("Refs/shuffled", "the same of 5 million that refer to each other in no order"),
			printing{"refs paths 10000000 5", peakMemory}.benchmark("Refs/paths", "the same of 10 million, in lists at the ends of 1,000 paths"),
			printing{"refs goroutines 100000 9", peakMemory}.benchmark("Refs/goroutines", "the same of 100,000 goroutines with six objects each"),
			printing{"refs records 5000000 9 inuse", peakMemory}.benchmark("Refs/inuse", "inuse profiles of 5 million objects, sampled at the default rate"),
			printing{"refs records 20000000 5", peakMemory}.benchmark("Refs/20M", "refs profiles (fork only) and plain collections of 20 million objects").onlyOnRequest(),
		}},
		{"Runtime", []benchmark{
			goTest{"runtime", "^Benchmark(Malloc(TypeInfo)?(8|16|32)|MallocLargeStruct)$"}.benchmark("Runtime", "malloc", "the runtime's own benchmarks of malloc"),
			goTest{"runtime", "^Benchmark(Allocation|WriteBarrier|BulkWriteBarrier|ScanStackNoLocals)$"}.benchmark("Runtime", "gc", "its own of GC"),
			goTest{"runtime", "^Benchmark(CreateGoroutines.*|StackGrowth|StackCopyPtr)$"}.benchmark("Runtime", "goroutine", "its own of goroutines and stacks"),
			goTest{"runtime", "^Benchmark(PingPongHog|ChanSync|ChanSyncWork)$"}.benchmark("Runtime", "switch", "its own of switching goroutines"),
			goTest{"runtime", "^BenchmarkWakeupParallelSpinning$/^(0s|10µs)$"}.benchmark("Runtime", "wakeup", "its own of waking a goroutine on another processor"),
			goTest{"runtime", "^Benchmark(ChanUncontended|ChanContended|ChanProdCons0|SelectUncontended)$"}.benchmark("Runtime", "channel", "its own of channels"),
			goTest{"runtime", "^BenchmarkMap(AccessHit|AccessMiss|AssignExists|Iter)$/^Key=int64$/^Elem=int64$/^len=(6|8192|65536)$"}.benchmark("Runtime", "map", "its own of maps"),
			goTest{"runtime", "^BenchmarkGoroutineProfile$/^(small|large|sparse)$/^idle$"}.benchmark("Runtime", "goroutineprofile", "its own of the goroutine profile"),
		}},
		{"Pprof", []benchmark{
			goTest{"runtime/pprof", "^BenchmarkGoroutine$/_idle_"}.benchmark("Pprof", "goroutine", "runtime/pprof's own benchmarks of the goroutine profile"),
		}},
		{"Link", []benchmark{
			link{nats, ""}.benchmark("Link/nats", "nats-server"),
			link{nats, "-s -w"}.benchmark("Link/nats-stripped", "nats-server with -ldflags='-s -w'"),
			link{caddy, ""}.benchmark("Link/caddy", "caddy"),
			link{caddy, "-s -w"}.benchmark("Link/caddy-stripped", "caddy with -ldflags='-s -w'"),
		}},
		{"Build", []benchmark{
			compile{std}.benchmark("Build/std", "the standard library, with an empty build cache"),
			compile{nats}.benchmark("Build/nats", "nats-server, with an empty build cache"),
			compile{caddy}.benchmark("Build/caddy", "caddy, with an empty build cache"),
		}},
	}
}
