// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/google/pprof/profile"
	"github.com/grafana/pyroscope-go"
)

// agent runs pyroscope-go with CPU, heap, goroutine, mutex and block profiles
// until it has sent ten profiles.
func agent() error {
	uploads := make(chan error, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uploads <- readUpload(r)
	}))
	defer server.Close()
	p, err := pyroscope.Start(pyroscope.Config{
		ApplicationName: "deltas",
		ServerAddress:   server.URL,
		UploadRate:      time.Second,
		ProfileTypes: []pyroscope.ProfileType{
			pyroscope.ProfileCPU, pyroscope.ProfileAllocObjects, pyroscope.ProfileAllocSpace, pyroscope.ProfileInuseObjects,
			pyroscope.ProfileInuseSpace, pyroscope.ProfileGoroutines, pyroscope.ProfileMutexCount, pyroscope.ProfileBlockDuration,
		},
	})
	if err != nil {
		return err
	}
	defer p.Stop()
	limit := time.After(60 * time.Second)
	for n := 0; n < 10; n++ {
		keep()
		select {
		case err := <-uploads:
			if err != nil {
				return err
			}
		case <-limit:
			return fmt.Errorf("%d uploads within a minute, want 10", n)
		}
	}
	return nil
}

func readUpload(r *http.Request) error {
	f, _, err := r.FormFile("profile")
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL, err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL, err)
	}
	if p.PeriodType == nil {
		return fmt.Errorf("%s: no PeriodType", r.URL)
	}
	return p.CheckValid()
}
