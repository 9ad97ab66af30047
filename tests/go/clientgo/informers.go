package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

func informerChecks(s *suite, watchList bool) {
	s.check("informer", sharedInformer)
	s.check("informer-many", informerMany)
	s.check("informer-selector", informerSelector)
	s.check("informer-all-kinds", informerAllKinds)
	s.check("metadata-informer", metadataInformer)
	s.check("informer-requests", func(s *suite, ns string) error { return informerRequests(s, ns, watchList) })
}

// eventually waits until a condition holds.
func eventually(s *suite, what string, condition func() bool) error {
	err := wait.PollUntilContextTimeout(s.ctx, 5*time.Millisecond, patience, true, func(context.Context) (bool, error) { return condition(), nil })
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// counter counts the callbacks of an informer.
type counter struct {
	sync.Mutex
	added, updated, deleted, initial int
}

func (c *counter) handler() cache.ResourceEventHandlerDetailedFuncs {
	count := func(what *int) { c.Lock(); *what++; c.Unlock() }
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(_ any, inInitialList bool) {
			count(&c.added)
			if inInitialList {
				count(&c.initial)
			}
		},
		UpdateFunc: func(any, any) { count(&c.updated) },
		DeleteFunc: func(any) { count(&c.deleted) },
	}
}

func (c *counter) is(added, updated, deleted int) func() bool {
	return func() bool {
		c.Lock()
		defer c.Unlock()
		return c.added == added && c.updated == updated && c.deleted == deleted
	}
}

// start runs a factory until the returned function is called.
func start(s *suite, factory informers.SharedInformerFactory) (func(), error) {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	factory.Start(ctx.Done())
	stop := func() { cancel(); factory.Shutdown() }
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			stop()
			return func() {}, fmt.Errorf("%v was not synced", kind)
		}
	}
	return stop, nil
}

func sharedInformer(s *suite, ns string) error {
	if err := threePods(s, ns); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithNamespace(ns))
	pods := factory.Core().V1().Pods()
	seen := &counter{}
	if _, err := pods.Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	stop, err := start(s, factory)
	defer stop()
	if err != nil {
		return err
	}
	if err = eventually(s, "initial adds", seen.is(3, 0, 0)); err != nil {
		return err
	}
	if list, err := pods.Lister().Pods(ns).List(labels.SelectorFromSet(labels.Set{"app": "web"})); err != nil || len(list) != 2 {
		return fmt.Errorf("lister: %v, %d pods", err, len(list))
	}
	client := s.client.CoreV1().Pods(ns)
	p, err := client.Get(s.ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	p.Labels["new"] = "yes"
	if _, err = client.Update(s.ctx, p, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err = client.Delete(s.ctx, "c", *metav1.NewDeleteOptions(0)); err != nil {
		return err
	}
	if err = createPods(s, ns, pod("d", "", nil)); err != nil {
		return err
	}
	return eventually(s, "changes", seen.is(4, 1, 1))
}

func informerMany(s *suite, ns string) error {
	if err := createMaps(s, ns, 120); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithNamespace(ns))
	maps := factory.Core().V1().ConfigMaps()
	seen := &counter{}
	if _, err := maps.Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	stop, err := start(s, factory)
	defer stop()
	if err != nil {
		return err
	}
	if err = eventually(s, "initial adds", seen.is(120, 0, 0)); err != nil {
		return err
	}
	if err = overflow(s, ns); err != nil {
		return err
	}
	return eventually(s, "updates", seen.is(121, historyOverflow, 0))
}

func informerSelector(s *suite, ns string) error {
	if err := threePods(s, ns); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithNamespace(ns),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.FieldSelector = "spec.nodeName=node-1" }))
	seen := &counter{}
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(seen.handler()); err != nil {
		return err
	}
	stop, err := start(s, factory)
	defer stop()
	if err != nil {
		return err
	}
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}
	if err = s.client.CoreV1().Pods(ns).Bind(s.ctx, binding, metav1.CreateOptions{}); err != nil {
		return err
	}
	return eventually(s, "the bound pod", seen.is(2, 0, 0))
}

func informerAllKinds(s *suite, ns string) error {
	factory := informers.NewSharedInformerFactory(s.client, 0)
	factory.Core().V1().Nodes().Informer()
	factory.Core().V1().Services().Informer()
	factory.Core().V1().Namespaces().Informer()
	factory.Core().V1().Events().Informer()
	factory.Apps().V1().Deployments().Informer()
	factory.Batch().V1().Jobs().Informer()
	factory.Networking().V1().Ingresses().Informer()
	factory.Discovery().V1().EndpointSlices().Informer()
	factory.Storage().V1().StorageClasses().Informer()
	factory.Rbac().V1().ClusterRoles().Informer()
	stop, err := start(s, factory)
	stop()
	return err
}

func metadataInformer(s *suite, ns string) error {
	if err := threePods(s, ns); err != nil {
		return err
	}
	factory := metadatainformer.NewFilteredSharedInformerFactory(s.metadata, 0, ns, nil)
	informer := factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer()
	seen := &counter{}
	if _, err := informer.AddEventHandler(seen.handler()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("not synced")
	}
	if err := s.client.CoreV1().Pods(ns).Delete(s.ctx, "a", *metav1.NewDeleteOptions(0)); err != nil {
		return err
	}
	return eventually(s, "the deletion", seen.is(3, 0, 1))
}

// informerRequests makes sure that the flag chose what it should: a list, or none.
func informerRequests(s *suite, ns string, watchList bool) error {
	lists, watches := 0, 0
	var mutex sync.Mutex
	listWatch := &cache.ListWatch{}
	maps := s.client.CoreV1().ConfigMaps(ns)
	listWatch.ListWithContextFunc = func(ctx context.Context, options metav1.ListOptions) (object runtimeObject, err error) {
		mutex.Lock()
		lists++
		mutex.Unlock()
		return maps.List(ctx, options)
	}
	listWatch.WatchFuncWithContext = func(ctx context.Context, options metav1.ListOptions) (watchInterface, error) {
		mutex.Lock()
		watches++
		mutex.Unlock()
		return maps.Watch(ctx, options)
	}
	informer := cache.NewSharedInformer(listWatch, &corev1.ConfigMap{}, 0)
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("not synced")
	}
	if err := eventually(s, "a watch", func() bool { mutex.Lock(); defer mutex.Unlock(); return watches > 0 }); err != nil {
		return err
	}
	mutex.Lock()
	defer mutex.Unlock()
	return wanted((lists == 0) == watchList, "%d lists with streaming lists %v", lists, watchList)
}
