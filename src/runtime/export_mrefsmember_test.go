// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

// RefsLimitNodes limits the number of nodes of recordings. If most is 0, the
// limit is the same as for a profile.
func RefsLimitNodes(most uint32) { refsNodes.most = most }
