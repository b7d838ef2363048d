// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Memreport reports why a process takes so much memory.

Usage:

	go tool memreport [flags] URL
	go tool memreport [flags] folder
	go tool memreport [flags] executable core

The folder is one that memreport or package runtime/evidence has written. The
URL is of a server that imports net/http/pprof, such as http://localhost:6060.
If it has a path, the profiles are below that path, else below /debug/pprof/.
Its query, such as a token, is part of each request. With https+insecure://, any
certificate is trusted. Memreport watches the server, keeps the profiles that it
takes in a folder, and prints a report. From the folder it prints the same
report again. Of a core file it reports what holds the live heap, as of
linux/amd64 (see go tool heapgraph core); -o keeps the heap graph.

The flags are:

	-seconds N
		watch for N seconds; the default is 30
	-o folder
		keep the profiles in this new folder, not in a temporary one
	-base folder
		compare with an older folder, and report what has changed
	-limit size
		the memory limit of the server, such as 512MB or 2GiB
	-fail-if conditions
		exit with status 1 if one of the conditions is true
	-json
		print the report for programs
	-http address
		serve the report as a page at an address such as localhost:8080,
		print the URL, and open it in a browser; without a host before the
		colon it is on localhost, and without a port after it, at a free one
	-no_browser
		with -http, do not open a browser
	-graph
		take a heap graph, too: it shows what only elements hold that nothing
		refers to any more, as after q = q[1:]
	-force
		ask for recordings of references even if the server is so near its
		limit of memory that it refuses them
	-timeout duration
		wait so long for the answer to each request; the default is 1m

# The report

The first part has the sizes of classes of memory. The column “now” is of the
end of the watch, before a last collection. The other column is the change
between two moments after a collection. Sizes of classes are resident bytes.
Findings about paths have all bytes of objects, also those without pages, as
most of a large slice to which nothing was written. Then follow the findings:
what grows, what takes more than it should, and what was in the past, the
largest of each first. A finding has a place, which is a path of references or a
line of code, and a command that shows more. Of the path of a package, the text
has the last element, and -json has all. The file findings.go has the
thresholds, and the reasons for them.

A server of an unchanged Go toolchain has only some of the profiles. The report
then says what was not seen. A set of evidence and a core file are of one moment,
and so the report has no growth, but -base compares them with another folder.

# In a browser

The page of -http has the report, the classes as bars, and two flame graphs of
paths of references: of what came in the watch, and of what is held. If the
folder has a heap graph, heap.graph, as sets of evidence do, the pages of go
tool heapgraph are beside it.

# What it does to the server

First it takes the profiles that force nothing: goroutine, growth, memory, peak,
and heap as text. At the beginning and at the end of the watch it takes refs,
which is a collection that records references. A third one, inuse, follows if a
finding is about a path, or with -o, -base or -graph: it has the code that
allocated what the path holds. At last comes goroutineleak, which is a
collection, too, and with -graph a heap graph, which is a recording and has a
few bytes a reference. In place of refs it takes heap with gc=1 if there is no
refs, as in an unchanged toolchain, or the server refuses or repeats it: call
stacks grow, and no paths. In between it takes goroutine, growth, memory and, if
there is one, cmemory seven times, and asks for a collection twice: two moments
alone do not tell growth from what goes up and down. A request that is answered
with 502, 503 or 504, or not in time, is repeated once. A profile that is
missing at one moment then is a gap; without goroutine twice, the watch ends. If
it ends early, as by an interrupt, the report is of the time before.

# Conditions

The conditions of -fail-if are separated by commas: a figure, >, and a bound.
Figures are the classes of the format below, goroutines, leaked (goroutines that
wait forever), findings (their number), and growth (of the resident size without
new objects and free memory, with a bound such as 1MB/s). The exit status is 2
after an error, such as a figure that is not known, or if none is true but the
server has ended in the watch:

	go tool memreport -fail-if='live>500MB,growth>1MB/s,leaked>0' http://localhost:6060

# Format

With -json, the report is an object. Within version 1, keys are added, but not
changed. Sizes are bytes.

	version     1
	program     name of the executable
	time        when the watch began
	seconds     duration of the watch, longer than -seconds if the server is
	            slow, or the time between two folders
	compared    whether it is a comparison of two folders
	limit       the value of -limit, or the limit in a set of evidence, or 0
	classes     for each class an object with now and, if it is known, change:
	            resident, objects (live and new, of an unchanged toolchain),
	            live, new, fragmented, free, returned, stacks, runtime, other,
	            mapped, and parts of other: code, files, shared, c-heap,
	            c-stacks, program, not-known
	goroutines  their number
	findings    the findings, most important first
	missing     what was not seen, and why

A finding is an object.

	kind       allocation-waiting, live-growth, class-growth, mapped-growth,
	           goroutines-leaked, goroutines-growth, goroutines-blocked, stacks,
	           unused-capacity, unused-elements, pool, finalizers, garbage,
	           collections, free-not-returned, fragmentation or past-peak
	signature  the kind and the place without lines and numbers of closures,
	           which stays the same in other builds and processes
	text       a sentence
	place      a path of references, or a function and a line
	bytes      the size by which findings are ordered
	details    more sentences
	profile    the profile that has the numbers
	more       a command that shows more
*/
package main
