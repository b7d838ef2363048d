// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memsite has what the pages of go tool heapgraph and go tool memreport
// share: their frame and style, flame graphs, and the server. The server makes
// all pages, and they need no network and no script.
package memsite

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
)

//go:embed *.html style.css icon.svg
var files embed.FS

// Templates returns a new set of the templates that pages share. The template
// page is the frame of a Page; it calls the template content, which the caller
// defines. The template flame draws a Picture.
func Templates(funcs template.FuncMap) *template.Template {
	return template.Must(template.New("").Funcs(funcs).ParseFS(files, "*.html"))
}

// A Page is what the template page needs.
type Page struct {
	Title   string
	Program string
	Origin  string // of the data, for the footer
	Menu    []MenuItem
	Search  bool // there is a page /search
	Script  bool // there is a /script.js
	Data    any  // for the template content
}

// A MenuItem is a link in the menu of all pages.
type MenuItem struct {
	Path, Name string
	Current    bool
}

// AddFiles adds the style and the icon to mux.
func AddFiles(mux *http.ServeMux) {
	ServeFile(mux, files, "style.css", "text/css; charset=utf-8")
	ServeFile(mux, files, "icon.svg", "image/svg+xml")
}

// ServeFile adds a file that is beside the pages, of a type, to mux.
func ServeFile(mux *http.ServeMux, dir embed.FS, name, typ string) {
	base := path.Base(name)
	mux.HandleFunc("GET /"+base, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", typ)
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, dir, name)
	})
}

// Write answers a request with a page, of a status of HTTP. Names in the page
// may be invalid UTF-8.
func Write(w http.ResponseWriter, status int, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	w.Write(bytes.ToValidUTF8(page, []byte("\uFFFD")))
}
