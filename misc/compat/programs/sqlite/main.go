// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Sqlite fills a table and queries a sum, with the driver that a build tag
// selects: the driver in C (-tags cgo_driver), or, without the tag, the driver
// that is C code translated to Go.
package main

import (
	"database/sql"
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Println(driver, err)
		os.Exit(1)
	}
	fmt.Println(driver, "ok")
}

func run() error {
	db, err := sql.Open(driver, ":memory:")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1) // the database in memory belongs to one connection
	if _, err := db.Exec("create table t (n integer, name text)"); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	want := 0
	for i := range 10000 {
		if _, err := tx.Exec("insert into t values (?, ?)", i, fmt.Sprint("name ", i%7)); err != nil {
			return err
		}
		if i%7 == 3 {
			want += i
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	var have int
	if err := db.QueryRow("select sum(n) from t where name = ?", "name 3").Scan(&have); err != nil {
		return err
	}
	if have != want {
		return fmt.Errorf("the sum is %d, want %d", have, want)
	}
	return nil
}
