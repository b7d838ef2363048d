// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs

// Lost in the number of a node means that a node below this node is missing:
// there was no room for it, its path would be too long, or the objects that
// refer to its objects have no words. The objects of the missing node are
// counted at the existing node, and their type is not known.
const Lost = 1 << 30

// NodeParts is the number of equal parts into which limits of stages divide the
// nodes.
const NodeParts = 16
