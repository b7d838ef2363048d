// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Records of nodes, from which package internal/refpath makes names.

package refs

import "internal/profilerecord"

// Record makes r the record of node, without the fields that are pointers or
// texts. Those depend on the process: the types of the key, the names and types
// of variables, and labels.
func (node *Node) Record(r *profilerecord.RefsNode) {
	k := &node.Key
	*r = profilerecord.RefsNode{
		Parent: int32(k.Parent), Kind: k.Kind, Role: k.Role, Untyped: k.Untyped, Second: node.Second,
		Leaked: k.Variant&VariantLeaked != 0, Array: k.Variant&VariantArray != 0, Inferred: k.Variant&VariantInferred != 0,
		Objects: node.Objects.Load(), Bytes: node.Bytes.Load(), Scan: node.Scan.Load(), Unused: node.Unused.Load(),
	}
	switch k.Role {
	case RoleDirectory, RoleTable:
		r.Role = profilerecord.RefsTable
	case RoleGroups:
		r.Role = profilerecord.RefsGroups
	case RoleDirect:
		r.Role = profilerecord.RefsVariable
	case RoleRequests:
		r.Role, r.Request = 0, true
	}
	switch k.Kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal, profilerecord.RefsModuleData:
		r.PC = k.Func
	case profilerecord.RefsFrame, profilerecord.RefsCleanup, profilerecord.RefsCleanupQueue, profilerecord.RefsTimer:
		r.PC = k.Place
	case profilerecord.RefsGoroutine:
	default:
		r.PC, r.Offset = k.Func, k.Place
	}
}

// DataName returns the name of a block of a section of a module without a table
// of variables, such as main(bss+0x10). off is where the block begins.
func DataName(module, section string, off uint64) string {
	var hex [16]byte
	i := len(hex)
	for {
		i--
		hex[i] = "0123456789abcdef"[off%16]
		if off /= 16; off == 0 {
			return module + "(" + section + "+0x" + string(hex[i:]) + ")"
		}
	}
}
