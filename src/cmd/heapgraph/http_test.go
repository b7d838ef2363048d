// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"internal/testenv"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestMain runs the command in place of the tests if the environment variable
// of a test says so.
func TestMain(m *testing.M) {
	if os.Getenv("HEAPGRAPH_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestServe checks that the command prints the address, and serves pages there.
func TestServe(t *testing.T) {
	name := (&server{sessions: 3}).file(t)
	cmd := testenv.Command(t, testenv.Executable(t), "-http=:", "-no_browser", name)
	cmd.Env = append(cmd.Environ(), "HEAPGRAPH_TEST_MAIN=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "Serving "+name+" on ")
	if err != nil || !ok || !strings.HasPrefix(addr, "http://localhost:") {
		t.Fatalf("printed %q: %v", line, err)
	}
	resp, err := http.Get(addr)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), "app.Session") {
		t.Errorf("status %d, %v\n%s", resp.StatusCode, err, body)
	}
}

func TestServeErrors(t *testing.T) {
	name := (&server{sessions: 2}).file(t)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	checkErrors(t, name, []errorTest{
		{"-http=: -no_browser", 2, "heapgraph: -http=address takes 1 to 2 arguments, and not 0: snapshot [old]\nSee “go tool heapgraph help -http=address”.\n"},
		{"-http=: a b c", 2, "heapgraph: -http=address takes 1 to 2"},
		{"-http=8080 FILE", 2, "heapgraph: -http: address 8080: missing port"},
		{"-no_browser FILE", 2, "heapgraph: there is neither a command nor an address"},
		{"-x FILE", 2, "heapgraph: flag provided but not defined: -x"},
		{"-http=: FILE.x", 1, "heapgraph: open FILE.x: "},
		{"-http=: FILE FILE.x", 1, "heapgraph: open FILE.x: "},
		{"-http=" + l.Addr().String() + " FILE", 1, "heapgraph: listen tcp "},
	})
	if text := output(t, "help", "-http"); !strings.HasPrefix(text, "Usage: go tool heapgraph -http=address [flags] snapshot [old]\n") {
		t.Errorf("help is\n%s", text)
	}
}
