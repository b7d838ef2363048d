// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file turns evidence on by GODEBUG=memevidence.

package evidence

import (
	"fmt"
	"internal/godebug"
	"strconv"
	"strings"
	"time"
	_ "unsafe" // for linkname
)

var memevidence = godebug.New("memevidence")

func init() {
	value := memevidence.Value()
	if value == "" || value == "0" || value == "off" || runtime_isSecureMode() {
		return
	}
	c, err := parseSetting(value)
	if err == nil {
		c.Written = printWritten
		err = Start(c)
	}
	if err != nil {
		report(fmt.Sprintf("GODEBUG=memevidence=%s: %v\n", value, err))
	}
}

// printWritten reports a set on standard error.
func printWritten(set string, err error) {
	if set != "" {
		report(fmt.Sprintf("runtime/evidence: wrote %s\n", set))
	}
	if err != nil {
		report(fmt.Sprintf("runtime/evidence: not written: %s\n", strings.ReplaceAll(err.Error(), "\n", "; ")))
	}
}

// The function is defined in runtime/evidencesetting.go.
//
//go:linkname runtime_isSecureMode runtime.evidence_isSecureMode
func runtime_isSecureMode() bool

// report prints a line to standard error. A write to [os.Stderr] would kill the
// process if standard error is a pipe whose reader has closed it.
func report(line string) { print(line) }

// parseSetting returns the Config for the value of the setting: a folder, and
// options, each of which begins with a colon. The folder may have only one
// colon, which is that of a drive of Windows.
func parseSetting(value string) (c Config, err error) {
	drive := ""
	if len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/') {
		drive, value = value[:2], value[2:]
	}
	dir, options, ok := strings.Cut(value, ":")
	c.Dir = drive + dir
	if !ok {
		return c, nil
	}
	for option := range strings.SplitSeq(options, ":") {
		key, value, ok := strings.Cut(option, "=")
		if !ok {
			return c, fmt.Errorf("option %q has no value", option)
		}
		if err := c.set(key, value); err != nil {
			return c, err
		}
	}
	return c, nil
}

// set sets the field whose name in lower case is key. It rejects values that
// are 0, such as 0 and 0s, because 0 stands for the default.
func (c *Config) set(key, value string) (err error) {
	switch key {
	case "share":
		c.Share, err = strconv.Atoi(strings.TrimSuffix(value, "%"))
	case "growth":
		c.Growth, err = parseSize(value)
	case "within":
		c.Within, err = time.ParseDuration(value)
	case "interval":
		c.Interval, err = time.ParseDuration(value)
	case "maxsets":
		c.MaxSets, err = strconv.Atoi(value)
	case "maxbytes":
		c.MaxBytes, err = parseSize(value)
	case "reserve":
		c.Reserve, err = parseSize(value)
	default:
		return fmt.Errorf("unknown option %q: the options are share, growth, within, interval, maxsets, maxbytes and reserve", key)
	}
	if err != nil {
		return fmt.Errorf("option %s has the malformed value %q", key, value)
	}
	if !strings.ContainsAny(value, "123456789") {
		return fmt.Errorf("option %s is %q", key, value)
	}
	return nil
}

// parseSize returns the number of bytes that s stands for.
func parseSize(s string) (int64, error) {
	shift := 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(s, unit); ok {
			s, shift = number, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(s, "B"), 10, 64-shift)
	return n << shift, err
}
