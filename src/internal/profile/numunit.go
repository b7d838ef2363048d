// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Units of numeric labels. Sample.NumUnit[k][i] is the unit of
// Sample.NumLabel[k][i]. It is "" or missing if the value has no unit. In a
// sample that has been decoded and has no units, NumUnit is nil. Decoding and
// encoding (encode.go) call the two methods in this file, so that the delta
// profiles of net/http/pprof keep units.

package profile

// addNumUnit sets the unit of NumLabel[key][i]. unitX is the unit's index in
// strings. It returns err, or its own error if err is nil.
func (s *Sample) addNumUnit(key string, i int, strings []string, unitX int64, err error) error {
	unit, err := getString(strings, &unitX, err)
	if unit == "" {
		return err
	}
	if s.NumUnit == nil {
		s.NumUnit = make(map[string][]string)
	}
	for len(s.NumUnit[key]) < i {
		s.NumUnit[key] = append(s.NumUnit[key], "")
	}
	s.NumUnit[key] = append(s.NumUnit[key], unit)
	return err
}

// numUnit returns the unit of NumLabel[key][i], or "".
func (s *Sample) numUnit(key string, i int) string {
	if units := s.NumUnit[key]; i < len(units) {
		return units[i]
	}
	return ""
}
