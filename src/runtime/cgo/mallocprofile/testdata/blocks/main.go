// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Blocks allocates in the ways that its arguments say, and writes the profile
// cmemory to the file that its first argument names. For each way it prints the
// function whose samples are meant, and what they should be.
package main

/*
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include "blocks.h"

#cgo LDFLAGS: -ldl

static long preloaded(void) {
	long (*f)(void) = (long (*)(void))dlsym(RTLD_DEFAULT, "preloadedMallocs");
	return f ? f() : -1;
}

static void preloadedNews(void) {
	void *(*new)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "preloadedNew");
	void (*delete)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "preloadedDelete");
	for (int i = 0; i < 1000; i++)
		delete(new(100));
}
*/
import "C"

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"runtime"
	_ "runtime/cgo/mallocprofile"
	"runtime/pprof"
)

//go:noinline
func goC() (t C.struct_truth) {
	C.ofC(&t)
	return
}

//go:noinline
func goCpp() (t C.struct_truth) {
	C.ofCpp(&t)
	return
}

var inCallback *C.struct_truth

//export callback
func callback() { goInner() }

//go:noinline
func goInner() { C.ofC(inCallback) }

// goOuter calls C, which calls goInner, which calls C.
//
//go:noinline
func goOuter() C.struct_truth {
	var p runtime.Pinner
	defer p.Unpin()
	inCallback = new(C.struct_truth)
	p.Pin(inCallback)
	C.callGo()
	return *inCallback
}

// callFromThread has C call goInner on a thread of its own. It returns what
// goInner allocated, and what C did between the calls.
func callFromThread() (inner, between C.struct_truth) {
	var p runtime.Pinner
	defer p.Unpin()
	inCallback = new(C.struct_truth)
	p.Pin(inCallback)
	C.callGoFromThread(&between)
	return *inCallback, between
}

// exitThread has a thread of Go's exit, and C allocate in it after other objects
// have taken the place of the runtime's own for the thread.
func exitThread() C.struct_truth {
	var p runtime.Pinner
	defer p.Unpin()
	t := new(C.struct_truth)
	p.Pin(t)
	go exitOther(t)
	for C.exiting() == 0 {
		runtime.Gosched()
	}
	type pair struct {
		number  uintptr
		pointer *byte
	}
	var others [][]pair
	for range 20 {
		go runtime.LockOSThread() // exits, too, so that the runtime makes threads and forgets others
		runtime.GC()
		for n := range 2000 {
			o := make([]pair, n/8)
			for i := range o {
				o[i].number = 0xdeaddeaddead0001
			}
			others = append(others, o)
		}
	}
	for C.exited() == 0 {
		runtime.Gosched()
	}
	runtime.KeepAlive(others)
	return *t
}

// exitOther has a thread exit that is not the main one, which never does.
func exitOther(t *C.struct_truth) {
	runtime.LockOSThread()
	if C.isMainThread() == 0 {
		C.allocateAtExit(t)
		return
	}
	defer runtime.UnlockOSThread()
	go exitOther(t)
	for C.exiting() == 0 {
		runtime.Gosched()
	}
}

var opened []string // files of libraries

//go:noinline
func goLibrary(file string) (t C.struct_truth) {
	opened = append(opened, file)
	name := C.CString(file)
	C.ofLibrary(&t, name)
	return
}

// goLabelled calls C with n labels.
//
//go:noinline
func goLabelled(n int) (t C.struct_truth) {
	for i := range n {
		pprof.Do(context.Background(), pprof.Labels("request", fmt.Sprint(i)), func(context.Context) {
			C.allocated(&t, C.malloc(100))
		})
	}
	return
}

// goDeep calls C with more frames than a sample has, on a stack that has grown.
//
//go:noinline
func goDeep(n int) C.struct_truth {
	var room [100]byte
	if n > 0 {
		t := goDeep(n - 1)
		runtime.KeepAlive(room)
		return t
	}
	return goC()
}

// grow calls C, and prints by how much that made a size larger, to which other
// threads add little.
func grow(name string, size func() C.long, call func()) {
	before := size()
	call()
	fmt.Println(name, size()-before)
}

func space() C.long        { return C.space() }
func mappings() C.long     { return C.mappings() }
func programBreak() C.long { return C.programBreak() }

//go:noinline
func goMap() { C.mapLarge() }

//go:noinline
func goRemap() { C.remapLarge() }

//go:noinline
func goUnmap() { C.unmapLarge() }

