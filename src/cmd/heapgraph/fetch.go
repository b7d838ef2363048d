// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file fetches a snapshot from a program that runs. Each request makes the
// program take a new snapshot. Therefore the fetched snapshot is kept in a
// file, and the name of the file is printed, so that other commands can read
// the same snapshot.

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// handlerPath is the path at which net/http/pprof serves snapshots.
const handlerPath = "/debug/pprof/heapgraph"

// sourceURL returns the URL for which an argument stands, or "" if the argument
// is to be opened as a file.
func sourceURL(arg string) string {
	if _, err := os.Stat(arg); err == nil {
		return ""
	}
	u, err := url.Parse(arg)
	if err != nil || u.Host == "" {
		// In host:port/path, url.Parse takes the host for the scheme,
		// or returns an error.
		host, _, _ := strings.Cut(arg, "/")
		if !strings.Contains(host, ":") || strings.HasSuffix(host, ":") {
			return ""
		}
		if u, err = url.Parse("http://" + arg); err != nil {
			return ""
		}
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = handlerPath
	}
	return u.String()
}

// fetch fetches a snapshot and returns the name of the file that has it.
func (t *task) fetch(u string) (string, error) {
	fmt.Fprintf(t.progress.w, "heapgraph: fetching %s\n", u)
	resp, err := http.Get(u)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", statusError(u, resp)
	}
	f, err := os.CreateTemp("", "heap*.graph")
	if err != nil {
		return "", err
	}
	err = t.receive(f, resp.Body)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("%s: %w", u, err)
	}
	fmt.Fprintf(t.progress.w, "heapgraph: the snapshot is in %s\n", f.Name())
	return f.Name(), nil
}

// receive copies a snapshot to w.
func (t *task) receive(w io.Writer, r io.Reader) error {
	m := &meter{p: t.progress}
	defer m.end()
	_, err := io.Copy(io.MultiWriter(w, m), r)
	return err
}

// statusError returns the error of a response that is not a snapshot.
func statusError(u string, resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000))
	text = bytes.TrimSpace(text)
	if len(text) == 0 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		return fmt.Errorf("%s: %s", u, resp.Status)
	}
	return fmt.Errorf("%s: %s: %s", u, resp.Status, text)
}
