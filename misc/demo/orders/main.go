// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Orders leaks through a pool, for an example in doc/tutorial.md. It handles
// orders, and puts each into a pool for reuse, but takes no order from the pool.
//
// It serves net/http/pprof on the address that is its argument, and ends about
// a minute after the load is on.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"sync"
	"time"
)

// An order is the data that a customer sends.
type order struct {
	ID       int
	Customer string
	Lines    []line
	Notes    map[string]string
}

type line struct {
	Article string
	Count   int
	Price   float64
}

// An orderPool keeps orders that have been handled.
type orderPool struct {
	mu   sync.Mutex
	free []*order
}

func (p *orderPool) put(o *order) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, o)
}

// A service has the totals of its customers, and keeps the last orders for
// inspection.
type service struct {
	pool   orderPool
	totals map[string]float64
	last   [100]*order
}

func decode(text []byte) (*order, error) {
	o := new(order) // instead of one from the pool
	return o, json.Unmarshal(text, o)
}

func (s *service) handle(text []byte) error {
	o, err := decode(text)
	if err != nil {
		return err
	}
	for _, l := range o.Lines {
		s.totals[o.Customer] += float64(l.Count) * l.Price
	}
	s.last[o.ID%len(s.last)] = o
	s.pool.put(o)
	return nil
}

var orders = service{totals: make(map[string]float64)}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: orders 127.0.0.1:6060")
	}
	go func() { log.Fatal(http.ListenAndServe(os.Args[1], nil)) }()
	const waiting = 100_000 // orders that have already arrived
	for id := range waiting + 60_000 {
		if err := orders.handle(sent(id)); err != nil {
			log.Fatal(err)
		}
		if id == waiting {
			fmt.Println("load is on: 1,000 orders a second")
		}
		if id >= waiting {
			time.Sleep(time.Millisecond)
		}
	}
}

// sent returns an order in the form in which a customer sends it.
func sent(id int) []byte {
	o := order{ID: id, Customer: fmt.Sprintf("customer %d", id%1000), Notes: map[string]string{"delivery": "at the back door, please"}}
	for i := range 5 {
		o.Lines = append(o.Lines, line{fmt.Sprintf("article %d", (id+i)%500), i + 1, float64(id%97) + .5})
	}
	text, err := json.Marshal(o)
	if err != nil {
		log.Fatal(err)
	}
	return text
}
