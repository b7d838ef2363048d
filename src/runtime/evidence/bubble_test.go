// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestInBubble starts to watch in a bubble of testing/synctest that ends, and
// lets Go's memory grow afterwards.
func TestInBubble(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	const growth = 8 << 20
	sets := make(chan string, 1)
	c := Config{Dir: t.TempDir(), Growth: growth, Written: func(set string, err error) { sets <- set }}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if err := Start(c); err != nil {
			t.Error(err)
		}
		if d := time.Since(begun); d != 0 {
			t.Errorf("the bubble's clock has advanced by %v", d)
		}
		time.Sleep(time.Hour)
	})
	defer Stop()
	leakBytes(2 * growth)
	if set := <-sets; set == "" {
		t.Error("no set has been written")
	}
}
