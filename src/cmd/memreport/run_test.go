// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// invoke runs memreport.
func invoke(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), err.String()
}

// storeTake stores a take in a new folder.
func storeTake(t *testing.T, k *take) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	if err := k.store(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// wantError runs memreport, and wants status 2 and one line with a text.
func wantError(t *testing.T, text string, args ...string) {
	t.Helper()
	status, stdout, stderr := invoke(args...)
	line := strings.TrimSuffix(stderr, "\n")
	if i := strings.LastIndex(line, "\n"); i >= 0 && strings.HasPrefix(line, "memreport: watching ") {
		line = line[i+1:]
	}
	if status != 2 || stdout != "" || strings.Contains(line, "\n") || !strings.HasPrefix(line, "memreport: ") || !strings.Contains(line, text) {
		t.Errorf("memreport %q: status %d, stdout %q, stderr %q, want status 2 and one line with %q", args, status, stdout, stderr, text)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"-help"}, {"help"}} {
		if status, out, err := invoke(args...); status != 0 || !strings.Contains(out, "-fail-if conditions") || err != "" {
			t.Errorf("%q: status %d, %q, %q", args, status, out, err)
		}
	}
	if status, out, err := invoke(); status != 2 || out != "" || !strings.Contains(err, "Usage:") {
		t.Errorf("no arguments: status %d, %q, %q", status, out, err)
	}
	dir := storeTake(t, makeTake(t, sizes{}))
	wantError(t, "flag provided but not defined: -x", "-x", dir)
	wantError(t, "3 arguments", dir, dir, dir)
	wantError(t, "-json: flags stand before", "http://localhost:1", "-json")
	wantError(t, "-seconds: flags stand before", dir, "-seconds", "10", "-json")
	wantError(t, "-seconds=-1", "-seconds=-1", dir)
	wantError(t, "-timeout=0s", "-timeout=0", dir)
	wantError(t, "is no size", "-limit=much", dir)
	wantError(t, "no figure has the name", "-fail-if=alive>1MB", dir)
	wantError(t, "-o needs a URL", "-o", t.TempDir(), dir)
}

func TestFolder(t *testing.T) {
	dir := storeTake(t, makeTake(t, sizes{leak: 6 * mb, mapStep: mb}))
	_, first, stderr := invoke(dir)
	if stderr != "" || !strings.Contains(first, "1. The live heap grows") {
		t.Fatalf("%q, %q", first, stderr)
	}
	for range 3 {
		if status, again, _ := invoke(dir + "/"); again != first || status != 0 {
			t.Errorf("the folder gives another report: %s", again)
		}
	}
	if status, _, stderr := invoke("-fail-if=live>1MB,findings>9", dir); status != 1 || stderr != "memreport: failed: live>1MB\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestWrongFolder(t *testing.T) {
	temp := t.TempDir()
	wantError(t, "none:", filepath.Join(temp, "none"))
	wantError(t, "has no memreport.json", temp)
	file := filepath.Join(temp, "core.4242")
	os.WriteFile(file, []byte("\x7fELF"), 0o666)
	wantError(t, "before a core file stands its executable", file)
	wantError(t, "core.4242: go tool heapgraph: ", file, file)
	for _, test := range []struct{ name, data, text string }{
		{"refs.2.pb.gz", "<html>", "refs.2.pb.gz: damaged"},
		{"heap.txt", "x", "heap.txt: damaged"},
		{"memreport.json", "{", "memreport.json is damaged"},
		{"memreport.json", `{"version":2}`, "of version 2"},
		{"memreport.json", `{"version":1}`, "0 moments"},
	} {
		dir := storeTake(t, makeTake(t, sizes{}))
		os.WriteFile(filepath.Join(dir, test.name), []byte(test.data), 0o666)
		wantError(t, test.text, dir)
	}
	dir := storeTake(t, makeTake(t, sizes{}))
	data, _ := os.ReadFile(filepath.Join(dir, "memory.0.pb.gz"))
	os.WriteFile(filepath.Join(dir, "memory.0.pb.gz"), data[:len(data)/2], 0o666)
	wantError(t, "memory.0.pb.gz: damaged", dir)
	dir = storeTake(t, makeTake(t, sizes{}))
	os.Remove(filepath.Join(dir, "goroutine.0.pb.gz"))
	wantError(t, "is not complete", dir)
}

