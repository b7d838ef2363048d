// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tsdb is a server like Prometheus, for servers.bash. It has Prometheus' own
// database, with 100,000 series, adds a value to each series about once a
// second, and serves net/http/pprof.
//
//	tsdb DIR 127.0.0.1:6060
//
// It prints "load is on" when the database has the series, and ends after about
// a minute.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"
)

const (
	series = 100_000
	first  = 4 // the load counts as on after this round; the number of the first round is 0
	rounds = 60
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("tsdb: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: tsdb DIR 127.0.0.1:6060")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(dir, address string) error {
	db, err := tsdb.Open(dir, slog.Default(), prometheus.NewRegistry(), tsdb.DefaultOptions(), nil)
	if err != nil {
		return err
	}
	go func() { log.Fatal(http.ListenAndServe(address, nil)) }()
	sets := labelSets()
	start := time.Now().Add(-time.Hour)
	for round := range rounds {
		if err := add(db, sets, start.Add(time.Duration(round)*15*time.Second), float64(round)); err != nil {
			return errors.Join(err, db.Close())
		}
		if round == first {
			fmt.Printf("load is on: %d series\n", series)
		}
		if round >= first {
			time.Sleep(time.Second)
		}
	}
	return db.Close()
}

func labelSets() []labels.Labels {
	var sets []labels.Labels
	for i := range series {
		sets = append(sets, labels.FromStrings(
			"__name__", fmt.Sprintf("metric_%d_total", i%200),
			"instance", fmt.Sprintf("host-%d:9100", i/200),
			"job", "node",
			"mode", fmt.Sprint(i%7),
		))
	}
	return sets
}

// add adds a value to each series.
func add(db *tsdb.DB, sets []labels.Labels, at time.Time, factor float64) error {
	app := db.Appender(context.Background())
	for i, set := range sets {
		if _, err := app.Append(0, set, at.UnixMilli(), float64(i)*factor); err != nil {
			return errors.Join(err, app.Rollback())
		}
	}
	return app.Commit()
}
