// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Nats runs a nats-server that has profiles, and connects clients to it, with a
// subscription each. It prints the address of the profiles and waits for the
// end of standard input. With DIR, it writes profiles to files in DIR instead,
// some of them both in full and as small as collectors get them.
//
//	nats SERVER [DIR]
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// clients is the number of connections.
const clients = 200

// saved are the profiles that are written to files, by the name of the file.
var saved = map[string]string{
	"refs":           "refs",
	"refs-labels":    "refs?labels=none",
	"refs-top":       "refs?top=100",
	"refs-collector": "refs?top=100&labels=none",
	"inuse":          "inuse",
	"inuse-top":      "inuse?top=100",
	"goroutine":      "goroutine",
	"heap":           "heap",
	"growth":         "growth",
	"peak":           "peak",
	"memory":         "memory",
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 || len(os.Args) > 3 {
		log.Fatal("usage: nats SERVER [DIR]")
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(server string, dir []string) error {
	address, profiles, err := freeAddresses()
	if err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(address)
	_, profilePort, _ := net.SplitHostPort(profiles)
	cmd := exec.Command(server, "--addr", host, "--port", port, "--profile", profilePort)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if err = ready(address, profiles); err == nil {
			break
		}
		if time.Since(begin) > time.Minute {
			return fmt.Errorf("nats-server does not serve: %w", err)
		}
	}
	for i := range clients {
		c, err := connect(address, i)
		if err != nil {
			return err
		}
		defer c.Close()
	}
	if len(dir) > 0 {
		return save(profiles, dir[0])
	}
	fmt.Println(profiles)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// freeAddresses returns two addresses at which nothing listens.
func freeAddresses() (x, y string, err error) {
	a, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer a.Close()
	b, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer b.Close()
	return a.Addr().String(), b.Addr().String(), nil
}

// ready returns an error unless something listens at both addresses.
func ready(addresses ...string) error {
	for _, a := range addresses {
		c, err := net.Dial("tcp", a)
		if err != nil {
			return err
		}
		c.Close()
	}
	return nil
}

// connect makes a connection with a subscription, and waits until the server
// has the subscription.
func connect(address string, i int) (net.Conn, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(c, "CONNECT {\"verbose\":false,\"name\":\"client%d\"}\r\nSUB orders.%d 1\r\nPING\r\n", i, i)
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "PONG") {
			return c, nil
		}
	}
	return nil, fmt.Errorf("client %d: no PONG: %v", i, lines.Err())
}

func save(profiles, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, page := range saved {
		url := "http://" + profiles + "/debug/pprof/" + page
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s: %v: %.200s", url, resp.Status, err, body)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".pb.gz"), body, 0o666); err != nil {
			return err
		}
	}
	return nil
}
