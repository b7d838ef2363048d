// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A report is the result of a check.
type report struct {
	hooks  []*hook
	faults []string // what is wrong, one a line
}

// check judges all hooks, with the exceptions of accepted.txt.
func check(p *program, accepted []*exception) *report {
	c := findContexts(p)
	r := &report{hooks: c.hooks()}
	faults := make(map[string]bool)
	for _, h := range r.hooks {
		if h.inOurs {
			c.judgeHeld(h)
		} else {
			c.judge(h)
		}
		var left []fault
		for _, f := range h.faults {
			if !accept(accepted, short(h.to), f) {
				left = append(left, f)
				faults[fmt.Sprintf("%s: %s calls %s: %s: %s", p.at(h.site.Pos()), short(h.from), short(h.to), f.rule, f.text)] = true
			}
		}
		h.faults = left
	}
	r.faults = append(slices.Sorted(maps.Keys(faults)), unused(accepted)...)
	return r
}

// text returns the hooks, and then the faults.
func (r *report) text() string {
	var b strings.Builder
	for _, h := range r.hooks {
		verdict := "fit"
		if len(h.faults) > 0 {
			verdict = "NOT FIT"
		}
		fmt.Fprintf(&b, "%-40s %-40s %-8s %s\n", short(h.from), short(h.to), verdict, strings.Join(h.contexts, "; "))
	}
	for _, f := range r.faults {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

// markdown returns the table of the documentation: which of our functions are
// called in which contexts, and from where.
func (r *report) markdown() string {
	hooks := make(map[string]map[string][]string) // contexts, caller, functions
	for _, h := range r.hooks {
		contexts := strings.Join(h.contexts, "; ")
		if contexts == "" || h.inOurs {
			continue
		}
		if hooks[contexts] == nil {
			hooks[contexts] = make(map[string][]string)
		}
		from, to := short(h.from), short(h.to)
		if list := hooks[contexts][from]; !slices.Contains(list, to) {
			hooks[contexts][from] = append(list, to)
		}
	}
	var b strings.Builder
	b.WriteString("| contexts | hooks |\n| --- | --- |\n")
	for _, contexts := range slices.Sorted(maps.Keys(hooks)) {
		var list []string
		for _, from := range slices.Sorted(maps.Keys(hooks[contexts])) {
			list = append(list, "`"+from+"`: `"+strings.Join(hooks[contexts][from], "`, `")+"`")
		}
		fmt.Fprintf(&b, "| %s | %s |\n", contexts, strings.Join(list, "; "))
	}
	return b.String()
}
