// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Jsonserver sends requests to a server in the same process, over loopback. The
// server decodes a document of 50 orders from JSON, changes it and encodes it.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof" // as in a server whose profiles can be taken

	"gorefs/misc/bench/programs/iterate"
)

type order struct {
	ID       int               `json:"id"`
	Customer string            `json:"customer"`
	Items    []item            `json:"items"`
	Notes    map[string]string `json:"notes"`
}

type item struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Price float64 `json:"price"`
}

func main() {
	iterate.Main(map[string]iterate.Body{"json": requests})
}

// requests makes n requests, one after another.
func requests(n int) {
	http.HandleFunc("/orders", handle)
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	document, err := json.Marshal(orders(50))
	if err != nil {
		log.Fatal(err)
	}
	for range n {
		if err := request(server, document); err != nil {
			log.Fatal(err)
		}
	}
}

func request(server *httptest.Server, document []byte) error {
	response, err := server.Client().Post(server.URL+"/orders", "application/json", bytes.NewReader(document))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || len(body) < len(document)) {
		err = fmt.Errorf("%s, %d bytes: %.80s", response.Status, len(body), body)
	}
	return err
}

func handle(w http.ResponseWriter, r *http.Request) {
	var all []order
	if err := json.NewDecoder(r.Body).Decode(&all); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for i := range all {
		all[i].Notes["total"] = fmt.Sprint(all[i].total())
	}
	if err := json.NewEncoder(w).Encode(all); err != nil {
		log.Print(err)
	}
}

func (o *order) total() (sum float64) {
	for _, it := range o.Items {
		sum += it.Price * float64(it.Count)
	}
	return sum
}

func orders(n int) []order {
	all := make([]order, n)
	for i := range all {
		all[i] = order{ID: i, Customer: fmt.Sprint("customer ", i), Notes: map[string]string{"by": "phone"}}
		for j := range i%5 + 1 {
			all[i].Items = append(all[i].Items, item{fmt.Sprint("item ", j), j + 1, float64(j) * 1.25})
		}
	}
	return all
}
