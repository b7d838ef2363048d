// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Informer is a Kubernetes controller, for servers.bash. It has an informer of
// 5,000 pods, an index and a work queue. Its API server is client-go's fake
// one, in the same process. The program serves net/http/pprof.
//
//	informer 127.0.0.1:6060
//
// It prints "load is on" when it knows all pods, and ends after a minute.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	pods  = 5_000
	nodes = 200
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("informer: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: informer 127.0.0.1:6060")
	}
	go func() { log.Fatal(http.ListenAndServe(os.Args[1], nil)) }()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client := fake.NewClientset()
	c := newController()
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods().Informer()
	if err := informer.AddIndexers(cache.Indexers{"node": byNode}); err != nil {
		return err
	}
	if _, err := informer.AddEventHandler(c); err != nil {
		return err
	}
	for i := range pods {
		if _, err := client.CoreV1().Pods("default").Create(ctx, newPod(i), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	stop := make(chan struct{})
	defer factory.Shutdown() // runs after stop is closed
	defer close(stop)
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	fmt.Printf("load is on: %d pods\n", len(informer.GetStore().List()))
	go c.work()
	defer c.queue.ShutDown()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return change(ctx, client)
}

func byNode(object any) ([]string, error) {
	return []string{object.(*corev1.Pod).Spec.NodeName}, nil
}

func newPod(n int) *corev1.Pod {
	name := fmt.Sprintf("pod-%d", n)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Namespace:   "default",
			Labels:      map[string]string{"app": fmt.Sprintf("app-%d", n%100), "pod": name},
			Annotations: map[string]string{"checksum": fmt.Sprintf("%064d", n)},
		},
		Spec: corev1.PodSpec{
			NodeName:   fmt.Sprintf("node-%d", n%nodes),
			Containers: []corev1.Container{{Name: "main", Image: "example/app:" + name, Args: []string{"-name", name}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: fmt.Sprintf("10.0.%d.%d", n/256, n%256)},
	}
}

// change changes pods until the time is over.
func change(ctx context.Context, client kubernetes.Interface) error {
	for ctx.Err() == nil {
		pod := newPod(rand.N(pods))
		pod.Status.Message = fmt.Sprint(rand.Int())
		if _, err := client.CoreV1().Pods("default").Update(ctx, pod, metav1.UpdateOptions{}); err != nil && ctx.Err() == nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// A controller counts the changes of each pod.
type controller struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	changes map[string]int
}

func newController() *controller {
	return &controller{
		queue:   workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		changes: make(map[string]int),
	}
}

func (c *controller) OnAdd(object any, _ bool) { c.add(object) }
func (c *controller) OnUpdate(_, object any)   { c.add(object) }
func (c *controller) OnDelete(object any)      { c.add(object) }

func (c *controller) add(object any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(key)
	}
}

func (c *controller) work() {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		c.changes[key]++
		c.queue.Done(key)
	}
}
