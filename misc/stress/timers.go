// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker has timers with functions and timers with channels. They fire,
// are stopped, or are reset.

package main

import (
	"math/rand/v2"
	"time"
)

func setTimers(r *rand.Rand) func() {
	var timers [100]*time.Timer
	tickers := make([]*time.Ticker, 10)
	return func() {
		for range 20 {
			n := newNode(r)
			t := &timers[r.IntN(len(timers))]
			if *t != nil {
				(*t).Stop()
			}
			*t = time.AfterFunc(rand.N(10*time.Millisecond), func() { n.alive() })
			if old := timers[r.IntN(len(timers))]; old != nil {
				old.Reset(rand.N(20 * time.Millisecond))
			}
		}
		time.NewTimer(time.Hour) // garbage, although it has not fired
		i := r.IntN(len(tickers))
		if tickers[i] != nil {
			tickers[i].Reset(time.Duration(1 + r.IntN(1e7)))
		} else {
			tickers[i] = time.NewTicker(time.Millisecond)
		}
		select {
		case <-tickers[i].C:
		case <-time.After(time.Millisecond):
		}
	}
}
