// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Grpcchat is a gRPC server with streams that stay open, and the load on it,
// for servers.bash. Each stream is a member of a room, which keeps the latest
// messages.
//
//	grpcchat serve 127.0.0.1:8080 127.0.0.1:6060   the server, and net/http/pprof
//	grpcchat load 127.0.0.1:8080                   100 connections with 20 streams each
//
// The load prints "load is on" when each stream has received an answer, and
// ends after a minute.
package main

import (
	"log"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type message = wrapperspb.BytesValue

// join is the service's only method: a member sends and gets messages.
var join = grpc.StreamDesc{StreamName: "Join", ServerStreams: true, ClientStreams: true, Handler: handleJoin}

const joinMethod = "/chat.Chat/Join"

func main() {
	log.SetFlags(0)
	log.SetPrefix("grpcchat: ")
	var err error
	switch {
	case len(os.Args) == 4 && os.Args[1] == "serve":
		err = serve(os.Args[2], os.Args[3])
	case len(os.Args) == 3 && os.Args[1] == "load":
		err = load(os.Args[2])
	default:
		log.Fatal("usage: grpcchat serve 127.0.0.1:8080 127.0.0.1:6060 | load 127.0.0.1:8080")
	}
	if err != nil {
		log.Fatal(err)
	}
}
