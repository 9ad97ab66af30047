// Command informerlog writes down what client-go's shared informers tell their handlers, as the
// program informer-log does for this library: a line per notification in -log, and the informers'
// stores in -dump on SIGUSR1 and at the end. See tests/tools/informer_log.cpp.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// entry is a line of the log, in the order of its members.
type entry struct {
	T       int64  `json:"t"`
	Src     string `json:"src"`
	Type    string `json:"type"`
	Kind    string `json:"kind"`
	Key     string `json:"key"`
	UID     string `json:"uid"`
	RV      string `json:"rv"`
	OldRV   string `json:"oldRv"`
	Initial bool   `json:"initial"`
}

// object is a line of the dump.
type object struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
	UID  string `json:"uid"`
	RV   string `json:"rv"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "informerlog:", err)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// journal is the log: each line is one write, so that a killed process loses nothing.
type journal struct{ file *os.File }

func (j journal) write(line entry) {
	line.T, line.Src = time.Now().UnixNano(), "client-go"
	text := must(json.Marshal(line))
	must(j.file.Write(append(text, '\n')))
}

// kindOf is the object's own kind, or that of its Go type: typed objects come without one.
func kindOf(obj any) string {
	if known, ok := obj.(interface{ GetKind() string }); ok {
		return known.GetKind()
	}
	name := fmt.Sprintf("%T", obj)
	return name[strings.LastIndex(name, ".")+1:]
}

func describe(obj any) entry {
	meta := obj.(metav1.Object)
	return entry{Kind: kindOf(obj), Key: must(cache.MetaNamespaceKeyFunc(obj)), UID: string(meta.GetUID()), RV: meta.GetResourceVersion()}
}

func (j journal) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			line := describe(obj)
			line.Type, line.Initial = "add", initial
			j.write(line)
		},
		UpdateFunc: func(before, after any) {
			line := describe(after)
			line.Type, line.OldRV = "update", before.(metav1.Object).GetResourceVersion()
			j.write(line)
		},
		DeleteFunc: func(obj any) {
			kind := "delete"
			if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				kind, obj = "tombstone", unknown.Obj
			}
			line := describe(obj)
			line.Type = kind
			j.write(line)
		},
	}
}

func parseResource(text string) (schema.GroupVersionResource, error) {
	parts := strings.Split(text, "/")
	switch len(parts) {
	case 1:
		return schema.GroupVersionResource{Version: "v1", Resource: text}, nil
	case 3:
		return schema.GroupVersionResource{Group: parts[0], Version: parts[1], Resource: parts[2]}, nil
	}
	return schema.GroupVersionResource{}, fmt.Errorf("%q is neither PLURAL nor GROUP/VERSION/PLURAL", text)
}

// dump writes all stores, sorted; a reader sees the old file or the new one.
func dump(path string, watched []cache.SharedIndexInformer) {
	var all []object
	for _, informer := range watched {
		for _, obj := range informer.GetStore().List() {
			line := describe(obj)
			all = append(all, object{line.Kind, line.Key, line.UID, line.RV})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Kind != all[j].Kind {
			return all[i].Kind < all[j].Kind
		}
		return all[i].Key < all[j].Key
	})
	var text []byte
	for _, line := range all {
		text = append(append(text, must(json.Marshal(line))...), '\n')
	}
	check(os.WriteFile(path+".new", text, 0o644))
	check(os.Rename(path+".new", path))
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	logPath := flag.String("log", "", "file that gets a line per notification")
	dumpPath := flag.String("dump", "", "file that gets the stores")
	var resources []schema.GroupVersionResource
	flag.Func("resource", "PLURAL of the core group or GROUP/VERSION/PLURAL; may be repeated (default pods)", func(text string) error {
		resource, err := parseResource(text)
		resources = append(resources, resource)
		return err
	})
	flag.Parse()
	if *kubeconfig == "" || *logPath == "" || *dumpPath == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "informerlog: --kubeconfig, --log and --dump are needed, and nothing else but --resource")
		os.Exit(2)
	}
	if len(resources) == 0 {
		resources = append(resources, schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGINT)

	config := must(clientcmd.BuildConfigFromFlags("", *kubeconfig))
	typed := informers.NewSharedInformerFactory(must(kubernetes.NewForConfig(config)), 0)
	untyped := dynamicinformer.NewDynamicSharedInformerFactory(must(dynamic.NewForConfig(config)), 0)
	log := journal{must(os.OpenFile(*logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND|os.O_TRUNC, 0o644))}
	var watched []cache.SharedIndexInformer
	for _, resource := range resources {
		var informer cache.SharedIndexInformer
		if scheme.Scheme.IsVersionRegistered(resource.GroupVersion()) {
			informer = must(typed.ForResource(resource)).Informer()
		} else {
			informer = untyped.ForResource(resource).Informer()
		}
		must(informer.AddEventHandler(log.handler()))
		watched = append(watched, informer)
	}

	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, informer := range watched {
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	for (<-signals) == syscall.SIGUSR1 {
		dump(*dumpPath, watched)
	}
	cancel()
	running.Wait()
	dump(*dumpPath, watched)
}
