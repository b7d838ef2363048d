// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A take is what memreport has fetched from a server: profiles, as files of a
// folder, and a manifest. A report is made from a take alone, so a folder gives
// the same report as the server did.

package main

import (
	"bytes"
	"cmd/internal/filetool"
	"compress/gzip"
	"debug/heapgraph"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

const (
	manifestName = "memreport.json"
	takeVersion  = 1
	maxMoments   = 100
	// maxProfile bounds a profile that is not compressed, because a folder
	// may come from anywhere.
	maxProfile = 1 << 30
)

// A take is the manifest of a folder, with the files.
type take struct {
	Version int               `json:"version"`
	URL     string            `json:"url"`
	Program string            `json:"program"` // its path, as it was started
	Time    time.Time         `json:"time"`
	Seconds float64           `json:"seconds"`          // of the watch
	Moments []float64         `json:"moments"`          // seconds since Time
	Limit   int64             `json:"limit"`            // of -limit, or 0
	Missing map[string]string `json:"missing"`          // pages, and why
	Files   []string          `json:"files,omitempty"`  // that were kept
	Reason  string            `json:"reason,omitempty"` // what it is, if it is of one moment

	dir     string            // for commands
	waiting []site            // allocations, of evidence
	names   map[string]string // of files that have other names in dir
	files   map[string][]byte
}

func (t *take) write(dir, name string, data []byte) error {
	return os.WriteFile(filepath.Join(dir, name), data, 0o666)
}

// newTake returns a take without files.
func newTake() *take {
	return &take{Version: takeVersion, Missing: make(map[string]string), files: make(map[string][]byte)}
}

// cut ends a watch after the last two moments of which the server has answered
// all, because figures are of both. It reports whether so many moments are enough
// for a report.
func (t *take) cut(err error) bool {
	n := len(t.Moments)
	for n > 1 && !(t.complete(n-1) && t.complete(n-2)) {
		n--
	}
	if n < 3 {
		return false
	}
	t.Moments = t.Moments[:n]
	t.measure()
	for _, name := range spacedProfiles {
		if t.files[numbered(name, n-1)] != nil {
			delete(t.Missing, name)
		}
	}
	t.Missing[restOfWatch] = err.Error()
	return true
}

// measure sets the duration of the watch to the time that has passed between its
// moments, which a slow server makes longer.
func (t *take) measure() { t.Seconds = t.Moments[len(t.Moments)-1] - t.Moments[1] }

// restOfWatch is what is missing after cut.
const restOfWatch = "the rest of the watch"

// spacedProfiles are those that a take has of each moment.
var spacedProfiles = [...]string{"goroutine", "growth", "memory", "cmemory"}

// complete reports whether a take has all of a moment that it has of the one
// before. A page that fails in the watch is not asked for again: what the server
// answers from then on is complete without it.
func (t *take) complete(moment int) bool {
	for _, name := range spacedProfiles {
		wanted := name == "goroutine" || t.files[numbered(name, moment-1)] != nil
		if wanted && t.files[numbered(name, moment)] == nil {
			return false
		}
	}
	return true
}

// store writes a take to a folder, which must be empty or new: files of two
// takes in one folder would be read as one.
func (t *take) store(dir string) error {
	if err := makeEmpty(dir); err != nil {
		return err
	}
	return t.writeFiles(dir)
}

// makeEmpty makes a folder, or returns an error if it has files.
func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return checkEmpty(dir)
}

func (t *take) writeFiles(dir string) error {
	for name, data := range t.files {
		if err := t.write(dir, name, data); err != nil {
			return err
		}
	}
	return t.writeManifest(dir)
}

// checkEmpty returns an error if a folder has files.
func checkEmpty(dir string) error {
	old, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(old) > 0 {
		err = fmt.Errorf("%s is not empty: -o wants a new folder", dir)
	}
	return err
}

// writeManifest writes the manifest, which is the last file of a folder.
func (t *take) writeManifest(dir string) error {
	t.list()
	data, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	return t.write(dir, manifestName, append(data, '\n'))
}

