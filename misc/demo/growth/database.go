// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"go.etcd.io/bbolt"
)

// database fills a bbolt database, and then reads a byte of each value. bbolt
// maps the file of the database into memory. The Go heap has its memory before,
// because how much it takes depends on when collections run.
func database(r recorder) (err error) {
	runtime.KeepAlive(make([]byte, 64<<20))
	runtime.GC()
	if err := r.save("base.", "growth", "heap"); err != nil {
		return err
	}
	db, err := bbolt.Open(filepath.Join(r.dir, "bolt.db"), 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for part := range 16 {
		if err := db.Update(func(tx *bbolt.Tx) error { return fill(tx, part) }); err != nil {
			return err
		}
	}
	if err := db.View(readAll); err != nil {
		return err
	}
	return r.save("", "growth", "heap")
}

// fill puts 4 MiB into a database.
func fill(tx *bbolt.Tx, part int) error {
	b, err := tx.CreateBucketIfNotExists([]byte("records"))
	if err != nil {
		return err
	}
	value := make([]byte, 4096)
	for i := range 1024 {
		if err := b.Put(fmt.Appendf(nil, "%d/%d", part, i), value); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads a byte of each value.
func readAll(tx *bbolt.Tx) error {
	sum := 0
	err := tx.Bucket([]byte("records")).ForEach(func(k, v []byte) error {
		sum += int(v[0])
		return nil
	})
	if err == nil && sum != 0 {
		return errors.New("the database has what was not put there")
	}
	return err
}
