// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package demo

import (
	"cmp"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPictures checks that the commands in the first comment of picture.bash
// make all pictures of doc/images, in the sizes that these have. The pictures
// heapgraph-*.png are made by demo/browser, and parca-refs.png by demo/parca.
func TestPictures(t *testing.T) {
	script, err := os.ReadFile("picture.bash")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^#   (?:WIDTH=(\d+) )?misc/demo/picture\.bash \S+ doc/images/(\S+)(?: \w+ (\d+))?`)
	sizes := make(map[string]string)
	for _, m := range command.FindAllStringSubmatch(string(script), -1) {
		width, name, height := m[1], m[2], m[3]
		if sizes[name] != "" {
			t.Errorf("there are two commands for %s", name)
		}
		sizes[name] = cmp.Or(width, "1400") + "x" + cmp.Or(height, "500")
	}
	files, err := filepath.Glob("../../doc/images/*.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "heapgraph-") || name == "parca-refs.png" {
			continue
		}
		if have, want := size(t, file), sizes[name]; have != want {
			t.Errorf("%s is %s, and its command makes %q", name, have, want)
		}
		delete(sizes, name)
	}
	for name := range sizes {
		t.Errorf("there is a command for %s, and no picture", name)
	}
}

func size(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	config, _, err := image.DecodeConfig(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return fmt.Sprintf("%dx%d", config.Width, config.Height)
}
