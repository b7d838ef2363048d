// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memcgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes files in a new directory. The keys of files are their names.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	mount2   = "36 25 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	mount1   = "33 24 0:28 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n"
	mountCPU = "34 24 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:8 - cgroup cgroup rw,cpu,cpuacct\n"
	none1    = "9223372036854771712\n"
)

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		dir   string // below the root; "" if there is no limit
		limit int64
	}{
		{"no cgroups", nil, "", 0},
		{"2, in a container", map[string]string{
			"proc/self/cgroup":         "0::/\n",
			"proc/self/mountinfo":      mount2,
			"sys/fs/cgroup/memory.max": "268435456\n",
		}, "/sys/fs/cgroup", 256 << 20},
		{"2, no limit", map[string]string{
			"proc/self/cgroup":         "0::/\n",
			"proc/self/mountinfo":      mount2,
			"sys/fs/cgroup/memory.max": "max\n",
		}, "", 0},
		{"2, limit of a cgroup above", map[string]string{
			"proc/self/cgroup":                  "0::/a.slice/b.service\n",
			"proc/self/mountinfo":               mountCPU + mount2,
			"sys/fs/cgroup/a.slice/memory.max":  "1000000\n",
			"sys/fs/cgroup/a.slice/memory.high": "900000\n",
		}, "/sys/fs/cgroup/a.slice", 900000},
		{"2, smallest limit", map[string]string{
			"proc/self/cgroup":                           "0::/a.slice/b.service\n",
			"proc/self/mountinfo":                        mount2,
			"sys/fs/cgroup/a.slice/memory.max":           "1000000\n",
			"sys/fs/cgroup/a.slice/b.service/memory.max": "800000\n",
		}, "/sys/fs/cgroup/a.slice/b.service", 800000},
		{"1", map[string]string{
			"proc/self/cgroup":                                  "9:name=systemd:/x\n4:memory:/jobs/a\n1:cpu,cpuacct:/\n0::/\n",
			"proc/self/mountinfo":                               mount2 + mountCPU + mount1,
			"sys/fs/cgroup/memory/memory.limit_in_bytes":        none1,
			"sys/fs/cgroup/memory/jobs/memory.limit_in_bytes":   none1,
			"sys/fs/cgroup/memory/jobs/a/memory.limit_in_bytes": "536870912\n",
		}, "/sys/fs/cgroup/memory/jobs/a", 512 << 20},
		{"1, no limit", map[string]string{
			"proc/self/cgroup":                                "4:memory:/jobs\n",
			"proc/self/mountinfo":                             mount1,
			"sys/fs/cgroup/memory/memory.limit_in_bytes":      none1,
			"sys/fs/cgroup/memory/jobs/memory.limit_in_bytes": none1,
		}, "", 0},
		{"1, no limit, 32-bit kernel", map[string]string{
			"proc/self/cgroup":                           "4:memory:/\n",
			"proc/self/mountinfo":                        mount1,
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "8796093018112\n",
		}, "", 0},
		{"1, mounted in a container", map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/abc\n",
			"proc/self/mountinfo":                        strings.Replace(mount1, " / /sys", " /docker/abc /sys", 1),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "4096\n",
		}, "/sys/fs/cgroup/memory", 4096},
		{"2, another name begins alike", map[string]string{
			"proc/self/cgroup":         "0::/docker/abcd\n",
			"proc/self/mountinfo":      strings.Replace(mount2, " / /sys", " /docker/abc /sys", 1),
			"sys/fs/cgroup/memory.max": "4096\n",
		}, "", 0},
		{"2, outside of the namespace", map[string]string{
			"proc/self/cgroup":         "0::/../init\n",
			"proc/self/mountinfo":      mount2,
			"sys/fs/cgroup/memory.max": "4096\n",
		}, "", 0},
		{"2, spaces", map[string]string{
			"proc/self/cgroup":          "0::/a b\n",
			"proc/self/mountinfo":       strings.Replace(mount2, "/sys/fs/cgroup", `/my\040cgroups`, 1),
			"my cgroups/a b/memory.max": "8192\n",
		}, "/my cgroups/a b", 8192},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := tree(t, test.files)
			g, err := Find(root)
			if test.dir == "" {
				if !errors.Is(err, ErrNoLimit) {
					t.Errorf("got %v, %v; want %v", g, err, ErrNoLimit)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if g.Dir != root+test.dir || g.Limit != test.limit {
				t.Errorf("got %d at %s, want %d at %s", g.Limit, g.Dir, test.limit, root+test.dir)
			}
		})
	}
}

func TestMalformed(t *testing.T) {
	for _, test := range []struct{ name, file, text, want string }{
		{"cgroup", "proc/self/cgroup", "4:memory\n", "malformed line"},
		{"cgroup without a slash", "proc/self/cgroup", "0::x\n", "malformed line"},
		{"limit", "sys/fs/cgroup/memory.max", "12x\n", `malformed number "12x"`},
		{"negative limit", "sys/fs/cgroup/memory.max", "-1\n", `malformed number "-1"`},
		{"empty limit", "sys/fs/cgroup/memory.max", "", `malformed number ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{
				"proc/self/cgroup":         "0::/\n",
				"proc/self/mountinfo":      "short\n" + mount2,
				"sys/fs/cgroup/memory.max": "4096\n",
			}
			files[test.file] = test.text
			if g, err := Find(tree(t, files)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, %v; want an error with %s", g, err, test.want)
			}
		})
	}
}

func TestUsed(t *testing.T) {
	for _, test := range []struct {
		name  string
		files *files
		text  map[string]string
		from  int64
		want  int64
	}{
		{"2", version2, map[string]string{
			"memory.current": "10000\n",
			"memory.stat":    "anon 5000\nfile 4000\ninactive_file 1000\nactive_file 500\nslab_reclaimable 70\nshmem 2500\n",
		}, 10000, 8430},
		{"1", version1, map[string]string{
			"memory.usage_in_bytes": "10000\n",
			"memory.stat":           "inactive_file 1\ntotal_inactive_file 1000\ntotal_active_file 500\n",
		}, 0, 8500},
		{"less than asked for", version2, map[string]string{
			"memory.current": "10000\n",
			"memory.stat":    "inactive_file 1000\n",
		}, 10001, 10000},
		{"more cache than usage", version2, map[string]string{
			"memory.current": "10000\n",
			"memory.stat":    "inactive_file 11000\n",
		}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := &Group{Dir: tree(t, test.text), files: test.files}
			defer g.Close()
			for range 2 { // the second time, the files are open
				if got, err := g.Used(test.from); got != test.want || err != nil {
					t.Errorf("got %d, %v; want %d", got, err, test.want)
				}
			}
			if err := os.WriteFile(g.Dir+"/"+g.files.usage, []byte("20000\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if got, err := g.Used(1 << 20); got != 20000 || err != nil {
				t.Errorf("after a change: got %d, %v; want 20000", got, err)
			}
		})
	}
}