// readTake reads a folder.
func readTake(dir string) (*take, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if err := filetool.Check("memreport", dir); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is a file, and neither a URL nor a folder that -o has written (before a core file stands its executable)", dir)
	}
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		if _, e := os.Stat(filepath.Join(dir, "evidence.txt")); e == nil {
			return readEvidence(dir)
		}
		return nil, fmt.Errorf("%s has no %s: it is no folder that -o has written", dir, manifestName)
	}
	if err != nil {
		return nil, err
	}
	t := newTake()
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", filepath.Join(dir, manifestName), err)
	}
	if t.Version != takeVersion {
		return nil, fmt.Errorf("%s is of version %d, and this memreport reads version %d", dir, t.Version, takeVersion)
	}
	if n := len(t.Moments); n == 0 || n > maxMoments {
		return nil, fmt.Errorf("%s is damaged: %d moments", filepath.Join(dir, manifestName), n)
	}
	t.dir = filepath.Clean(dir)
	return t, t.readFiles()
}

// takeFile matches the names of the files of a take. A folder may have others,
// such as a report.
var takeFile = regexp.MustCompile(`^((goroutine|growth|memory|cmemory|heap|refs|inuse)\.\d+|peak|goroutineleak)\.pb\.gz$|^heap(\.\d+)?\.txt$`)

func (t *take) readFiles() error {
	names, err := os.ReadDir(t.dir)
	if err != nil {
		return err
	}
	there := make(map[string]bool)
	for _, entry := range names {
		name := entry.Name()
		there[name] = true
		if !takeFile.MatchString(name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(t.dir, name))
		if err == nil {
			err = checkFile(name, data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(t.dir, name), err)
		}
		t.files[name] = data
	}
	t.missLost(there)
	if t.files["goroutine.0.pb.gz"] == nil {
		return fmt.Errorf("%s is not complete: it has no goroutine.0.pb.gz", t.dir)
	}
	return nil
}

// checkFile returns an error if a file is damaged, or of another profile.
func checkFile(name string, data []byte) error {
	if name == graphName {
		_, err := heapgraph.NewFile(bytes.NewReader(data), int64(len(data)))
		return err
	}
	if strings.HasSuffix(name, ".txt") {
		if !bytes.Contains(data, []byte("\n# runtime.MemStats\n")) {
			return errors.New("damaged, or no heap profile as text")
		}
		return nil
	}
	p, err := parseProfile(data)
	if err != nil {
		return err
	}
	return checkType(name, p)
}

// parseProfile parses a profile of bounded size.
func parseProfile(data []byte) (*profile.Profile, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("damaged, or no profile: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxProfile+1))
	if err == nil && len(raw) > maxProfile {
		err = fmt.Errorf("more than %s", formatSize(maxProfile))
	}
	if err != nil {
		return nil, fmt.Errorf("damaged, or no profile: %w", err)
	}
	p, err := profile.ParseUncompressed(raw)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("damaged, or no profile: %w", err)
	}
	return p, nil
}

// profile returns a profile of the take, or nil.
func (t *take) profile(name string) *profile.Profile {
	if t.files[name] == nil {
		return nil
	}
	p, _ := parseProfile(t.files[name]) // checkFile found it valid
	return p
}

// unknownProgram is the name of a program that a folder does not tell.
const unknownProgram = "(unknown program)"

// program returns the name of the executable.
func (t *take) program() string {
	name := t.Program
	if p := t.profile("goroutine.0.pb.gz"); name == "" && p != nil && len(p.Mapping) > 0 {
		name = p.Mapping[0].File
	}
	if name == "" {
		return unknownProgram
	}
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}

// path returns the name of a file, for commands.
func (t *take) path(name string) string {
	if other := t.names[name]; other != "" {
		name = other
	}
	return quote(filepath.Join(t.dir, name))
}

var quote = filetool.Quote
