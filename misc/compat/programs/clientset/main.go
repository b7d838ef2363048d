// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Clientset creates, watches and lists pods with client-go's fake clientset, as
// tests of Kubernetes controllers do.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
)

func main() {
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client := fake.NewClientset(pod("first"))
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	added := make(chan string, 10)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { added <- o.(*core.Pod).Name },
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	if _, err := client.CoreV1().Pods("space").Create(ctx, pod("second"), meta.CreateOptions{}); err != nil {
		return err
	}
	for _, want := range []string{"first", "second"} {
		select {
		case name := <-added:
			if name != want {
				return fmt.Errorf("the informer has %s, want %s", name, want)
			}
		case <-ctx.Done():
			return fmt.Errorf("the informer lacks %s", want)
		}
	}
	list, err := client.CoreV1().Pods("space").List(ctx, meta.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		return fmt.Errorf("%d pods, want 2: %v", len(list.Items), err)
	}
	return nil
}

func pod(name string) *core.Pod {
	return &core.Pod{ObjectMeta: meta.ObjectMeta{Name: name, Namespace: "space"}}
}
