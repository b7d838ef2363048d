// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scopes has a server and the load on it. misc/scopes.bash runs both, and
// doc/evaluation.md has the results. Some of the requests need far more memory
// than GOMEMLIMIT, which the script sets.
//
//	scopes serve ADDRESS [LIMIT]
//	scopes load ADDRESS DURATION
//
// Serve answers /small, which decodes and encodes a JSON document, and /big,
// which needs 1 GiB. LIMIT is in bytes per request. Without it, or if it is 0,
// there are no scopes.
//
// Load pauses for 2 ms after each small request, and for 100 ms after each big
// one, and does not wait for answers before it sends the next request. It
// prints, for each of the two kinds, the number of answers by status, and how
// long those with status 200 took.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime/memscope"
	"strconv"

	"gorefs/misc/demo/scopes/limit"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatal("scopes: ", err)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "serve":
		return serve(args[1], "0")
	case len(args) == 3 && args[0] == "serve":
		return serve(args[1], args[2])
	case len(args) == 3 && args[0] == "load":
		return load(args[1], args[2])
	}
	return fmt.Errorf("usage: scopes serve ADDRESS [LIMIT] | load ADDRESS DURATION")
}

func serve(address, bytes string) error {
	n, err := strconv.ParseInt(bytes, 10, 64)
	if err != nil {
		return err
	}
	http.HandleFunc("/small", small)
	http.HandleFunc("/big", big)
	if n == 0 {
		return http.ListenAndServe(address, nil)
	}
	limits := memscope.Limits{Name: "request", Bytes: n}
	return http.ListenAndServe(address, limit.Handler(http.DefaultServeMux, limits))
}

type order struct {
	ID    int
	Items []item
}

type item struct {
	Name  string
	Price float64
}

func small(w http.ResponseWriter, r *http.Request) {
	o := order{ID: 1}
	for i := range 50 {
		o.Items = append(o.Items, item{fmt.Sprint("item ", i), float64(i)})
	}
	text, _ := json.Marshal(o)
	json.Unmarshal(text, &o)
	json.NewEncoder(w).Encode(o)
}

// big makes a table of all the data that the request asks for, 1 GiB, before it
// answers. It stops if its scope has crossed a limit.
func big(w http.ResponseWriter, r *http.Request) {
	var rows [][]byte
	for range 1 << 20 {
		row := make([]byte, 1<<10)
		for i := range row {
			row[i] = 1
		}
		rows = append(rows, row)
		if memscope.Err() != nil {
			break
		}
	}
	fmt.Fprintln(w, len(rows), "rows")
}
