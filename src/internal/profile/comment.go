// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Comments of profiles. Decoding and merging (encode.go, merge.go) keep them.
// preEncode calls the method in this file, so that encoding keeps them, too.
// The delta profiles of net/http/pprof therefore have the comments of both of
// their profiles.

package profile

// encodeComments adds the comments to the string table.
func (p *Profile) encodeComments(strings map[string]int) {
	p.commentX = make([]int64, len(p.Comments))
	for i, c := range p.Comments {
		p.commentX[i] = addString(strings, c)
	}
}
