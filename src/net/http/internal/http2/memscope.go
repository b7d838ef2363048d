// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build go1.27

package http2

import "internal/memscope"

// readFrame reads the next frame, and is otherwise cc.fr.ReadFrame. The payload
// counts for the memory scope of the goroutine that has sent the stream's
// request, and the rest of what the read loop does counts for nobody.
func (cc *ClientConn) readFrame() (Frame, error) {
	memscope.Leave()
	header, err := cc.fr.ReadFrameHeader()
	if err != nil {
		return nil, err
	}
	if memscope.Used() {
		memscope.Enter(cc.scopeOf(header.StreamID))
	}
	return cc.fr.ReadFrameForHeader(header)
}

// scopeOf returns the scope of a stream, or nil if there is none.
func (cc *ClientConn) scopeOf(stream uint32) *memscope.Scope {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if cs := cc.streams[stream]; cs != nil {
		return cs.scope
	}
	return nil
}
