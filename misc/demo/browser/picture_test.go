// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// compress returns a picture as a file with at most 256 colors, which has a
// third of the size. Pages have few colors, and shades of them at the edges of
// letters.
func compress(picture []byte) ([]byte, error) {
	m, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	r := m.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA) }
	number := make(map[color.RGBA]int)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			number[at(x, y)]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(number), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(number[b], number[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := choose(colors)
	index := make(map[color.RGBA]uint8)
	for _, c := range colors {
		index[c] = uint8(palette.Index(c))
	}
	p := image.NewPaletted(r, palette)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, p)
	return b.Bytes(), err
}

// choose returns the first 64 colors, and of the others those that are not nearly
// the same as one before, 256 at most.
func choose(colors []color.RGBA) color.Palette {
	var palette color.Palette
	near := make(map[color.RGBA]bool)
	for i, c := range colors {
		key := color.RGBA{c.R >> 4, c.G >> 4, c.B >> 4, 0}
		if i < 64 || !near[key] && len(palette) < 256 {
			near[key] = true
			palette = append(palette, c)
		}
	}
	return palette
}
