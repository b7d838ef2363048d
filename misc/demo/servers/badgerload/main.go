// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Badgerload is a server with a badger database, for servers.bash. It puts
// 300,000 keys, and then continues to put and get keys. It serves
// net/http/pprof.
//
//	badgerload DIR 127.0.0.1:6060
//
// It prints "load is on" when the database has the keys, and ends a minute
// later.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"

	"github.com/dgraph-io/badger/v4"
)

const (
	keys       = 300_000
	batch      = 1000 // keys per transaction
	valueBytes = 400
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("badgerload: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: badgerload DIR 127.0.0.1:6060")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(dir, address string) error {
	options := badger.DefaultOptions(dir).WithLoggingLevel(badger.WARNING).WithMemTableSize(16 << 20).WithBlockCacheSize(32 << 20)
	db, err := badger.Open(options)
	if err != nil {
		return err
	}
	go func() { log.Fatal(http.ListenAndServe(address, nil)) }()
	for first := 0; first < keys; first += batch {
		if err := put(db, first, batch); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	fmt.Printf("load is on: %d keys\n", keys)
	return errors.Join(use(db, time.Now().Add(time.Minute)), db.Close())
}

func key(n int) []byte {
	return binary.BigEndian.AppendUint64([]byte("key/"), uint64(n))
}

// put puts n keys, whose numbers begin with first.
func put(db *badger.DB, first, n int) error {
	return db.Update(func(txn *badger.Txn) error {
		for i := range n {
			value := make([]byte, valueBytes)
			for j := range value {
				value[j] = byte(rand.Uint32())
			}
			if err := txn.Set(key(first+i), value); err != nil {
				return err
			}
		}
		return nil
	})
}

// use gets and puts keys until the time is over.
func use(db *badger.DB, end time.Time) error {
	for time.Now().Before(end) {
		if err := put(db, rand.N(keys), 1); err != nil {
			return err
		}
		for range 20 {
			err := db.View(func(txn *badger.Txn) error {
				item, err := txn.Get(key(rand.N(keys)))
				if err != nil {
					return err
				}
				return item.Value(func([]byte) error { return nil })
			})
			if err != nil {
				return err
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	return nil
}
