// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"internal/testenv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseSetting(t *testing.T) {
	for _, test := range []struct {
		value string
		want  Config
		err   string // part of the error, or ""
	}{
		{"/var/x", Config{Dir: "/var/x"}, ""},
		{"relative", Config{Dir: "relative"}, ""},
		{`C:\x`, Config{Dir: `C:\x`}, ""},
		{`C:\x:share=80`, Config{Dir: `C:\x`, Share: 80}, ""},
		{"/x:share=80%", Config{Dir: "/x", Share: 80}, ""},
		{"D:/x", Config{Dir: "D:/x"}, ""},
		{"/a=b/d:interval=1m", Config{Dir: "/a=b/d", Interval: time.Minute}, ""},
		{"/x:Share=80", Config{}, `unknown option "Share"`},
		{"/x:max-sets=3", Config{}, `unknown option "max-sets"`},
		{"/x:share", Config{}, `option "share" has no value`},
		{"/x:share=0", Config{}, `option share is "0"`},
		{"/x:share=0%", Config{}, `option share is "0%"`},
		{"/x:within=0h0s", Config{}, `option within is "0h0s"`},
		{"/x:reserve=0MiB", Config{}, `option reserve is "0MiB"`},
		{"/x:maxsets=00", Config{}, `option maxsets is "00"`},
		{"/x:maxsets=", Config{}, `option maxsets has the malformed value ""`},
		{"/x:", Config{}, `option "" has no value`},
		{"/x:growth=100MiB:within=90s:interval=1h:maxsets=3:maxbytes=2GiB:reserve=32768KiB", Config{
			Dir: "/x", Growth: 100 << 20, Within: 90 * time.Second, Interval: time.Hour,
			MaxSets: 3, MaxBytes: 2 << 30, Reserve: 32 << 20,
		}, ""},
		{"/x:growth=5", Config{Dir: "/x", Growth: 5}, ""},
		{"/x:growth=5B", Config{Dir: "/x", Growth: 5}, ""},
		{"/x:shre=80", Config{}, `unknown option "shre"`},
		{"/x:share=80:growth", Config{}, `option "growth" has no value`},
		{"/x:share=80:", Config{}, `option "" has no value`},
		{"/x:share=much", Config{}, `option share has the malformed value "much"`},
		{"/x:growth=1.5GiB", Config{}, `option growth has the malformed value "1.5GiB"`},
		{"/x:growth=9223372036854775807KiB", Config{}, "malformed value"},
		{"/x:maxbytes=1MB", Config{}, "malformed value"},
		{"/x:within=5", Config{}, "option within has the malformed value"},
	} {
		c, err := parseSetting(test.value)
		switch {
		case test.err == "" && err != nil:
			t.Errorf("%s: %v", test.value, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: got error %v, want %s", test.value, err, test.err)
		case test.err == "" && !equal(c, test.want):
			t.Errorf("%s: got %+v, want %+v", test.value, c, test.want)
		}
	}
}

// equal compares all fields except Written.
func equal(a, b Config) bool {
	return a.Dir == b.Dir && a.Share == b.Share && a.Growth == b.Growth && a.Within == b.Within &&
		a.Interval == b.Interval && a.MaxSets == b.MaxSets && a.MaxBytes == b.MaxBytes && a.Reserve == b.Reserve
}

// TestSetting checks that the setting turns evidence on, and that a wrong
// setting is reported and has no other effect.
func TestSetting(t *testing.T) {
	run := func(setting string) string {
		cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^$")
		cmd.Env = append(os.Environ(), "GODEBUG=memevidence="+setting)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v", setting, err)
		}
		return string(out)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if out := run(dir + ":shre=80"); !strings.Contains(out, `unknown option "shre"`) {
		t.Errorf("wrong setting: got %q", out)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("wrong setting: there is a folder")
	}
	for _, off := range []string{"0", "off"} {
		if out := run(off); strings.Contains(out, "GODEBUG") {
			t.Errorf("%s: got %q", off, out)
		}
		if _, err := os.Stat(off); err == nil {
			t.Errorf("%s: there is a folder", off)
		}
	}
	if out := run(dir + ":share=80"); strings.Contains(out, "GODEBUG") {
		t.Errorf("right setting: got %q", out)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("right setting: %v", err)
	}
}
