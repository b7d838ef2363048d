// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Parca runs Parca's server, which scrapes a program that has profiles. The
// server gets the profiles through a proxy, which keeps them. Then the profiles
// that the server returns to queries are compared with those that it has
// scraped: they must have the same stacks and values. The server must have no
// labels of samples, because the configuration has labels=none.
//
//	parca SERVER CONFIG PROGRAM [ARGUMENT...]
//
// CONFIG is the configuration of doc/collectors.md, with the address
// 127.0.0.1:6060. PROGRAM prints the address of its profiles, and runs until the
// end of its standard input.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	pb "github.com/parca-dev/parca/gen/proto/go/parca/query/v1alpha1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("usage: parca SERVER CONFIG PROGRAM [ARGUMENT...]")
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal(err)
	}
}

func run(server, config string, program []string) error {
	dir, err := os.MkdirTemp("", "parca")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address, stop, err := startProgram(program)
	if err != nil {
		return err
	}
	defer stop()
	scraped, proxy, err := startProxy(address)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "parca.yaml")
	if err := adapt(config, file, proxy); err != nil {
		return err
	}
	api, stop, err := startServer(server, file, dir)
	if err != nil {
		return err
	}
	defer stop()
	connection, err := grpc.NewClient(api, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	return compare(ctx, pb.NewQueryServiceClient(connection), scraped)
}

// startProgram starts the program and returns the address that it prints.
func startProgram(program []string) (address string, stop func(), err error) {
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		in.Close()
		cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%s prints no address: %w", program[0], err)
	}
	return strings.TrimSpace(line), stop, nil
}

// startServer starts Parca's server and returns the address of its API.
func startServer(server, config, dir string) (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address = l.Addr().String()
	l.Close()
	cmd := exec.Command(server, "--config-path="+config, "--http-address="+address, "--storage-path="+dir,
		"--debuginfo-cache-dir="+dir, "--debuginfod-upstream-servers=127.0.0.1:1", "--log-level=warn")
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	return address, func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}, nil
}

var interval = regexp.MustCompile(`scrape_interval: \S+`)

// adapt writes the configuration to a file, with another address and a short
// interval.
func adapt(config, file, address string) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	s := string(text)
	if strings.Count(s, "127.0.0.1:6060") != 1 || len(interval.FindAllString(s, -1)) != 1 {
		return fmt.Errorf("%s: want one target, 127.0.0.1:6060, and one interval:\n%s", config, s)
	}
	s = strings.Replace(s, "127.0.0.1:6060", address, 1)
	return os.WriteFile(file, []byte(interval.ReplaceAllString(s, "scrape_interval: 3s")), 0o666)
}

// wanted are the profiles of the configuration and their types in Parca.
var wanted = map[string]string{
	"refs":  "refs:live_space:bytes:space:bytes",
	"inuse": "inuse:inuse_space:bytes:space:bytes",
}

func compare(ctx context.Context, api pb.QueryServiceClient, scraped *scrapes) error {
	for {
		err := listed(ctx, api)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	var errs []error
	for name, query := range wanted {
		if err := compareType(ctx, api, scraped, name, query); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", query, err))
		}
	}
	return errors.Join(append(errs, labels(ctx, api))...)
}

// listed returns an error unless Parca lists all types.
func listed(ctx context.Context, api pb.QueryServiceClient) error {
	resp, err := api.ProfileTypes(ctx, &pb.ProfileTypesRequest{})
	if err != nil {
		return err
	}
	var types []string
	for _, t := range resp.Types {
		types = append(types, strings.Join([]string{t.Name, t.SampleType, t.SampleUnit, t.PeriodType, t.PeriodUnit}, ":"))
	}
	for _, t := range wanted {
		if !slices.Contains(types, t) {
			return fmt.Errorf("Parca has no type %s, but %s", t, types)
		}
	}
	return nil
}

// labels returns an error if Parca has labels of samples.
func labels(ctx context.Context, api pb.QueryServiceClient) error {
	resp, err := api.Labels(ctx, &pb.LabelsRequest{})
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(resp.LabelNames, func(name string) bool { return name == "job" || name == "instance" })
	if len(names) > 0 {
		return fmt.Errorf("Parca has the labels %s", names)
	}
	return nil
}

// compareType compares the profiles of a type in Parca with those that were
// scraped.
func compareType(ctx context.Context, api pb.QueryServiceClient, scraped *scrapes, name, query string) error {
	now := time.Now()
	resp, err := api.QueryRange(ctx, &pb.QueryRangeRequest{
		Query: query, Start: timestamppb.New(now.Add(-time.Hour)), End: timestamppb.New(now.Add(time.Minute)),
	})
	if err != nil {
		return err
	}
	if len(resp.Series) != 1 || len(resp.Series[0].Samples) == 0 {
		return fmt.Errorf("%d series", len(resp.Series))
	}
	for _, point := range resp.Series[0].Samples {
		body, ok := scraped.at(name, point.Timestamp.AsTime().UnixMilli())
		if !ok {
			return fmt.Errorf("nothing scraped is of %v", point.Timestamp.AsTime())
		}
		answer, err := api.Query(ctx, &pb.QueryRequest{
			Mode:       pb.QueryRequest_MODE_SINGLE_UNSPECIFIED,
			Options:    &pb.QueryRequest_Single{Single: &pb.SingleProfile{Query: query, Time: point.Timestamp}},
			ReportType: pb.QueryRequest_REPORT_TYPE_PPROF,
		})
		if err != nil {
			return err
		}
		want, err := stacks(body, strings.Split(query, ":")[1])
		if err != nil {
			return err
		}
		have, err := stacks(answer.GetPprof(), "")
		if err != nil {
			return err
		}
		if err := same(have, want, point.Value); err != nil {
			return err
		}
		log.Printf("%s at %v: %d bytes in %d stacks, as scraped", query, point.Timestamp.AsTime(), point.Value, len(have))
	}
	return nil
}

// startProxy starts a proxy for the profiles at an address.
func startProxy(address string) (*scrapes, string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	s := newScrapes(address)
	go http.Serve(l, s)
	return s, l.Addr().String(), nil
}
