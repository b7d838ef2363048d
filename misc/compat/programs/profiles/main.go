// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Profiles does some work, and writes profiles to DIR: each profile of its
// runtime as NAME.pb.gz, and each difference that net/http/pprof serves as
// NAME.delta.pb.gz. It gets the list of profiles from the runtime. It knows by
// name only the profiles that are not a pprof.Profile.
//
//	profiles DIR
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: profiles DIR")
	}
	dir := os.Args[1]
	if err := os.MkdirAll(dir, 0o777); err != nil {
		log.Fatal(err)
	}
	stop := work()
	defer stop()
	runtime.GC()

	for _, p := range pprof.Profiles() {
		if err := writeProfile(dir, p); err != nil {
			log.Fatalf("%s: %v", p.Name(), err)
		}
	}
	if err := writeServed(dir); err != nil {
		log.Fatal(err)
	}
}

func writeProfile(dir string, p *pprof.Profile) error {
	f, err := os.Create(filepath.Join(dir, p.Name()+".pb.gz"))
	if err != nil {
		return err
	}
	if err := p.WriteTo(f, 0); err != nil {
		return err
	}
	return f.Close()
}

// served are the profiles over a time that are not in pprof.Profiles. Only
// gorefs has faults, and not every system lets a process count its page faults.
var served = []struct {
	name     string
	optional bool
}{{"profile", false}, {"faults", true}}

// writeServed writes the profiles over one second that net/http/pprof serves.
func writeServed(dir string) error {
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	for _, p := range served {
		if err := fetch(server.URL, p.name, filepath.Join(dir, p.name+".pb.gz"), p.optional); err != nil {
			return err
		}
	}
	for _, p := range pprof.Profiles() {
		// The server decides which profiles have differences.
		if err := fetch(server.URL, p.Name(), filepath.Join(dir, p.Name()+".delta.pb.gz"), true); err != nil {
			return err
		}
	}
	return nil
}

func fetch(url, name, file string, optional bool) error {
	resp, err := http.Get(url + "/debug/pprof/" + name + "?seconds=1")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		if optional {
			fmt.Printf("%s of a second: %s\n", name, body)
			return nil
		}
		return fmt.Errorf("%s: %s\n%s", name, resp.Status, body)
	}
	return os.WriteFile(file, body, 0o666)
}
