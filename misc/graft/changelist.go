// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file reads change lists. doc/cl/series has their order. doc/cl/NAME.md
// has the commit message of each and, after a line "Files:", the new files that
// belong to it: a path a line, or a folder that ends with a slash and the names of
// files in it. A patch belongs to the change list in its name.

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	seriesFile = "doc/cl/series"
	filesLine  = "Files:"
	trailer    = "Change-List"
	lineWidth  = 90 // of a folder's names, but for a single one that is longer
)

var listNameRE = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// A changeList is one doc/cl/NAME.md.
type changeList struct {
	name    string
	message string   // the commit message, without trailer
	files   []string // the new files that belong to it
}

// doc returns the path of the change list's file.
func (c *changeList) doc() string { return "doc/cl/" + c.name + ".md" }

// subject returns the first line of the message.
func (c *changeList) subject() string {
	subject, _, _ := strings.Cut(c.message, "\n")
	return subject
}

// parseList reads the text of doc/cl/NAME.md.
func parseList(name, text string) (changeList, error) {
	c := changeList{name: name}
	var message []string
	inFiles := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		switch {
		case line == filesLine:
			inFiles = true
		case !inFiles:
			message = append(message, line)
		case line == "":
		case line[0] != '\t':
			return c, fmt.Errorf("%s: %q after %q: want a tab and a path", c.doc(), line, filesLine)
		default:
			c.files = append(c.files, parseFiles(line[1:])...)
		}
	}
	c.message = strings.TrimSpace(strings.Join(message, "\n"))
	subject, rest, _ := strings.Cut(c.message, "\n")
	if subject == "" || rest != "" && rest[0] != '\n' {
		return c, fmt.Errorf("%s: want the commit's subject, a blank line and the commit's message", c.doc())
	}
	return c, nil
}

// parseFiles returns the paths in a line of files.
func parseFiles(line string) []string {
	dir, names, ok := strings.Cut(line, "/ ")
	if !ok {
		return []string{line}
	}
	files := strings.Fields(names)
	for i := range files {
		files[i] = dir + "/" + files[i]
	}
	return files
}

// fileLines returns the lines for paths: those of one folder that follow each other
// are in one line, or in several if that becomes too long.
func fileLines(files []string) (lines []string) {
	last := ""
	for _, file := range files {
		dir, name := path.Split(file)
		switch i := len(lines) - 1; {
		case i < 0 || dir != last || len(lines[i])+1+len(name) > lineWidth:
			lines = append(lines, file)
		case !strings.Contains(lines[i], " "):
			lines[i] = dir + " " + strings.TrimPrefix(lines[i], dir) + " " + name
		default:
			lines[i] += " " + name
		}
		last = dir
	}
	return lines
}

// text returns the text of doc/cl/NAME.md. It is parseList's inverse.
func (c *changeList) text() string {
	if len(c.files) == 0 {
		return c.message + "\n"
	}
	return c.message + "\n\n" + filesLine + "\n\t" + strings.Join(fileLines(c.files), "\n\t") + "\n"
}

// readLists returns the project's change lists in order, and their problems.
func readLists(p *project) (lists []changeList, problems []string, err error) {
	names, err := readSeries(p)
	if err != nil {
		return nil, nil, err
	}
	for i, name := range names {
		switch {
		case !listNameRE.MatchString(name):
			problems = append(problems, fmt.Sprintf("%s: %q is not a name: want lower-case letters, digits, - and _", seriesFile, name))
			continue
		case slices.Contains(names[:i], name):
			problems = append(problems, fmt.Sprintf("%s: %s stands there twice", seriesFile, name))
			continue
		}
		c := changeList{name: name}
		text, err := os.ReadFile(p.path(c.doc()))
		if err != nil {
			problems = append(problems, fmt.Sprintf("change list %s has no %s", name, c.doc()))
			continue
		}
		if c, err = parseList(name, string(text)); err != nil {
			problems = append(problems, err.Error())
			continue
		}
		lists = append(lists, c)
	}
	docs, err := filepath.Glob(p.path("doc/cl/*.md"))
	for _, doc := range docs {
		name := strings.TrimSuffix(filepath.Base(doc), ".md")
		if name != "README" && !slices.Contains(names, name) {
			problems = append(problems, fmt.Sprintf("doc/cl/%s.md: %s is not in %s", name, name, seriesFile))
		}
	}
	return lists, problems, err
}

// readSeries returns the names in doc/cl/series. A project without that file
// has no change lists.
func readSeries(p *project) ([]string, error) {
	f, err := os.Open(p.path(seriesFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name := strings.TrimSpace(lines.Text()); name != "" && name[0] != '#' {
			names = append(names, name)
		}
	}
	return names, lines.Err()
}

// inOverlay reports whether the overlay can have a file for this path of
// goroot/.
func inOverlay(name string) bool {
	for _, dir := range overlayDirs {
		if strings.HasPrefix(name, dir+"/") {
			return path.Clean(name) == name
		}
	}
	return false
}
