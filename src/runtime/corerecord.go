// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The core record. With it, a reader finds the runtime's structures in the
// memory of a process that no longer runs. See internal/profilerecord/core.go.
//
// No code in a program uses the record, but the linker keeps it in all programs
// (cmd/link/internal/ld/corerecord.go). It is static data: the compiler and the
// linker write it, and the loader changes only its addresses, if it moves the
// program.

package runtime

import (
	"internal/goexperiment"
	"internal/profilerecord"
	"internal/runtime/gc"
	"internal/runtime/maps"
	"unsafe"
)

// coreGlobalsTable has the value of refsGlobalsTable, which is the address of
// the table of global variables, or nil in programs that do not have that
// table. coreGlobalsTable is a separate variable, because the record, which is
// in all programs, must not make the linker keep refsGlobalsTable. If there is
// a table, the linker sets both variables.
var coreGlobalsTable *byte

var coreRecord = profilerecord.CoreRecord{
	Magic:   [2]uint64{profilerecord.CoreMagic0, profilerecord.CoreMagic1},
	Version: profilerecord.CoreVersion,
	PtrSize: uint16(unsafe.Sizeof(uintptr(0))),
	NumVars: profilerecord.NumCoreVars,
	NumOffs: profilerecord.NumCoreOffs,
	Vars: [profilerecord.NumCoreVars]unsafe.Pointer{
		profilerecord.CoreModule:       unsafe.Pointer(&firstmoduledata),
		profilerecord.CoreAllSpans:     unsafe.Pointer(&mheap_.allspans),
		profilerecord.CoreAllGs:        unsafe.Pointer(&allgs),
		profilerecord.CoreAllMs:        unsafe.Pointer(&allm),
		profilerecord.CoreAllPs:        unsafe.Pointer(&allp),
		profilerecord.CoreFinalizers:   unsafe.Pointer(&allfin),
		profilerecord.CoreCleanups:     unsafe.Pointer(&gcCleanups.all),
		profilerecord.CoreGlobals:      unsafe.Pointer(&coreGlobalsTable),
		profilerecord.CoreModInfo:      unsafe.Pointer(&modinfo),
		profilerecord.CoreBuildVersion: unsafe.Pointer(&buildVersion),
		profilerecord.CoreWaitReasons:  unsafe.Pointer(&waitReasonStrings),
		profilerecord.CoreFingStatus:   unsafe.Pointer(&fingStatus),
		profilerecord.CoreGCCycles:     unsafe.Pointer(&work.cycles),
	},
	Offs: [profilerecord.NumCoreOffs]uint16{
		profilerecord.CoreModuleFuncNames:    uint16(unsafe.Offsetof(moduledata{}.funcnametab)),
		profilerecord.CoreModulePCTable:      uint16(unsafe.Offsetof(moduledata{}.pctab)),
		profilerecord.CoreModuleFuncs:        uint16(unsafe.Offsetof(moduledata{}.pclntable)),
		profilerecord.CoreModuleFuncTable:    uint16(unsafe.Offsetof(moduledata{}.ftab)),
		profilerecord.CoreModuleUnits:        uint16(unsafe.Offsetof(moduledata{}.cutab)),
		profilerecord.CoreModuleFiles:        uint16(unsafe.Offsetof(moduledata{}.filetab)),
		profilerecord.CoreModuleMinPC:        uint16(unsafe.Offsetof(moduledata{}.minpc)),
		profilerecord.CoreModuleMaxPC:        uint16(unsafe.Offsetof(moduledata{}.maxpc)),
		profilerecord.CoreModuleText:         uint16(unsafe.Offsetof(moduledata{}.text)),
		profilerecord.CoreModuleTextSections: uint16(unsafe.Offsetof(moduledata{}.textsectmap)),
		profilerecord.CoreModuleData:         uint16(unsafe.Offsetof(moduledata{}.data)),
		profilerecord.CoreModuleDataEnd:      uint16(unsafe.Offsetof(moduledata{}.edata)),
		profilerecord.CoreModuleBSS:          uint16(unsafe.Offsetof(moduledata{}.bss)),
		profilerecord.CoreModuleBSSEnd:       uint16(unsafe.Offsetof(moduledata{}.ebss)),
		profilerecord.CoreModuleTypes:        uint16(unsafe.Offsetof(moduledata{}.types)),
		profilerecord.CoreModuleTypesEnd:     uint16(unsafe.Offsetof(moduledata{}.etypes)),
		profilerecord.CoreModuleTypeDescs:    uint16(unsafe.Offsetof(moduledata{}.typedesclen)),
		profilerecord.CoreModuleItabs:        uint16(unsafe.Offsetof(moduledata{}.itaboffset)),
		profilerecord.CoreModuleItabsSize:    uint16(unsafe.Offsetof(moduledata{}.itabsize)),
		profilerecord.CoreModuleROData:       uint16(unsafe.Offsetof(moduledata{}.rodata)),
		profilerecord.CoreModuleGoFunc:       uint16(unsafe.Offsetof(moduledata{}.gofunc)),
		profilerecord.CoreModuleFuncEnd:      uint16(unsafe.Offsetof(moduledata{}.epclntab)),
		profilerecord.CoreModuleDataMask:     uint16(unsafe.Offsetof(moduledata{}.gcdatamask)),
		profilerecord.CoreModuleBSSMask:      uint16(unsafe.Offsetof(moduledata{}.gcbssmask)),
		profilerecord.CoreModulePluginPath:   uint16(unsafe.Offsetof(moduledata{}.pluginpath)),
		profilerecord.CoreModuleName:         uint16(unsafe.Offsetof(moduledata{}.modulename)),
		profilerecord.CoreModuleNext:         uint16(unsafe.Offsetof(moduledata{}.next)),
		profilerecord.CoreBitvectorData:      uint16(unsafe.Offsetof(bitvector{}.bytedata)),

		profilerecord.CoreSpanBase:       uint16(unsafe.Offsetof(mspan{}.startAddr)),
		profilerecord.CoreSpanPages:      uint16(unsafe.Offsetof(mspan{}.npages)),
		profilerecord.CoreSpanSlots:      uint16(unsafe.Offsetof(mspan{}.nelems)),
		profilerecord.CoreSpanFreeIndex:  uint16(unsafe.Offsetof(mspan{}.freeIndexForScan)),
		profilerecord.CoreSpanAllocBits:  uint16(unsafe.Offsetof(mspan{}.allocBits)),
		profilerecord.CoreSpanClass:      uint16(unsafe.Offsetof(mspan{}.spanclass)),
		profilerecord.CoreSpanState:      uint16(unsafe.Offsetof(mspan{}.state)),
		profilerecord.CoreSpanSlotSize:   uint16(unsafe.Offsetof(mspan{}.elemsize)),
		profilerecord.CoreSpanSpecials:   uint16(unsafe.Offsetof(mspan{}.specials)),
		profilerecord.CoreSpanLargeType:  uint16(unsafe.Offsetof(mspan{}.largeType)),
		profilerecord.CoreSpanUserArena:  uint16(unsafe.Offsetof(mspan{}.isUserArenaChunk)),
		profilerecord.CorePageSize:       uint16(pageSize),
		profilerecord.CoreMaxHeaderless:  uint16(gc.MinSizeForMallocHeader),
		profilerecord.CoreHeaderSize:     uint16(gc.MallocHeaderSize),
		profilerecord.CoreInlineMarks:    uint16(goexperiment.GreenTeaGCInt * unsafe.Sizeof(spanInlineMarkBits{})),
		profilerecord.CoreMinInlineMarks: 16,
		profilerecord.CoreSizeClasses:    gc.NumSizeClasses,
		profilerecord.CoreSpanInUse:      uint16(mSpanInUse),
		profilerecord.CoreTinySize:       maxTinySize,

		profilerecord.CoreSpecialNext:        uint16(unsafe.Offsetof(special{}.next)),
		profilerecord.CoreSpecialOffset:      uint16(unsafe.Offsetof(special{}.offset)),
		profilerecord.CoreSpecialKind:        uint16(unsafe.Offsetof(special{}.kind)),
		profilerecord.CoreSpecialIsFinalizer: _KindSpecialFinalizer,
		profilerecord.CoreSpecialIsWeak:      _KindSpecialWeakHandle,
		profilerecord.CoreSpecialIsCleanup:   _KindSpecialCleanup,
		profilerecord.CoreFinalizerFunc:      uint16(unsafe.Offsetof(specialfinalizer{}.fn)),
		profilerecord.CoreFinalizerType:      uint16(unsafe.Offsetof(specialfinalizer{}.ot)),
		profilerecord.CoreWeakHandle:         uint16(unsafe.Offsetof(specialWeakHandle{}.handle)),
		profilerecord.CoreCleanup:            uint16(unsafe.Offsetof(specialCleanup{}.cleanup)),

		profilerecord.CoreFinBlockNext:      uint16(unsafe.Offsetof(finBlock{}.alllink)),
		profilerecord.CoreFinBlockLen:       uint16(unsafe.Offsetof(finBlock{}.cnt)),
		profilerecord.CoreFinBlockQueue:     uint16(unsafe.Offsetof(finBlock{}.fin)),
		profilerecord.CoreFinSize:           uint16(unsafe.Sizeof(finalizer{})),
		profilerecord.CoreFinFunc:           uint16(unsafe.Offsetof(finalizer{}.fn)),
		profilerecord.CoreFinArg:            uint16(unsafe.Offsetof(finalizer{}.arg)),
		profilerecord.CoreFinType:           uint16(unsafe.Offsetof(finalizer{}.ot)),
		profilerecord.CoreCleanupBlockNext:  uint16(unsafe.Offsetof(cleanupBlock{}.alllink)),
		profilerecord.CoreCleanupBlockLen:   uint16(unsafe.Offsetof(cleanupBlock{}.n)),
		profilerecord.CoreCleanupBlockQueue: uint16(unsafe.Offsetof(cleanupBlock{}.cleanups)),
		profilerecord.CoreCleanupSize:       uint16(unsafe.Sizeof(cleanupFn{})),
		profilerecord.CoreCleanupCall:       uint16(unsafe.Offsetof(cleanupFn{}.call)),
		profilerecord.CoreCleanupFunc:       uint16(unsafe.Offsetof(cleanupFn{}.fn)),
		profilerecord.CoreCleanupArg:        uint16(unsafe.Offsetof(cleanupFn{}.arg)),

		profilerecord.CoreGStackLow:        uint16(unsafe.Offsetof(g{}.stack) + unsafe.Offsetof(stack{}.lo)),
		profilerecord.CoreGStackHigh:       uint16(unsafe.Offsetof(g{}.stack) + unsafe.Offsetof(stack{}.hi)),
		profilerecord.CoreGPanic:           uint16(unsafe.Offsetof(g{}._panic)),
		profilerecord.CoreGDefer:           uint16(unsafe.Offsetof(g{}._defer)),
		profilerecord.CoreGM:               uint16(unsafe.Offsetof(g{}.m)),
		profilerecord.CoreGPC:              uint16(unsafe.Offsetof(g{}.sched) + unsafe.Offsetof(gobuf{}.pc)),
		profilerecord.CoreGSP:              uint16(unsafe.Offsetof(g{}.sched) + unsafe.Offsetof(gobuf{}.sp)),
		profilerecord.CoreGContext:         uint16(unsafe.Offsetof(g{}.sched) + unsafe.Offsetof(gobuf{}.ctxt)),
		profilerecord.CoreGSyscallPC:       uint16(unsafe.Offsetof(g{}.syscallpc)),
		profilerecord.CoreGSyscallSP:       uint16(unsafe.Offsetof(g{}.syscallsp)),
		profilerecord.CoreGStatus:          uint16(unsafe.Offsetof(g{}.atomicstatus)),
		profilerecord.CoreGID:              uint16(unsafe.Offsetof(g{}.goid)),
		profilerecord.CoreGWaitReason:      uint16(unsafe.Offsetof(g{}.waitreason)),
		profilerecord.CoreGAsyncSafePoint:  uint16(unsafe.Offsetof(g{}.asyncSafePoint)),
		profilerecord.CoreGStartPC:         uint16(unsafe.Offsetof(g{}.startpc)),
		profilerecord.CoreGCreatorPC:       uint16(unsafe.Offsetof(g{}.gopc)),
		profilerecord.CoreGLabels:          uint16(unsafe.Offsetof(g{}.labels)),
		profilerecord.CoreGRunningCleanups: uint16(unsafe.Offsetof(g{}.runningCleanups)),
		profilerecord.CoreGXRegs:           uint16(unsafe.Offsetof(g{}.xRegs)),
		profilerecord.CoreXRegsSize:        uint16(unsafe.Sizeof(xRegState{})),
		profilerecord.CoreGIsDead:          _Gdead,
		profilerecord.CoreGIsDeadExtra:     _Gdeadextra,
		profilerecord.CoreGIsIdle:          _Gidle,
		profilerecord.CoreGIsRunning:       _Grunning,
		profilerecord.CoreGIsLeaked:        _Gleaked,
		profilerecord.CoreGScanBit:         _Gscan,
		profilerecord.CoreFingRuns:         uint16(fingRunningFinalizer),
		profilerecord.CoreNumWaitReasons:   uint16(len(waitReasonStrings)),

		profilerecord.CoreDeferHeap: uint16(unsafe.Offsetof(_defer{}.heap)),
		profilerecord.CoreDeferSP:   uint16(unsafe.Offsetof(_defer{}.sp)),
		profilerecord.CoreDeferFunc: uint16(unsafe.Offsetof(_defer{}.fn)),
		profilerecord.CoreDeferLink: uint16(unsafe.Offsetof(_defer{}.link)),
		profilerecord.CoreDeferSize: uint16(unsafe.Sizeof(_defer{})),

		profilerecord.CoreMG0:         uint16(unsafe.Offsetof(m{}.g0)),
		profilerecord.CoreMCurrentG:   uint16(unsafe.Offsetof(m{}.curg)),
		profilerecord.CoreMThread:     uint16(unsafe.Offsetof(m{}.procid)),
		profilerecord.CoreMNext:       uint16(unsafe.Offsetof(m{}.alllink)),
		profilerecord.CoreMVDSOPC:     uint16(unsafe.Offsetof(m{}.vdsoPC)),
		profilerecord.CoreMVDSOSP:     uint16(unsafe.Offsetof(m{}.vdsoSP)),
		profilerecord.CoreMSignalG:    uint16(unsafe.Offsetof(m{}.gsignal)),
		profilerecord.CorePCache:      uint16(unsafe.Offsetof(p{}.mcache)),
		profilerecord.CorePTimers:     uint16(unsafe.Offsetof(p{}.timers) + unsafe.Offsetof(timers{}.heap)),
		profilerecord.CorePTimersSize: uint16(unsafe.Sizeof(timerWhen{})),
		profilerecord.CoreCacheTiny:   uint16(unsafe.Offsetof(mcache{}.tiny)),
		profilerecord.CoreTimerFunc:   uint16(unsafe.Offsetof(timer{}.f)),
		profilerecord.CoreTimerArg:    uint16(unsafe.Offsetof(timer{}.arg)),

		profilerecord.CoreMapSize:       uint16(maps.RefsMapSize),
		profilerecord.CoreMapDir:        uint16(maps.RefsMapDirPtr),
		profilerecord.CoreMapDirLen:     uint16(maps.RefsMapDirLen),
		profilerecord.CoreTableSize:     uint16(maps.RefsTableSize),
		profilerecord.CoreTableGroups:   uint16(maps.RefsTableGroups),
		profilerecord.CoreIterType:      uint16(maps.RefsIterType),
		profilerecord.CoreIterMap:       uint16(maps.RefsIterMap),
		profilerecord.CoreIterTable:     uint16(maps.RefsIterTable),
		profilerecord.CoreChanSize:      uint16(hchanSize),
		profilerecord.CoreChanBuffer:    uint16(unsafe.Offsetof(hchan{}.buf)),
		profilerecord.CoreChanReceivers: uint16(unsafe.Offsetof(hchan{}.recvq)),
		profilerecord.CoreChanSenders:   uint16(unsafe.Offsetof(hchan{}.sendq)),

		profilerecord.CoreSpecialIsType: _KindSpecialType,
		profilerecord.CoreSpecialType:   uint16(unsafe.Offsetof(specialType{}.typ)),
	},
}
