// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestSettle has a field at other paths in the second recording.
func TestSettle(t *testing.T) {
	const (
		server = "main.app.items map[int]*item < main.app.serve-fm.(receiver) *app < main.main < runtime.main < (stack)"
		served = "main.app.items map[int]*item < main.app.serve.a *app < main.app.serve < net/http.(*conn).serve < (stack)"
		global = "main.app.items map[int]*item < main.theApp *app"
		other  = "main.app.items map[int]*item < main.otherApp *app"
		value  = "map[int]*main.item[value] < "
		listed = "main.item.data []uint8 < []*main.item[elem] < main.worker.list []*item < main.work < (stack)"
		kept   = "main.item.data []uint8 < map[int]*main.item[value] < main.kept"
		many   = "main.page.body []uint8 < main.item.page *page < []*main.item[elem] < main.work < (stack)"
		many2  = "main.page.body []uint8 < main.next.page *page < main.kept"
		pooled = "main.page.body []uint8 < main.encoder.page *page < sync.poolLocal.private interface {}(*main.encoder) < main.pages"
		lent   = "main.page.body []uint8 < main.encode.page *page < main.encode < (stack)"
		table  = "map[int]*main.item[table] < "
	)
	at := func(stack string, megabytes int64) row {
		return row{[]int64{megabytes * 10, megabytes * mb}, stack, ""}
	}
	for _, test := range []struct {
		name          string
		before, after []row
		want          []string // growths, with what came in megabytes
	}{
		{"a request holds it", []row{at(value+server, 50)}, []row{at(value+served, 50)}, nil},
		{"the server holds it", []row{at(value+served, 50)}, []row{at(value+server, 50)}, nil},
		{"and it grows", []row{at(value+served, 50)}, []row{at(value+server, 54)}, []string{"4: " + value + server}},
		{"and it grows little below a request", []row{at(value+server, 200)}, []row{at(value+served, 203)}, []string{"3: " + value + served}},
		{"a variable holds it", []row{at(value+served, 50)}, []row{at(value+global, 54)}, []string{"4: " + value + global}},
		{"another part came", []row{at(value+served, 50)}, []row{at(value+server, 50), at(table+server, 9)}, []string{"9: " + table + server}},
		{"two variables", []row{at(value+global, 50)}, []row{at(value+other, 54)}, []string{"54: " + value + other}},
		{"most stays", []row{at(value+served, 50)}, []row{at(value+served, 6), at(value+server, 54)}, []string{"54: " + value + server}},
		{"most was there", []row{at(value+served, 50), at(value+server, 6)}, []row{at(value+server, 54)}, []string{"48: " + value + server}},
		{"much smaller", []row{at(value+served, 50)}, []row{at(value+server, 40)}, []string{"40: " + value + server}},
		{"the larger of two", []row{at(value+served, 50)}, []row{at(value+global, 5), at(value+server, 54)}, []string{"4: " + value + server, "5: " + value + global}},
		{"of many objects", []row{at(many, 50)}, []row{at(value+server, 54), at(many2, 54)}, []string{"54: " + value + server, "54: " + many2}},
		{"of a pool", []row{at(pooled, 50)}, []row{at(lent, 54)}, []string{"54: " + lent}},
		{"elements of another list", []row{at(listed, 50)}, []row{at(kept, 54)}, []string{"54: map[int]*main.item[value] < main.kept"}},
	} {
		f := &facts{Compare: true}
		f.addRefs(settleProfile(test.before), settleProfile(test.after))
		var got, want []string
		for _, g := range f.growths() {
			got = append(got, strconv.FormatInt(g.at().NewBytes/mb, 10)+": "+g.String())
			if n := g.at().NewBytes / mb * 10; g.at().NewCount != n {
				t.Errorf("%s: %d objects came, want %d", test.name, g.at().NewCount, n)
			}
		}
		for _, w := range test.want {
			number, stack, _ := strings.Cut(w, ": ")
			elements := strings.Split(stack, " < ")
			slices.Reverse(elements)
			want = append(want, number+": "+strings.Join(elements, pathSeparator))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
		checkSums(t, test.name, f.Refs)
	}
}

func settleProfile(rows []row) *profile.Profile {
	for i, r := range rows {
		if strings.HasPrefix(r.stack[strings.LastIndex(r.stack, " < ")+3:], "main.") {
			rows[i].labels = "root=global"
		}
	}
	return makeProfile("live_objects live_space", nil, rows...)
}

// checkSums checks that each element has what those below it have; what came to
// pools does not count.
func checkSums(t *testing.T, name string, e *element) {
	t.Helper()
	var now, came int64
	for _, c := range e.Children {
		checkSums(t, name, c)
		now += c.Bytes
		if !c.isPool() {
			came += c.NewBytes
		}
	}
	if len(e.Children) > 0 && (e.Bytes != now || e.NewBytes != came) {
		t.Errorf("%s: %s has %d bytes, of which %d came; below it are %d, of which %d came", name, e.Name, e.Bytes, e.NewBytes, now, came)
	}
}

// TestOlder has ages that are rounded down to powers of two.
func TestOlder(t *testing.T) {
	for _, test := range []struct {
		age, collections int64
		want             bool
	}{{0, 0, false}, {1, 1, false}, {1, 0, true}, {2, 2, true}, {2, 3, false}, {4, 6, true}, {4, 7, false}, {8, 7, true}, {64, 100, true}, {64, 127, false}} {
		p := makeProfile("inuse_space", nil, row{[]int64{mb}, "main.main", "age=" + strconv.FormatInt(test.age, 10)})
		if got := len(older(p, test.collections).Sample) > 0; got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}
