// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker uses the standard library as programs do: JSON, regular
// expressions, compression, sorting, strings, connections.

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"regexp"
	"slices"
	"strings"
)

func useLibrary(r *rand.Rand) func() {
	type order struct {
		Name  string
		Lines []struct{ Article, Text string }
		Notes map[string]any
	}
	a, b := net.Pipe()
	go func() {
		_, err := io.Copy(b, b)
		check(err)
	}()
	return func() {
		var o order
		check(json.Unmarshal([]byte(`{"Name":"n","Lines":[{"Article":"a"},{"Text":"t"}],"Notes":{"x":[1,2,{"y":"z"}]}}`), &o))
		text, err := json.Marshal(o)
		check(err)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err = w.Write(bytes.Repeat(text, 1+r.IntN(20)))
		check(err)
		check(w.Close())
		unpacked, err := gzip.NewReader(&packed)
		check(err)
		back, err := io.ReadAll(unpacked)
		check(err)
		must(bytes.HasPrefix(back, text), "%q is not %q", back, text)
		must(regexp.MustCompile(`"y":"(.)"`).FindSubmatch(text) != nil, "%q", text)
		words := strings.Split(strings.Repeat("the quick brown fox ", 1+r.IntN(50)), " ")
		slices.Sort(words)
		_, err = a.Write(text)
		check(err)
		echo := make([]byte, len(text))
		_, err = io.ReadFull(a, echo)
		check(err)
		must(bytes.Equal(echo, text), "%q came back as %q", text, echo)
	}
}
