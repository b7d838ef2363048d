// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// An exception is a line of accepted.txt: a fault that is none, and why.
type exception struct {
	line   int
	hook   string // pattern of the names of the function that has the hook
	rule   string
	target string // pattern of what is forbidden
	used   bool
}

// readAccepted reads the lines that are for the platform.
func readAccepted(file, platform string) ([]*exception, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []*exception
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		what, reason, ok := strings.Cut(line, ": ")
		words := strings.Fields(what)
		if !ok || reason == "" || len(words) < 3 {
			return nil, fmt.Errorf("%s:%d: want HOOK RULE TARGET [PLATFORM...]: REASON", file, i+1)
		}
		if len(words) == 3 || slices.Contains(words[3:], platform) {
			list = append(list, &exception{line: i + 1, hook: words[0], rule: words[1], target: words[2]})
		}
	}
	return list, nil
}

// accept reports whether f, of the hook's function with that name, is accepted,
// and marks the exceptions that say so.
func accept(list []*exception, name string, f fault) (ok bool) {
	matches := func(pattern, name string) bool {
		m, err := path.Match(pattern, name)
		return pattern == name || err == nil && m
	}
	for _, e := range list {
		if e.rule == f.rule && matches(e.hook, name) && matches(e.target, f.target) {
			e.used = true
			ok = true
		}
	}
	return ok
}

// unused returns a fault for each exception that has accepted nothing.
func unused(list []*exception) (faults []string) {
	for _, e := range list {
		if !e.used {
			faults = append(faults, fmt.Sprintf("accepted.txt:%d: nothing needs this line any more: remove it", e.line))
		}
	}
	return faults
}
