// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file imports an upstream release into a repository as one commit without
// parents. It uses git fast-import, which needs no working tree, and lets graft
// rename files: the module's _go.mod is go.mod in goroot/.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"time"
)

// importRef refers to the commit while it is being made.
const importRef = "refs/gorefs/import"

// machine returns the author of the commits in goroot/. Their time is the
// release's.
func machine(when time.Time) identity {
	return identity{"gorefs", "gorefs@localhost", when}
}

// importUpstream commits the named files of u and returns the commit.
func importUpstream(r *repo, u *upstream, names []string) (string, error) {
	cmd := r.command(identity{}, "fast-import", "--quiet", "--force", "--done", "--depth=0")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return "", err
	}
	writing := writeImport(stdin, u, names)
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		return "", gitError([]string{"fast-import"}, stderr.String(), err)
	}
	if writing != nil {
		return "", writing
	}
	commit, err := r.line("rev-parse", importRef)
	if err != nil {
		return "", err
	}
	_, err = r.git("update-ref", "-d", importRef)
	return commit, err
}

// writeImport writes the stream that git fast-import reads.
func writeImport(w io.Writer, u *upstream, names []string) error {
	b := bufio.NewWriterSize(w, 1<<20)
	who := machine(u.when)
	message := u.version + "\n"
	fmt.Fprintf(b, "commit %s\ncommitter %s <%s> %d +0000\ndata %d\n%s\n", importRef, who.name, who.email, who.when.Unix(), len(message), message)
	for _, name := range names {
		data, err := u.read(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "M %s inline %s\ndata %d\n", fileMode(name), name, len(data))
		b.Write(data)
		b.WriteByte('\n')
	}
	fmt.Fprintln(b, "done")
	return b.Flush()
}