//go:noinline
func goBreak() { C.growBreak() }

//go:noinline
func goArena() { C.growArena() }

// writeProfile writes a profile. It prints the C library's space before and
// after.
func writeProfile(name, file string, debug int) {
	f, err := os.Create(file)
	if err != nil {
		log.Fatal(err)
	}
	before := C.space()
	if err := pprof.Lookup(name).WriteTo(f, debug); err != nil {
		log.Fatal(err)
	}
	fmt.Println(name, before, C.space())
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}

func init() { runtime.LockOSThread() } // main is on the thread that moves the program break

// changeFiles changes the files with the program's code.
func changeFiles(change func(file string) error) {
	exe, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range append(opened, exe) {
		if err := change(file); err != nil {
			log.Fatal(err)
		}
	}
}

func want(function string, t C.struct_truth) {
	fmt.Println(function, t.allocs, t.allocBytes, t.inuse, t.inuseBytes)
}

func main() {
	log.SetFlags(log.Lshortfile)
	for _, way := range os.Args[2:] {
		var t C.struct_truth
		switch way {
		case "c":
			want("main.goC", goC())
		case "c++":
			want("main.goCpp", goCpp())
		case "early":
			C.beforeMain(&t)
			want("beforeGo", t)
		case "thread":
			C.ofThread(&t)
			want("cThread", t)
		case "register":
			C.ofRegister(&t)
			want("mallocOfRegister", t)
		case "depths":
			C.ofDepths(&t)
			want("fromDepth", t)
		case "exit":
			want("cThread", exitThread())
		case "callback":
			t = goOuter()
			want("main.goInner", t)
			want("main.goOuter", t)
		case "threadcallback":
			inner, between := callFromThread()
			want("main.goInner", inner)
			want("callGoThread", between)
		case "labels":
			pprof.Do(context.Background(), pprof.Labels("request", "a\x00b"), func(context.Context) { t = goC() })
			want("request=a\x00b", t)
		case "manylabels":
			want("main.goLabelled", goLabelled(17_000))
		case "rate":
			runtime.LockOSThread()
			runtime.MemProfileRate = math.MaxInt
			C.free(C.malloc(256 << 10))
			runtime.MemProfileRate = 1
			C.free(C.malloc(256 << 10))
			want("main.goC", goC())
			runtime.MemProfileRate = 0 // what is sampled can still be read
		case "deep":
			want("main.goC", goDeep(1000))
		case "churn":
			// Go's profiler interrupts the threads with signals.
			if err := pprof.StartCPUProfile(io.Discard); err != nil {
				log.Fatal(err)
			}
			C.churn(100, 1, &t)
			pprof.StopCPUProfile()
			t.allocs, t.allocBytes = -1, -1
			want("churner|shortLived", t)
		case "fork":
			done := make(chan bool)
			go func() {
				C.churn(8, 1, &t)
				done <- true
			}()
			if e := C.forkAndExec(20); e != 0 {
				log.Fatal("forkAndExec: ", e)
			}
			<-done
		case "mixed":
			n := C.mixed(1e6)
			want("main._Cfunc_mixed", C.struct_truth{allocs: -1, allocBytes: -1, inuse: -1, inuseBytes: n})
		case "lost":
			C.blocksWithoutMemory(&t)
			want("withoutMemory", t)
		case "space":
			grow("main.goBreak", programBreak, goBreak)
			grow("manyBlocks", space, goArena)
			C.mapSmall()
			grow("main.goMap", mappings, goMap)
			grow("main.goRemap", mappings, goRemap)
			fmt.Println("touched", C.touchLarge())
			writeProfile("memory", os.Args[1]+".memory", 0)
			writeProfile("memory", os.Args[1]+".memorytext", 1)
			grow("main.goUnmap", mappings, goUnmap)
			writeProfile("growth", os.Args[1]+".growth", 0)
			writeProfile("growth", os.Args[1]+".growthtext", 1)
		case "remove":
			changeFiles(os.Remove)
		case "replace":
			changeFiles(func(file string) error { return os.Rename(file+".new", file) })
		case "preloaded":
			if C.preloaded() < 500 {
				log.Fatal("mallocs of the preloaded library: ", C.preloaded())
			}
			C.preloadedNews()
			want("preloadedNew", C.struct_truth{})
		default:
			want("libraryAllocate", goLibrary(way))
		}
	}
	f, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.Lookup("cmemory").WriteTo(f, 0); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
