// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Httpload keeps connections to a web server on this machine open, for
// servers.bash, and requests a file on each of them about every four seconds.
// It prints "load is on" when all connections have had an answer, and ends
// after a minute.
package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	files  = 50
	period = 4 * time.Second // between the requests of a connection
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("httpload: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: httpload https://localhost:8443 CONNECTIONS")
	}
	connections, err := strconv.Atoi(os.Args[2])
	if err != nil || connections < 1 {
		log.Fatalf("bad number of connections %q", os.Args[2])
	}
	if err := run(os.Args[1], connections, time.Minute); err != nil {
		log.Fatal(err)
	}
}

func run(url string, connections int, limit time.Duration) error {
	end := time.Now().Add(limit)
	var answered, done sync.WaitGroup
	failed := make([]error, connections)
	for i := range connections {
		answered.Add(1)
		done.Go(func() {
			file := fmt.Sprintf("%s/%d.txt", url, i%files)
			client := newClient()
			failed[i] = get(client, file)
			answered.Done()
			time.Sleep(rand.N(period)) // so that connections do not all start at once
			for time.Now().Before(end) && failed[i] == nil {
				time.Sleep(period)
				failed[i] = get(client, file)
			}
		})
	}
	answered.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	fmt.Printf("load is on: %d connections\n", connections)
	done.Wait()
	return errors.Join(failed...)
}

// newClient returns a client with a connection of its own. It accepts the
// certificate that the server has made for itself.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		Timeout:   30 * time.Second,
	}
}

func get(client *http.Client, url string) error {
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s: %s", url, resp.Status))
	}
	return errors.Join(err, resp.Body.Close())
}
