// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file runs git. Each call ignores the user's configuration, hooks and
// GIT_ variables, except GIT_EXEC_PATH. Commits that graft makes in goroot/
// have one author, so that one overlay makes the same commits everywhere.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// An identity is the author of a commit, and the time of the commit.
type identity struct {
	name, email string
	when        time.Time
}

// A repo is a git directory, with a working tree unless work is empty.
type repo struct {
	dir   string // the .git directory
	work  string
	index string // an index file to use instead of .git/index, if not empty
}

// git runs git on the repository and returns its standard output.
func (r *repo) git(args ...string) (string, error) {
	return r.gitInput(nil, args...)
}

// gitInput runs git with standard input.
func (r *repo) gitInput(input []byte, args ...string) (string, error) {
	return r.gitAs(identity{}, input, args...)
}

// gitAs is gitInput with an identity for commits.
func (r *repo) gitAs(who identity, input []byte, args ...string) (string, error) {
	cmd := r.command(who, args...)
	if input != nil {
		cmd.Stdin = bytes.NewReader(input)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), gitError(args, stderr.String(), err)
	}
	return stdout.String(), nil
}

// line runs git and returns its standard output without the newline at its end.
func (r *repo) line(args ...string) (string, error) {
	out, err := r.git(args...)
	return strings.TrimSuffix(out, "\n"), err
}

// command returns a git command with its environment, not yet started.
func (r *repo) command(who identity, args ...string) *exec.Cmd {
	fixed := []string{
		"-c", "core.autocrlf=false", "-c", "core.fileMode=true", "-c", "core.quotePath=false",
		"-c", "core.hooksPath=/dev/null", "-c", "core.compression=1", "-c", "commit.gpgSign=false",
		"-c", "gc.auto=0", "-c", "advice.detachedHead=false",
	}
	cmd := exec.Command("git", append(fixed, args...)...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "GIT_EXEC_PATH=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_DIR="+r.dir)
	if r.work != "" {
		cmd.Dir = r.work
		cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+r.work)
	} else {
		cmd.Dir = r.dir
	}
	if r.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.index)
	}
	if who.name != "" {
		date := fmt.Sprintf("%d +0000", who.when.Unix())
		cmd.Env = append(cmd.Env,
			"GIT_AUTHOR_NAME="+who.name, "GIT_AUTHOR_EMAIL="+who.email, "GIT_AUTHOR_DATE="+date,
			"GIT_COMMITTER_NAME="+who.name, "GIT_COMMITTER_EMAIL="+who.email, "GIT_COMMITTER_DATE="+date)
	}
	return cmd
}

// gitError returns an error with the git command that failed and its output.
func gitError(args []string, stderr string, err error) error {
	if msg := strings.TrimSpace(stderr); msg != "" {
		return fmt.Errorf("git %s: %s", args[0], msg)
	}
	return fmt.Errorf("git %s: %v", args[0], err)
}

// initRepo makes an empty repository. If work is empty, it has no working tree.
func initRepo(dir, work string) (*repo, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	// git init gets no template, because a user's template may have hooks.
	bare := &repo{dir: dir}
	args := []string{"init", "-q", "--template="}
	if work == "" {
		args = append(args, "--bare")
	}
	if _, err := bare.git(args...); err != nil {
		return nil, err
	}
	if _, err := bare.git("symbolic-ref", "HEAD", "refs/heads/gorefs"); err != nil {
		return nil, err
	}
	if work != "" {
		for _, kv := range [][2]string{{"core.bare", "false"}, {"core.autocrlf", "false"}} {
			if _, err := bare.git("config", kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
	}
	return &repo{dir: dir, work: work}, nil
}

// scratchRepo makes a repository without a working tree. drop removes it.
func scratchRepo() (r *repo, drop func(), err error) {
	dir, err := os.MkdirTemp("", "graft-")
	if err != nil {
		return nil, nil, err
	}
	drop = func() { os.RemoveAll(dir) }
	if r, err = initRepo(dir, ""); err != nil {
		drop()
		return nil, nil, err
	}
	return r, drop, nil
}
