// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !android && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64)

// The faults of the whole process, as getrusage(2) counts them. They include
// those that no event of pagefault.go counts, such as the faults of threads of
// C that never call Go. The kernel counts a fault for getrusage wherever it
// counts one for an event, so getrusage never has fewer.

package runtime

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"unsafe"
)

const (
	sysGetrusage = goarch.Is386*77 + goarch.IsAmd64*98 + goarch.IsPpc64le*77 +
		(goarch.IsArm64+goarch.IsLoong64+goarch.IsRiscv64)*165

	// Places in struct rusage, which consists of words.
	rusageMinflt = 8
	rusageMajflt = 9
	rusageWords  = 18
)

// processPageFaults returns the number of faults of each kind that all threads
// of the process have had. The numbers wrap around.
func processPageFaults() [pageFaultKinds]uintptr {
	var usage [rusageWords]uintptr
	linux.Syscall6(sysGetrusage, 0, uintptr(unsafe.Pointer(&usage)), 0, 0, 0, 0)
	return [pageFaultKinds]uintptr{pageFaultMinor: usage[rusageMinflt], pageFaultMajor: usage[rusageMajflt]}
}

// countOthers adds the faults that no event has counted since p.before.
func (p *pageFaultProfile) countOthers() {
	for kind, faults := range processPageFaults() {
		p.counted[kind] = max(p.counted[kind], uint64(faults-p.before[kind]))
	}
}
