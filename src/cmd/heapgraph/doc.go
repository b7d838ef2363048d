// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

/*
Heapgraph explains snapshots of the heap graph, which have the live objects of a
program and the references to them.

Usage:

	go tool heapgraph command [flags] arguments
	go tool heapgraph -http=address [flags] snapshot [old]

A snapshot is a file that [runtime/pprof.HeapGraph] or the command core has
written, or the URL of such a file. If a URL has no path, the path is
/debug/pprof/heapgraph. A snapshot that is fetched is kept in a temporary file,
whose name is printed. Flags may also come after the arguments.

The commands are:

	top       list types, roots, packages or paths
	suspects  list the places where memory accumulates
	tree      print the dominator tree
	why       print paths by which an object is held
	object    print what is known of an object
	retained  print what types, variables or fields retain
	diff      compare two snapshots
	export    write a profile for pprof, or a heap snapshot for Chrome
	core      make a snapshot from a core file

“go tool heapgraph help command” lists the flags of a command, and “go tool
heapgraph help -http” lists the flags that can be used with -http.

# In a browser

With -http, heapgraph serves pages at an address, such as localhost:8080, and
opens a browser. If the address has no host before the colon, it is on
localhost. If it has no port after the colon, heapgraph takes a free one.
-http=: stands for localhost and a free port.
The first page has the places where memory accumulates. Other pages have the
dominator tree as a flame graph and as a table whose rows open, and lists of
types, roots, packages and paths. Each object and each root has a page with the
references from it and to it. The page of an object also has paths from
roots to the object. With a second, older snapshot, a page has the differences.
The pages need no other network connection. The browser gets only the rows that
it shows, because a snapshot may have many millions of objects.

A request is refused if it comes from a page of another site, or names a host
that is neither localhost, nor an IP address, nor the host of -http.

# What is printed

The first lines describe the snapshot: the program, the time, the size of the
live heap, and the parts of it that roots reach.

A vertex is an object or a root. Roots are global variables, goroutines, and a
few structures of the runtime. A vertex dominates an object if every path from a
root to the object leads through it. A vertex retains itself and the objects
that it dominates: they would be free if the vertex were not there. The retained
size of a type is the size of all objects that its objects retain, each counted
once. It does not include objects that only several objects of the type hold
together.

Roots of the second class are less certain reasons for an object to be live:
words of goroutines that may be no pointers, the write barrier, references that
were not recorded, items of pools, and the runtime's own variables and
goroutines. They count only for objects that no other root reaches.

For some objects that are allocated while the snapshot is taken, marking finds
no reference. The snapshot then lacks the references from them, and often their
types. Others are found only by the write barrier. Therefore a small part of the
heap is usually not reached.

In names, characters that are not printable, such as those that control a
terminal, are written as in Go strings: \x1b. Exports have names unchanged.

An object is written as its type and an address such as 0x1234. The address is
valid in this snapshot alone, and is not the object's address in the process.
Commands that take an object also accept a type, or a regular expression that
matches types. They then use the matching object that retains the most.

The used part of an object is what references refer to, from the first byte to
the last: of an array, what slices and pointers to elements leave of it. Of
larger objects it is printed if it is not the whole. References in the rest are
marked [outside], as in main.request 0x1234 ([17] [outside]): the program no
longer reaches them, as after q = q[1:], but what they refer to stays live.

# Examples

All pages in a browser, with the differences from an older snapshot:

	go tool heapgraph -http=localhost:8080 heap.graph old.graph

The types that retain the most, the variables and goroutines that retain the
most, and the places where memory accumulates:

	go tool heapgraph top http://localhost:6060/debug/pprof/heapgraph
	go tool heapgraph top -by=root heap.graph
	go tool heapgraph suspects heap.graph

Which roots hold the objects of a type, and the paths by which the largest of
them is held:

	go tool heapgraph why heap.graph '\*?server\.Session'

What would be free without the objects of a type, and without a variable:

	go tool heapgraph retained server.Session heap.graph
	go tool heapgraph retained server.sessions http://localhost:6060/debug/pprof/heapgraph

The growth between two snapshots:

	go tool heapgraph diff old.graph new.graph

The contents of the heap of a process that has crashed with GOTRACEBACK=crash,
or of which gcore has made a core file:

	go tool heapgraph core -o heap.graph ./server core
	go tool heapgraph top heap.graph

A flame graph of retained sizes:

	go tool heapgraph export -o heap.pb.gz pprof heap.graph
	go tool pprof -http=: heap.pb.gz
*/
package main