func TestBase(t *testing.T) {
	old := storeTake(t, makeTake(t, sizes{}))
	k := makeTake(t, sizes{leak: 30 * mb, goroutine: 3})
	k.Time = k.Time.Add(24 * time.Hour)
	tuesday := storeTake(t, k)
	status, text, stderr := invoke("-base", old, tuesday)
	for _, want := range []string{"compared with 2026-11-01 12:00:00 UTC", "1. The live heap grows below main.items.",
		"30 MB and 30,000 objects came since the base", "-diff_base=" + quote(filepath.Join(old, "refs.2.pb.gz")) + " " + quote(filepath.Join(tuesday, "refs.2.pb.gz"))} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q:\n%s", want, text)
		}
	}
	if status != 0 || stderr != "" || strings.Contains(text, "\n2. ") {
		t.Errorf("status %d, %q:\n%s", status, stderr, text)
	}
	if _, same, _ := invoke("-base", old, old); !strings.Contains(same, "No finding") {
		t.Errorf("compared with itself:\n%s", same)
	}
	wantError(t, "has no memreport.json", "-base", t.TempDir(), tuesday)
	if status, _, stderr := invoke("-base", old, "-fail-if=growth>1MB/s", tuesday); status != 2 || !strings.Contains(stderr, "two takes have no rate") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// TestWrongServer asks servers that have no report.
func TestWrongServer(t *testing.T) {
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	wantError(t, "refused: does the server run, and serve net/http/pprof there?", closed.URL)
	wantError(t, "404 Not Found: Unknown profile: the URL must be that above all profiles", serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Go-Pprof", "1")
		http.Error(w, "Unknown profile", 404)
	}))
	wantError(t, "404 Not Found: 404 page not found: the server has no net/http/pprof there", serve(http.NotFound))
	wantError(t, "401 Unauthorized: the server wants a password", serve(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(401) }))
	wantError(t, "what answers is not net/http/pprof: damaged, or no profile", serve(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("<html>")) }))
	wantError(t, "goroutine: 500 Internal Server Error: broken", serve(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "broken\nx", 500) }))
	stop := make(chan bool)
	slow := serve(func(w http.ResponseWriter, r *http.Request) { <-stop })
	t.Cleanup(func() { close(stop) })
	wantError(t, "no answer within 10ms (-timeout sets another time)", "-timeout=10ms", slow)
	full := t.TempDir()
	os.WriteFile(filepath.Join(full, "x"), nil, 0o666)
	wantError(t, "is not empty: -o wants a new folder", "-o", full, slow)
}

func TestPassword(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			w.WriteHeader(401)
			return
		}
		http.Error(w, "busy", 503)
	}))
	defer s.Close()
	u := strings.Replace(s.URL, "//", "//me:secret@", 1)
	wantError(t, "503 Service Unavailable: busy", "-seconds=0.01", u)
	if _, _, stderr := invoke(u); strings.Contains(stderr, "secret") {
		t.Errorf("the password is printed: %s", stderr)
	}
}

