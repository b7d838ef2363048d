// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The core record: where the runtime's structures are, and how they are laid
// out, for a reader of the memory of a process that no longer runs.
// runtime/corerecord.go fills it in, and cmd/heapgraph/internal/core reads it.
//
// Each program has one record in its data, so that a core file can be read
// without symbols, DWARF and the source of its runtime. A reader finds it by
// its first words. CoreVersion changes if the meaning of a variable or an
// offset changes. It also changes if the format of type descriptors, function
// tables, frame variables or heap bitmaps changes, because the record has no
// offsets for these. New variables and offsets are added at the end of their
// list. They do not change the version, because the record has the numbers of
// variables and of offsets.

package profilerecord

import "unsafe"

// CoreVersion is the version of the record.
const CoreVersion = 3

// CoreMagic0 and CoreMagic1 are the first words of the record, in the machine's
// byte order. Both have bytes that never occur in UTF-8 text.
const (
	CoreMagic0 = 0xf9c0_7e4e_c04d_0001
	CoreMagic1 = 0x91d5_a6b3_07e1_f8ee
)

// A CoreRecord is the core record.
type CoreRecord struct {
	Magic   [2]uint64
	Version uint16
	PtrSize uint16
	NumVars uint16
	NumOffs uint16
	Vars    [NumCoreVars]unsafe.Pointer
	Offs    [NumCoreOffs]uint16
}

// Variables of the runtime. CoreRecord.Vars has their addresses.
const (
	CoreModule       = iota // moduledata: the first
	CoreAllSpans            // []*mspan
	CoreAllGs               // []*g
	CoreAllMs               // *m: the first of a list
	CoreAllPs               // []*p
	CoreFinalizers          // *finBlock: the first of a list
	CoreCleanups            // *cleanupBlock: the first of a list
	CoreGlobals             // the linker's table of global variables (internal/vartable), or nil if there is none
	CoreModInfo             // string: build information
	CoreBuildVersion        // string
	CoreWaitReasons         // [n]string
	CoreFingStatus          // uint32
	CoreGCCycles            // uint32

	NumCoreVars
)

// Offsets of fields, sizes of types and other numbers, all of them in bytes
// unless a comment or the name says otherwise. CoreRecord.Offs has them.
const (
	CoreModuleFuncNames = iota
	CoreModulePCTable
	CoreModuleFuncs
	CoreModuleFuncTable
	CoreModuleUnits // indexes of files, by compilation unit
	CoreModuleFiles // names of files
	CoreModuleMinPC
	CoreModuleMaxPC
	CoreModuleText
	CoreModuleTextSections
	CoreModuleData
	CoreModuleDataEnd
	CoreModuleBSS
	CoreModuleBSSEnd
	CoreModuleTypes
	CoreModuleTypesEnd
	CoreModuleTypeDescs // length of the first part of the types: the descriptors with typelinks, mostly of types without names
	CoreModuleItabs     // distance from the types
	CoreModuleItabsSize
	CoreModuleROData
	CoreModuleGoFunc
	CoreModuleFuncEnd
	CoreModuleDataMask // bitvector: the mask is a pointer at CoreBitvectorData
	CoreModuleBSSMask
	CoreModulePluginPath
	CoreModuleName
	CoreModuleNext
	CoreBitvectorData

	CoreSpanBase
	CoreSpanPages
	CoreSpanSlots
	CoreSpanFreeIndex // index below which all slots are allocated, as the collector sees it
	CoreSpanAllocBits
	CoreSpanClass
	CoreSpanState
	CoreSpanSlotSize
	CoreSpanSpecials
	CoreSpanLargeType
	CoreSpanUserArena
	CorePageSize
	CoreMaxHeaderless  // size up to which objects have their bitmap in the span
	CoreHeaderSize     // header of larger objects
	CoreInlineMarks    // inline marks that a span has at its end, after the bitmap
	CoreMinInlineMarks // size of objects from which on spans have inline marks
	CoreSizeClasses    // number
	CoreSpanInUse      // state
	CoreTinySize       // size of tiny blocks

	CoreSpecialNext
	CoreSpecialOffset
	CoreSpecialKind
	CoreSpecialIsFinalizer // kind
	CoreSpecialIsWeak      // kind
	CoreSpecialIsCleanup   // kind
	CoreFinalizerFunc
	CoreFinalizerType
	CoreWeakHandle
	CoreCleanup // cleanupFn

	CoreFinBlockNext
	CoreFinBlockLen
	CoreFinBlockQueue
	CoreFinSize
	CoreFinFunc
	CoreFinArg
	CoreFinType
	CoreCleanupBlockNext
	CoreCleanupBlockLen
	CoreCleanupBlockQueue
	CoreCleanupSize
	CoreCleanupCall
	CoreCleanupFunc
	CoreCleanupArg

	CoreGStackLow
	CoreGStackHigh
	CoreGPanic
	CoreGDefer
	CoreGM
	CoreGPC // of the gobuf
	CoreGSP
	CoreGContext
	CoreGSyscallPC
	CoreGSyscallSP
	CoreGStatus
	CoreGID
	CoreGWaitReason
	CoreGAsyncSafePoint
	CoreGStartPC
	CoreGCreatorPC
	CoreGLabels
	CoreGRunningCleanups
	CoreGXRegs
	CoreXRegsSize
	CoreGIsDead      // status, like the next four
	CoreGIsDeadExtra //
	CoreGIsIdle      //
	CoreGIsRunning   //
	CoreGIsLeaked    //
	CoreGScanBit     // bit of the status
	CoreFingRuns     // bit of CoreFingStatus
	CoreNumWaitReasons

	CoreDeferHeap
	CoreDeferSP
	CoreDeferFunc
	CoreDeferLink
	CoreDeferSize

	CoreMG0
	CoreMCurrentG
	CoreMThread
	CoreMNext
	CoreMVDSOPC
	CoreMVDSOSP
	CoreMSignalG
	CorePCache
	CorePTimers
	CorePTimersSize // of an element of the slice at CorePTimers; an element begins with a pointer to the timer
	CoreCacheTiny
	CoreTimerFunc
	CoreTimerArg

	CoreMapSize
	CoreMapDir
	CoreMapDirLen
	CoreTableSize
	CoreTableGroups
	CoreIterType
	CoreIterMap
	CoreIterTable
	CoreChanSize
	CoreChanBuffer
	CoreChanReceivers
	CoreChanSenders

	CoreSpecialIsType // kind
	CoreSpecialType   // *abi.Type

	NumCoreOffs
	FirstCoreOffs = CoreSpecialIsType // number of offsets with which CoreVersion began: a reader takes 0 for those that follow
)
