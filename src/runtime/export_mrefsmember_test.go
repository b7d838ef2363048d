// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

// RefsLimitNodes limits the number of nodes of recordings. 0 means no limit.
func RefsLimitNodes(most uint32) { refsNodes.most = most }
