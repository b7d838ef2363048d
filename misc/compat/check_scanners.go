// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// These checks run programs that look for vulnerabilities of the release that
// the toolchain is built from. They must find it in the toolchain's version.

import (
	"context"
	"fmt"
	"strings"
)

// report is an entry of a database of vulnerabilities in the schema OSV, as
// govulncheck reads it. It is invented: all releases of Go have it.
const report = `{"schema_version": "1.3.1", "id": "GO-2026-9999", "summary": "invented", "details": "invented",
"modified": "2026-11-01T00:00:00Z", "published": "2026-11-01T00:00:00Z",
"affected": [{"package": {"name": "stdlib", "ecosystem": "Go"},
	"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "1.99.0"}]}],
	"ecosystem_specific": {"imports": [{"path": "net/url", "symbols": ["QueryUnescape"]}]}}],
"database_specific": {"url": "https://pkg.go.dev/vuln/GO-2026-9999", "review_status": "REVIEWED"}}`

// vulnerable calls the function that the report names.
const vulnerable = "package main\n\nimport \"net/url\"\n\nfunc main() {\n\ts, _ := url.QueryUnescape(\"a%20b\")\n\tprintln(s)\n}\n"

// prepareScan writes a program, its executable, and the database.
func prepareScan(ctx context.Context, j *job) error {
	for name, text := range map[string]string{
		"scanned/go.mod":                goMod,
		"scanned/main.go":               vulnerable,
		"database/index/db.json":        `{"modified": "2026-11-01T00:00:00Z"}`,
		"database/index/modules.json":   `[{"path": "stdlib", "vulns": [{"id": "GO-2026-9999", "modified": "2026-11-01T00:00:00Z", "fixed": "1.99.0"}]}]`,
		"database/ID/GO-2026-9999.json": report,
	} {
		if err := j.write(name, text); err != nil {
			return err
		}
	}
	return j.run(ctx, j.path("scanned"), "go", "build", "-o", "scanned")
}

// findVulnerability runs govulncheck on a program's source or executable.
func findVulnerability(mode, target string) func(context.Context, *job) error {
	return func(ctx context.Context, j *job) error {
		if err := prepareScan(ctx, j); err != nil {
			return err
		}
		out, err := j.output(ctx, j.path("scanned"), "govulncheck", "-db=file://"+j.path("database"), "-mode="+mode, target)
		if err == nil { // it exits with 3 if it finds a vulnerability
			return fmt.Errorf("govulncheck finds nothing")
		}
		release, _, _ := strings.Cut(j.side.version, "-")
		return expect(out, "GO-2026-9999", "Found in: net/url@"+release+"\n")
	}
}

// findRelease has Trivy read the release of the standard library.
func findRelease(ctx context.Context, j *job) error {
	if err := prepareScan(ctx, j); err != nil {
		return err
	}
	trivy, err := j.program(ctx, "trivy")
	if err != nil {
		return err
	}
	out, err := j.output(ctx, j.dir, trivy, j.path("scanned", "scanned"))
	if err != nil {
		return err
	}
	release, _, _ := strings.Cut(j.side.version, "-")
	if want := "v" + strings.TrimPrefix(release, "go") + "\n"; out != want {
		return fmt.Errorf("trivy reads %q, want %q", out, want)
	}
	return nil
}

// obfuscate builds a program with garble, which parses the toolchain's version,
// patches its linker, and knows which packages the runtime links to. Each side
// has a cache of its own, because garble keeps the linker of a release.
func obfuscate(ctx context.Context, j *job) error {
	if err := prepareScan(ctx, j); err != nil {
		return err
	}
	if err := j.run(ctx, j.path("scanned"), "env", "GARBLE_CACHE="+j.path("garble-cache"), "garble", "build", "-o", "obfuscated"); err != nil {
		return err
	}
	out, err := j.output(ctx, j.dir, j.path("scanned", "obfuscated"))
	if err != nil {
		return err
	}
	return expect(out, "a b\n")
}
