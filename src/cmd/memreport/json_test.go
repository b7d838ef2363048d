// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// schema has the keys of the format, version 1, with the kinds of their values.
var schema = map[string]string{
	"version": "number", "program": "string", "time": "string", "seconds": "number", "compared": "bool",
	"limit": "number", "goroutines": "number", "missing": "array", "missing[]": "string",
	"classes": "object", "classes.*": "object", "classes.*.now": "number", "classes.*.change": "number",
	"findings": "array", "findings[]": "object", "findings[].kind": "string", "findings[].signature": "string",
	"findings[].text": "string", "findings[].place": "string", "findings[].bytes": "number",
	"findings[].details": "array", "findings[].details[]": "string", "findings[].profile": "string", "findings[].more": "string",
}

// kindsOf adds the keys of a value, and what they have.
func kindsOf(found map[string]string, key string, value any) {
	switch v := value.(type) {
	case map[string]any:
		found[key] = "object"
		for name, x := range v {
			if key == "classes" {
				name = "*"
			}
			kindsOf(found, strings.TrimPrefix(key+"."+name, "."), x)
		}
	case []any:
		found[key] = "array"
		for _, x := range v {
			kindsOf(found, key+"[]", x)
		}
	case nil:
		found[key] = "null"
	default:
		found[key] = map[string]string{"float64": "number", "string": "string", "bool": "bool"}[fmt.Sprintf("%T", v)]
	}
}

func TestJSONSchema(t *testing.T) {
	k := makeTake(t, sizes{leak: 6 * mb})
	k.Missing["faults"] = "no"
	f := newFacts(k)
	var b bytes.Buffer
	if err := writeJSON(&b, f, find(f)); err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(b.Bytes(), &value); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	kindsOf(found, "", value)
	delete(found, "")
	if !maps.Equal(found, schema) {
		t.Errorf("keys %v\nwant %v", found, schema)
	}
	if value.(map[string]any)["version"] != 1.0 {
		t.Error("the version is not 1")
	}
	// Nothing is null, even if there is nothing.
	f = newFacts(makeTake(t, sizes{}))
	b.Reset()
	writeJSON(&b, f, find(f))
	if strings.Contains(b.String(), "null") {
		t.Errorf("null in %s", b.String())
	}
}

// TestJSONChange has no change where it is not known.
func TestJSONChange(t *testing.T) {
	once := makeTake(t, sizes{})
	once.Moments = once.Moments[:1]
	watch := newFacts(makeTake(t, sizes{}))
	delete(watch.Moments[1].Classes, foreign)
	for _, test := range []struct {
		name  string
		facts *facts
		class class
		known bool
	}{
		{"a watch", newFacts(makeTake(t, sizes{})), live, true},
		{"a class that was not there", watch, foreign, false},
		{"one moment", newFacts(once), live, false},
	} {
		data, err := json.Marshal(newReport(test.facts, nil).Classes[test.class])
		if err != nil || strings.Contains(string(data), "change") != test.known {
			t.Errorf("%s: %s, %v", test.name, data, err)
		}
	}
}

// TestJSONDocumented looks for all keys and kinds in the package comment.
func TestJSONDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(doc), func(r rune) bool { return !('a' <= r && r <= 'z' || r == '-') })
	for key := range schema {
		for _, name := range strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune(".[]*", r) }) {
			if !slices.Contains(words, name) {
				t.Errorf("doc.go does not have the key %s", name)
			}
		}
	}
	for _, c := range classes {
		if !slices.Contains(words, string(c)) {
			t.Errorf("doc.go does not have the class %s", c)
		}
	}
	for _, kind := range []string{"live-growth", "class-growth", "mapped-growth", "goroutines-leaked", "goroutines-growth", "goroutines-blocked", "stacks", "unused-capacity", "pool", "finalizers", "unused-elements", "garbage", "collections", "free-not-returned", "past-peak", "fragmentation", "allocation-waiting"} {
		if !slices.Contains(words, kind) {
			t.Errorf("doc.go does not have the kind %s", kind)
		}
	}
}
