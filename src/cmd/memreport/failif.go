// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the conditions of -fail-if, such as live>500MB,growth>1MB/s.

package main

import (
	"fmt"
	"slices"
	"strings"
)

// A condition is true if a figure is above a bound.
type condition struct {
	text   string
	figure string
	above  float64
}

// figures are the names that are no classes.
var figures = []string{"growth", "goroutines", "leaked", "findings"}

// parseConditions parses the value of -fail-if.
func parseConditions(s string) (all []condition, err error) {
	for text := range strings.SplitSeq(s, ",") {
		figure, bound, ok := strings.Cut(text, ">")
		figure, bound = strings.TrimSpace(figure), strings.TrimSpace(bound)
		if !ok {
			return nil, fmt.Errorf("-fail-if: %q has no >: live>500MB is a condition", text)
		}
		if !slices.Contains(figures, figure) && !slices.Contains(classes, class(figure)) {
			return nil, fmt.Errorf("-fail-if: no figure has the name %q; there are %s and %v", figure, strings.Join(figures, ", "), classes)
		}
		if rest, rate := strings.CutSuffix(bound, "/s"); rate != (figure == "growth") {
			return nil, fmt.Errorf("-fail-if: growth, and only growth, has a bound such as 1MB/s")
		} else {
			bound = rest
		}
		c := condition{text: text, figure: figure}
		if c.above, err = parseSize(bound); err != nil {
			return nil, fmt.Errorf("-fail-if: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}

// value returns a figure, or an error if it is not known.
func (c condition) value(f *facts, findings []finding) (float64, error) {
	switch c.figure {
	case "findings":
		return float64(len(findings)), nil
	case "goroutines":
		if f.take.files[numbered("goroutine", len(f.take.Moments)-1)] != nil {
			return float64(f.goroutines()), nil
		}
	case "leaked":
		if f.take.files["goroutineleak.pb.gz"] != nil {
			return float64(f.leaked()), nil
		}
	case "growth":
		if f.Compare {
			return 0, fmt.Errorf("-fail-if=%s: two takes have no rate", c.text)
		}
		if n, ok := f.growth(); ok {
			return f.rate(n), nil
		}
	default:
		if n, ok := f.now().Classes[class(c.figure)]; ok {
			return float64(n), nil
		}
	}
	return 0, fmt.Errorf("-fail-if=%s: the figure is not known", c.text)
}

// check returns the conditions that are true. If none is, and the server has
// ended in the watch, it may have ended because of one.
func check(all []condition, f *facts, findings []finding) (failed []string, err error) {
	for _, c := range all {
		x, err := c.value(f, findings)
		if err != nil {
			return nil, err
		}
		if x > c.above {
			failed = append(failed, c.text)
		}
	}
	if why := f.take.Missing[restOfWatch]; why != "" && len(all) > 0 && len(failed) == 0 {
		return nil, fmt.Errorf("-fail-if: the watch was not complete: %s", why)
	}
	return failed, nil
}
