// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"fmt"
	"internal/memcgroup"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCgroup checks that cgroup.txt has memory.stat and the sizes of the
// processes, without their arguments.
func TestCgroup(t *testing.T) {
	root := t.TempDir()
	self := fmt.Sprint(os.Getpid())
	for name, text := range map[string]string{
		"group/cgroup.procs":         "10\n11\n",
		"group/below/cgroup.procs":   self + "\n",
		"group/memory.stat":          "anon 4096\nshmem 8192\n",
		"proc/10/status":             "Name:\tsmall one\nState:\tS\nVmRSS:\t     400 kB\nRssAnon:\t     300 kB\nRssFile:\t     100 kB\n",
		"proc/10/cmdline":            "small\x00--password=secret\x00",
		"proc/" + self + "/status":   "Name:\tserver\nVmRSS:\t  500000 kB\nRssAnon:\t  499000 kB\nRssFile:\t    1000 kB\nRssShmem:\t       0 kB\nVmSwap:\t       5 kB\n",
		"proc/" + self + "1/cmdline": "another",
	} {
		file := filepath.Join(root, name)
		os.MkdirAll(filepath.Dir(file), 0o777)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d := folder{path: t.TempDir(), most: 1 << 20}
	s, err := d.newSet(now())
	if err != nil {
		t.Fatal(err)
	}
	group := filepath.Join(root, "group")
	s.cgroup(root, &memcgroup.Group{Dir: group, Limit: 1 << 30})
	data, err := os.ReadFile(filepath.Join(s.close(), "cgroup.txt"))
	want := "cgroup " + group + `: limit of 1073741824 bytes, 3 processes

    VmRSS kB   RssAnon kB   RssFile kB  RssShmem kB    VmSwap kB   process
      500000       499000         1000            0            5   ` + self + ` server (this process)
         400          300          100           -1           -1   10 small one

memory.stat
anon 4096
shmem 8192
`
	if got := strings.ReplaceAll(string(data), " \n", "\n"); got != want {
		t.Errorf("%v\ngot:\n%s\nwant:\n%s", err, got, want)
	}
}
