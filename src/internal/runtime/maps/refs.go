// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package maps

import "unsafe"

// The layout of the objects that a map consists of, and of iterators, for the
// recorder of references (runtime/mrefsprocess.go, runtime/mrefscache.go) and
// for the core record (runtime/corerecord.go). The recorder reads these objects
// while marking, without locks. Two words of an object need not fit each other,
// because the program may change the object in the meantime.
const (
	RefsMapSize     = unsafe.Sizeof(Map{})
	RefsMapUsed     = unsafe.Offsetof(Map{}.used) // of 8 bytes
	RefsMapDirPtr   = unsafe.Offsetof(Map{}.dirPtr)
	RefsMapDirLen   = unsafe.Offsetof(Map{}.dirLen)
	RefsTableSize   = unsafe.Sizeof(table{})
	RefsTableUsed   = unsafe.Offsetof(table{}.used) // of 2 bytes
	RefsTableGroups = unsafe.Offsetof(table{}.groups) + unsafe.Offsetof(groupsReference{}.data)
	RefsIterKey     = unsafe.Offsetof(Iter{}.key)
	RefsIterElem    = unsafe.Offsetof(Iter{}.elem)
	RefsIterType    = unsafe.Offsetof(Iter{}.typ)
	RefsIterMap     = unsafe.Offsetof(Iter{}.m)
	RefsIterTable   = unsafe.Offsetof(Iter{}.tab)
)