// TestAuthentication has servers that want more than a URL.
func TestAuthentication(t *testing.T) {
	s := &fakeServer{take: makeTake(t, sizes{leak: 8 * mb})}
	fake(t, s)
	answers := func(code int, header http.Header) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("token") == "se+cret" {
				r.URL.RawQuery = strings.TrimSuffix(strings.TrimSuffix(r.URL.RawQuery, "token=se%2Bcret"), "&")
				s.ServeHTTP(w, r)
				return
			}
			maps.Copy(w.Header(), header)
			http.Error(w, "only from the office\nx", code)
		})
	}
	server := httptest.NewUnstartedServer(answers(403, nil))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	wantError(t, "SSL_CERT_FILE names a file of certificates to trust, and with https+insecure:// any is trusted", server.URL)
	trusting := strings.Replace(server.URL, "https", "https+insecure", 1)
	wantError(t, "403 Forbidden: only from the office", trusting)
	dir := filepath.Join(t.TempDir(), "kept")
	status, text, stderr := invoke("-seconds=0.01", "-o", dir, trusting+"?token=se%2Bcret")
	manifest, err := os.ReadFile(filepath.Join(dir, manifestName))
	if status != 0 || err != nil || !strings.Contains(text, "1. The live heap grows") || strings.Contains(stderr+text+string(manifest), "cret") {
		t.Errorf("status %d, %v, %s\n%s\n%s", status, err, stderr, text, manifest)
	}
	for _, test := range []struct {
		code   int
		header http.Header
		want   string
	}{
		{401, nil, "401 Unauthorized: the server wants a password"},
		{403, http.Header{"Www-Authenticate": {"Basic"}}, "403 Forbidden: the server wants a password"},
		{403, nil, "403 Forbidden: only from the office"},
	} {
		plain := httptest.NewServer(answers(test.code, test.header))
		wantError(t, test.want, plain.URL)
		plain.Close()
	}
}

func TestServerURL(t *testing.T) {
	for arg, want := range map[string]string{
		"localhost:6060":                      "http://localhost:6060/debug/pprof/",
		"http://localhost:6060":               "http://localhost:6060/debug/pprof/",
		"https://a.example/x/pprof?debug=1#a": "https://a.example/x/pprof/",
		"[::1]:80/debug/pprof/":               "http://[::1]:80/debug/pprof/",
		"incident/":                           "",
		"incident":                            "",
		`C:\incident`:                         "",
		"ftp://a.example":                     "",
		"https+insecure://a.example":          "https+insecure://a.example/debug/pprof/",
		"a.example:80?token=x%26&gc=1":        "http://a.example:80/debug/pprof/?token=x%26",
	} {
		got := ""
		if u := serverURL(arg); u != nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", arg, got, want)
		}
	}
}

// TestOtherFiles has folders in which other files are.
func TestOtherFiles(t *testing.T) {
	k := makeGrowingTake(t)
	for i := range spaced + 2 {
		k.files[heapText(i)] = k.files["heap.txt"]
		k.files[numbered("cmemory", i)] = encode(t, makeProfile("inuse_space", nil))
	}
	dir := storeTake(t, k)
	_, want, _ := invoke(dir)
	for _, name := range []string{"report.txt", "notes.txt", "cpu.pb.gz", "heap.old.txt", "refs.pb.gz", "memory.1.pb.gz.txt"} {
		os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o666)
	}
	if status, got, stderr := invoke(dir); status != 0 || got != want {
		t.Errorf("status %d, %s\n%s\nwant\n%s", status, stderr, got, want)
	}
	got, err := readTake(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name := range k.files {
		if got.files[name] == nil {
			t.Errorf("%s is not read", name)
		}
	}
}

// TestWhereKept has folders that cannot be written.
func TestWhereKept(t *testing.T) {
	s := &fakeServer{take: makeTake(t, sizes{leak: 8 * mb})}
	address := fake(t, s)
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o666)
	wantError(t, "file", "-o", filepath.Join(file, "new"), address)
	if len(s.asked) > 0 {
		t.Errorf("asked for %q before the folder was made", s.asked)
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP", "USERPROFILE"} {
		t.Setenv(name, file)
	}
	status, text, stderr := invoke("-seconds=0.01", address)
	if status != 0 || !strings.Contains(stderr, "the profiles are not kept: ") || !strings.Contains(text, "1. The live heap grows") {
		t.Errorf("status %d, %s:\n%s", status, stderr, text)
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	parent, empty := t.TempDir(), t.TempDir()
	wantError(t, "refused", "-o", filepath.Join(parent, "new"), closed.URL)
	wantError(t, "refused", "-o", empty, closed.URL)
	if all, _ := os.ReadDir(parent); len(all) > 0 {
		t.Errorf("%s is left", all[0].Name())
	}
	if _, err := os.Stat(empty); err != nil {
		t.Errorf("the folder that was there before: %v", err)
	}
}
