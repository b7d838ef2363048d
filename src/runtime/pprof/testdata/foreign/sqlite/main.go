// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Program sqlite fills a database in memory, and writes the profile memory. See
// ../cgo.
package main

/*
#cgo LDFLAGS: -lsqlite3
#include <sqlite3.h>
#include <stddef.h>

static int fill(void) {
	sqlite3 *db;
	int rc = sqlite3_open(":memory:", &db);
	return rc ? rc : sqlite3_exec(db,
		"create table t(a integer primary key, b blob);"
		"with recursive n(i) as (select 1 union all select i+1 from n where i < 64*1024)"
		"insert into t select i, randomblob(900) from n", NULL, NULL, NULL);
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

func init() { runtime.LockOSThread() }

func main() {
	if rc := C.fill(); rc != 0 {
		fmt.Fprintln(os.Stderr, "sqlite3:", rc)
		os.Exit(1)
	}
	used := C.sqlite3_memory_used()
	fmt.Fprintf(os.Stderr, "C heap: %d to %d\n", used, used*21/20+1<<20)
	pprof.Lookup("memory").WriteTo(os.Stdout, 0)
}
