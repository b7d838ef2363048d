// run

//go:build linux && cgo && (amd64 || arm64)

// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Takes refs profiles of a program with plugins. Objects that a variable of a
// plugin holds must be below a root that is named by the variable's place in
// the plugin's data. Objects that a function of a plugin holds must be below a
// variable of the function, with the variable's type. If a plugin has an array
// of 200,000 pointers, no object may be lost, and the objects of the array must
// be below global variables.

package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

const plug = `package main

var held []*[100]int

func Hold(n int) {
	for range n {
		held = append(held, new([100]int))
	}
	ready := make(chan bool)
	go holdLocal(n, ready)
	<-ready
}

func holdLocal(n int, ready chan bool) {
	var local []*[101]int
	for range n {
		local = append(local, new([101]int))
	}
	ready <- true
	<-ready
	for _, b := range local {
		b[0]++
	}
}
`

const array = `package main

var Array [200_000]*[4]int

func Fill() (bytes int) {
	for i := range Array {
		Array[i] = new([4]int)
		bytes += 32
	}
	return bytes
}
`

const host = `package main

import (
	"bytes"
	"fmt"
	"os"
	"plugin"
	"regexp"
	"runtime/pprof"
	"strconv"
)

const objects, size = 1000, 896 // size is that of the size class, in bytes

func main() {
	log := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	checkHeld(log)
	checkArray(log)
}

func checkHeld(log func(error)) {
	p, err := plugin.Open(os.Args[1])
	log(err)
	hold, err := p.Lookup("Hold")
	log(err)
	hold.(func(int))(objects)
	var b bytes.Buffer
	log(pprof.Lookup("refs").WriteTo(&b, 1))
	number := func(pattern string) int {
		m := regexp.MustCompile("(?m)" + pattern).FindSubmatch(b.Bytes())
		if m == nil {
			log(fmt.Errorf("no %s in\n%s", pattern, &b))
		}
		n, err := strconv.Atoi(string(m[1]))
		log(err)
		return n
	}
	if sum, live := number("^refs profile: ([0-9]+) bytes"), number("([0-9]+) bytes live$"); sum != live {
		log(fmt.Errorf("samples add up to %d bytes, of %d", sum, live))
	}
	below := number("^ *([0-9]+) .*  [^ ]+\\((?:data|bss)\\+0x[0-9a-f]+\\)")
	if least := objects * size; number("^ *([0-9]+) .*  refsplugin/plug.holdLocal\\.[^ ]+ \\[\\]\\*\\[101\\]int") < least {
		log(fmt.Errorf("a variable of the plugin's function holds less than %d bytes", least))
	}
	if least := objects * size; below < least || below > least + 3*8*objects {
		log(fmt.Errorf("%d bytes below the plugin's variable, want %d and the slice in\n%s", below, least, &b))
	}
}

// checkArray checks that nothing is lost, and that the objects that the array
// of the second plugin holds are below global variables.
func checkArray(log func(error)) {
	p, err := plugin.Open(os.Args[2])
	log(err)
	fill, err := p.Lookup("Fill")
	log(err)
	want := fill.(func() int)()
	var b bytes.Buffer
	log(pprof.Lookup("refs").WriteTo(&b, 1))
	if !bytes.Contains(b.Bytes(), []byte("want of memory: 0 bytes in 0 objects")) {
		log(fmt.Errorf("lost objects:\n%.1000s", &b))
	}
	m := regexp.MustCompile("(?m)^ *([0-9]+) .*  global$").FindSubmatch(b.Bytes())
	if m == nil {
		log(fmt.Errorf("no globals in\n%.1000s", &b))
	}
	if below, _ := strconv.Atoi(string(m[1])); below < want {
		log(fmt.Errorf("%d bytes below globals, want %d of the array", below, want))
	}
}
`

func main() {
	log.SetFlags(log.Lshortfile)
	dir, err := os.MkdirTemp("", "refsplugin")
	if err != nil {
		log.Fatal(err)
	}
	err = run(dir)
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
	files := map[string]string{
		"go.mod":        "module refsplugin\n\ngo 1.26\n",
		"plug/main.go":  plug,
		"array/main.go": array,
		"host/main.go":  host,
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"go", "build", "-buildmode=plugin", "-o", "plug.so", "./plug"},
		{"go", "build", "-buildmode=plugin", "-o", "array.so", "./array"},
		{"go", "build", "-o", "host.exe", "./host"},
		{"./host.exe", "plug.so", "array.so"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %v\n%s", cmd, err, out)
		}
	}
	return nil
}
