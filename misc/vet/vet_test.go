// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("VET_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestPlatforms vets a package in which files of one platform are wrong.
func TestPlatforms(t *testing.T) {
	const asm = "#include \"textflag.h\"\nTEXT ·asm(SB),NOSPLIT,$0-12\n\tMOVD a+0(FP), R0\n\tRET\n"
	for _, test := range []struct {
		name  string
		files map[string]string
	}{
		{"a test does not compile", map[string]string{"x_arm64_test.go": "package p\n\nvar x int = \"s\"\n"}},
		{"a format", map[string]string{"x_arm64_test.go": "package p\n\nimport \"fmt\"\n\nfunc f() { fmt.Printf(\"%d\", \"s\") }\n"}},
		{"assembly", map[string]string{"x_arm64.s": asm, "x_arm64.go": "package p\n\nfunc asm(a, b int32) int32\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"go.mod": "module p\n", "p.go": "package p\n"}
			for name, text := range test.files {
				files[name] = text
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for arch, wrong := range map[string]bool{"arm64": true, "386": false} {
				cmd := exec.Command(os.Args[0], ".")
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "VET_TEST_MAIN=1", "GOFLAGS=", "GOWORK=off", "GOOS=linux", "CGO_ENABLED=0", "GOARCH="+arch)
				if out, err := cmd.CombinedOutput(); (err != nil) != wrong {
					t.Errorf("%s: %v\n%s", arch, err, out)
				}
			}
		})
	}
}
