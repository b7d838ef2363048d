// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"sync"

	"google.golang.org/grpc"
)

const (
	rooms = 50
	kept  = 100 // number of messages that a room keeps
)

// A chat has all rooms.
type chat struct {
	rooms [rooms]room
}

// A room has its members, and the latest messages.
type room struct {
	mu       sync.Mutex
	members  map[*member]bool
	messages []*message
}

// A member is a stream and the messages that wait to be sent on it.
type member struct {
	stream grpc.ServerStream
	queue  chan *message
}

func serve(address, profiles string) error {
	go func() { log.Fatal(http.ListenAndServe(profiles, nil)) }()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	c := new(chat)
	for i := range c.rooms {
		c.rooms[i].members = make(map[*member]bool)
	}
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "chat.Chat",
		HandlerType: (*any)(nil),
		Streams:     []grpc.StreamDesc{join},
	}, c)
	return server.Serve(listener)
}

// handleJoin serves a stream. The first byte of its first message selects the
// room.
func handleJoin(service any, stream grpc.ServerStream) error {
	m := &member{stream: stream, queue: make(chan *message, 10)}
	first := new(message)
	if err := stream.RecvMsg(first); err != nil {
		return err
	}
	if len(first.Value) == 0 {
		return errors.New("an empty message")
	}
	r := &service.(*chat).rooms[int(first.Value[0])%rooms]
	r.enter(m)
	var sending sync.WaitGroup
	sending.Go(m.send)
	defer sending.Wait() // nothing may be sent on a stream after its handler returns
	defer r.leave(m)
	for {
		next := new(message)
		switch err := stream.RecvMsg(next); err {
		case nil:
			r.post(next)
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// enter makes m a member, and offers it the latest messages.
func (r *room) enter(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[m] = true
	for _, old := range r.messages {
		m.offer(old)
	}
}

// leave ends the membership of m, and closes its queue.
func (r *room) leave(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, m)
	close(m.queue)
}

// post keeps a message and offers it to all members.
func (r *room) post(posted *message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.messages) == kept {
		r.messages = append(r.messages[:0:0], r.messages[1:]...)
	}
	r.messages = append(r.messages, posted)
	for m := range r.members {
		m.offer(posted)
	}
}

// offer queues a message, unless the queue is full.
func (m *member) offer(offered *message) {
	select {
	case m.queue <- offered:
	default:
	}
}

// send sends queued messages until the queue is closed or the stream fails.
func (m *member) send() {
	for next := range m.queue {
		if m.stream.SendMsg(next) != nil {
			return
		}
	}
}
