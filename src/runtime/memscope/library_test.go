// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Programs in which tenants share what the standard library keeps: connections,
// pools and timers.

package memscope_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/rpc"
	"net/url"
	"runtime"
	"runtime/memscope"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// A service is something that tenants share. The tests start it outside of
// scopes.
type service struct {
	name  string
	start func(t *testing.T) (use func(ctx context.Context))
	each  int64 // the least that one use counts for its tenant
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// large answers with headers that take much memory to read.
var large = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	for i := range 100 {
		w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 100))
	}
})

// getting returns a function that sends a request to a server of large.
func getting(t *testing.T, http2 bool, body func() io.Reader) func(context.Context) {
	server := httptest.NewUnstartedServer(large)
	server.EnableHTTP2 = http2
	server.StartTLS()
	t.Cleanup(server.Close)
	return func(ctx context.Context) {
		r, err := http.NewRequestWithContext(ctx, "POST", server.URL, body())
		must(t, err)
		answer, err := server.Client().Do(r)
		must(t, err)
		if got := answer.ProtoMajor == 2; got != http2 {
			t.Error(answer.Proto)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
}

func noBody() io.Reader { return nil }

// wasteful is a request body that allocates 100 KB when it is read, which
// net/http does on its own goroutine.
type wasteful struct{ read bool }

func (w *wasteful) Read(p []byte) (int, error) {
	if w.read {
		return 0, io.EOF
	}
	w.read = true
	bytesSink = make([]byte, 100_000)
	return copy(p, "body"), nil
}

// A database has connections of the type serving.
type database struct{}

func (database) Driver() driver.Driver { return nil }

// A serving is a database connection with a goroutine that serves it, as some
// drivers have. It allocates 10 KB for each statement.
type serving chan chan bool

func (database) Connect(context.Context) (driver.Conn, error) {
	c := make(serving)
	go func() {
		for done := range c {
			bytesSink = make([]byte, 10_000)
			done <- true
		}
	}()
	return c, nil
}

func (serving) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (serving) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (c serving) Close() error                      { close(c); return nil }

func (c serving) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	done := make(chan bool)
	c <- done
	<-done
	return driver.RowsAffected(1), nil
}

// Answers is a service of net/rpc.
type Answers struct{}

func (Answers) Text(n int, text *string) error { *text = strings.Repeat("x", n); return nil }

var services = []service{
	{"HTTP/1", func(t *testing.T) func(context.Context) { return getting(t, false, noBody) }, 12_000 + 1000*int64(unsafe.Sizeof(uintptr(0)))},
	{"HTTP/1 with body", func(t *testing.T) func(context.Context) {
		return getting(t, false, func() io.Reader { return new(wasteful) })
	}, 100_000},
	{"HTTP/2", func(t *testing.T) func(context.Context) { return getting(t, true, noBody) }, 20_000},
	{"HTTP/2 with body", func(t *testing.T) func(context.Context) {
		return getting(t, true, func() io.Reader { return new(wasteful) })
	}, 100_000},
	{"httputil.ReverseProxy", func(t *testing.T) func(context.Context) {
		back := httptest.NewServer(large)
		to, err := url.Parse(back.URL)
		must(t, err)
		proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
		t.Cleanup(back.Close)
		return func(ctx context.Context) {
			proxy.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
		}
	}, 20_000},
	{"database/sql", func(t *testing.T) func(context.Context) {
		db := sql.OpenDB(database{})
		t.Cleanup(func() { db.Close() })
		return func(ctx context.Context) {
			_, err := db.ExecContext(ctx, "")
			must(t, err)
		}
	}, 0},
	{"net/rpc", func(t *testing.T) func(context.Context) {
		server := rpc.NewServer()
		must(t, server.Register(Answers{}))
		var once sync.Once
		var client *rpc.Client
		t.Cleanup(func() { client.Close() })
		return func(context.Context) {
			once.Do(func() {
				a, b := net.Pipe()
				memscope.Detach(background, func(context.Context) { go server.ServeConn(b) })
				client = rpc.NewClient(a)
			})
			var text string
			must(t, client.Call("Answers.Text", 50_000, &text))
		}
	}, 50_000},
}

// TestLibrary has tenant A use a service once, and tenant B many times while A's
// Run goes on. What B does counts for B, as far as it is done for B alone, and
// never for A.
func TestLibrary(t *testing.T) {
	const times = 100
	for _, test := range services {
		t.Run(test.name, func(t *testing.T) {
			if strings.HasPrefix(test.name, "HTTP/2") && strings.HasPrefix(runtime.Version(), "go1.26") {
				t.Skip("in Go 1.26, HTTP/2 is a bundle without hooks")
			}
			use := test.start(t)
			used, end := make(chan int64), make(chan bool)
			var once, after int64
			var err error
			var wg sync.WaitGroup
			wg.Go(func() {
				err = memscope.Run(background, memscope.Limits{Name: "A", Bytes: 2 << 20}, func(ctx context.Context) error {
					use(ctx)
					used <- memscope.FromContext(ctx).Usage().Bytes
					<-end
					after = memscope.FromContext(ctx).Usage().Bytes
					return ctx.Err()
				})
			})
			once = <-used
			b := inScope(func(ctx context.Context) {
				for range times {
					use(ctx)
				}
			})
			close(end)
			wg.Wait()
			t.Logf("A's use: %d bytes, then %d more; B: %d a use", once, after-once, b/times)
			if after-once > 10_000 || err != nil {
				t.Errorf("after %d bytes, A is charged for %d bytes of B, and gets %v", once, after-once, err)
			}
			if b < times*test.each {
				t.Errorf("B has %d bytes a use, want %d", b/times, test.each)
			}
		})
	}
}

// closing is a connection that allocates 1 MB when it is closed.
type closing struct {
	net.Conn
	closed chan bool
}

func (c closing) Close() error {
	bytesSink = make([]byte, 1_000_000)
	c.closed <- true
	return c.Conn.Close()
}

// TestIdleConnection checks that a connection that is closed because nobody
// uses it is not closed at the expense of its last user.
func TestIdleConnection(t *testing.T) {
	server := httptest.NewServer(large)
	defer server.Close()
	closed := make(chan bool)
	client := &http.Client{Transport: &http.Transport{
		IdleConnTimeout: time.Millisecond,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			return closing{c, closed}, err
		},
	}}
	n := inScope(func(context.Context) {
		r, err := client.Get(server.URL)
		must(t, err)
		r.Body.Close()
		<-closed
	})
	if n > 500_000 {
		t.Errorf("the scope has counted %d bytes", n)
	}
}
