// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes requests. A server that is busy is asked again, once: proxies
// and limits of memory refuse what they would not refuse a second later.

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// serverURL returns the URL below which a server has its profiles, or nil if
// the argument is no URL.
func serverURL(arg string) *url.URL {
	u, err := url.Parse(arg)
	if err != nil || u.Host == "" {
		host, _, _ := strings.Cut(arg, "/")
		if _, port, e := net.SplitHostPort(host); e != nil || port == "" {
			return nil
		}
		if u, err = url.Parse("http://" + arg); err != nil {
			return nil
		}
	}
	if !slices.Contains([]string{"http", "https", insecure}, u.Scheme) {
		return nil
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = pprofPath
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	query := u.Query() // such as a token, but no parameters of profiles
	for _, name := range []string{"debug", "gc", "seconds"} {
		query.Del(name)
	}
	u.RawQuery, u.Fragment = query.Encode(), ""
	return u
}

// insecure is the scheme of URLs of servers with any certificate, as of go tool
// pprof.
const insecure = "https+insecure"

// trustAny changes the URL of a server that may have any certificate.
func (f *fetcher) trustAny() {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	f.client.Transport = transport
	u := *f.url
	u.Scheme = "https"
	f.url = &u
}

// A statusError is an answer other than 200.
type statusError struct {
	code  int
	pprof bool // the answer is net/http/pprof's
	text  string
}

func (e *statusError) Error() string { return e.text }

// fetch returns the answer to a request.
func (f *fetcher) fetch(page string) ([]byte, error) {
	body, err := f.get(page)
	if isBusy(err) {
		f.sleep(f.pause)
		body, err = f.get(page)
	}
	return body, err
}

// sleep waits, or until the watch is interrupted.
func (f *fetcher) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-f.ctx.Done():
	}
}

var errInterrupted = errors.New("interrupted")

// isBusy reports whether a server that gave an error may answer a little later.
func isBusy(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		return status.code >= http.StatusBadGateway && status.code <= http.StatusGatewayTimeout
	}
	return errors.As(err, new(timeoutError))
}

// A timeoutError is the time in which no answer came.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("no answer within %v (-timeout sets another time)", time.Duration(e))
}

// get makes a request.
func (f *fetcher) get(page string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(f.ctx, f.timeout)
	defer cancel()
	u := *f.url
	name, query, _ := strings.Cut(page, "?")
	u.Path += name
	if f.force {
		query += "&force=1"
	}
	u.RawQuery = strings.Trim(query+"&"+u.RawQuery, "&")
	request, err := http.NewRequestWithContext(ctx, "GET", u.String(), nil)
	if err != nil {
		return nil, err
	}
	answer, err := f.client.Do(request)
	if err != nil {
		return nil, f.plain(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, answerError(answer)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return nil, f.plain(err)
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("the answer has more than %s", formatSize(maxAnswer))
	}
	return body, nil
}

// plain returns the cause of an error without the URL, which the caller prints.
func (f *fetcher) plain(err error) error {
	if f.ctx.Err() != nil {
		return errInterrupted
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return timeoutError(f.timeout)
	}
	var e *url.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if errors.As(err, new(*tls.CertificateVerificationError)) {
		return fmt.Errorf("%w: SSL_CERT_FILE names a file of certificates to trust, and with %s:// any is trusted", err, insecure)
	}
	return err
}

func answerError(answer *http.Response) error {
	text := answer.Status
	switch {
	case answer.StatusCode == http.StatusUnauthorized,
		answer.StatusCode == http.StatusForbidden && answer.Header.Get("WWW-Authenticate") != "":
		text += ": the server wants a password: http://USER:PASSWORD@HOST"
	default:
		body, _ := io.ReadAll(io.LimitReader(answer.Body, 300))
		line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
		if line != "" && strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") {
			text += ": " + strings.Replace(line, "add force=1", "add -force", 1)
		}
	}
	return &statusError{answer.StatusCode, answer.Header.Get("X-Go-Pprof") != "", text}
}
