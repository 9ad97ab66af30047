package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
)

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	crontabs    = schema.GroupVersionResource{Group: "stable.example.com", Version: "v1", Resource: "crontabs"}
)

func customChecks(s *suite) {
	s.check("version", func(s *suite, _ string) error {
		version, err := s.client.Discovery().ServerVersion()
		return wanted(err == nil && version.Major == "1", "%v", err)
	})
	s.check("discovery", discover(false))
	s.check("discovery-legacy", discover(true))
	s.check("definition", define)
	s.check("rest-mapper", restMapper)
	s.check("dynamic-client", dynamicClient)
	s.check("dynamic-informer", dynamicInformer)
}

func discover(legacy bool) func(s *suite, ns string) error {
	return func(s *suite, _ string) error {
		client, err := discovery.NewDiscoveryClientForConfig(s.config)
		if err != nil {
			return err
		}
		client.UseLegacyDiscovery = legacy
		groups, resources, err := client.ServerGroupsAndResources()
		if err != nil {
			return err
		}
		found := map[string]metav1.APIResource{}
		for _, list := range resources {
			for _, resource := range list.APIResources {
				found[list.GroupVersion+"/"+resource.Name] = resource
			}
		}
		pods := found["v1/pods"]
		if pods.Kind != "Pod" || !pods.Namespaced || len(pods.ShortNames) != 1 || len(pods.Verbs) != 8 {
			return fmt.Errorf("pods: %+v", pods)
		}
		return wanted(found["apps/v1/deployments/status"].Kind == "Deployment" && len(groups) > 15, "%d groups", len(groups))
	}
}

func define(s *suite, _ string) error {
	anything := map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "crontabs.stable.example.com"},
		"spec": map[string]any{
			"group": "stable.example.com", "scope": "Namespaced",
			"names": map[string]any{"kind": "CronTab", "plural": "crontabs", "singular": "crontab", "shortNames": []any{"ct"}},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": anything}, "subresources": map[string]any{"status": map[string]any{}}}},
		},
	}}
	if _, err := s.dynamic.Resource(definitions).Create(s.ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	return eventually(s, "Established", func() bool {
		got, err := s.dynamic.Resource(definitions).Get(s.ctx, definition.GetName(), metav1.GetOptions{})
		if err != nil {
			return false
		}
		conditions, _, _ := unstructured.NestedSlice(got.Object, "status", "conditions")
		for _, condition := range conditions {
			c := condition.(map[string]any)
			if c["type"] == "Established" && c["status"] == "True" {
				return true
			}
		}
		return false
	})
}

func restMapper(s *suite, _ string) error {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(s.client.Discovery()))
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "stable.example.com", Kind: "CronTab"})
	if err != nil {
		return err
	}
	if mapping.Resource != crontabs || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return fmt.Errorf("crontabs: %+v", mapping)
	}
	nodes, err := mapper.RESTMapping(schema.GroupKind{Kind: "Node"}, "v1")
	if err != nil {
		return err
	}
	return wanted(nodes.Scope.Name() == meta.RESTScopeNameRoot, "nodes: %+v", nodes)
}

func cronTab(name string, replicas int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"cronSpec": "* * * * */5", "replicas": replicas},
	}}
}

func dynamicClient(s *suite, ns string) error {
	client := s.dynamic.Resource(crontabs).Namespace(ns)
	created, err := client.Create(s.ctx, cronTab("c", 1), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if created.GetGeneration() != 1 {
		return fmt.Errorf("generation %d", created.GetGeneration())
	}
	patched, err := client.Patch(s.ctx, "c", types.MergePatchType, []byte(`{"spec":{"replicas":2}}`), metav1.PatchOptions{})
	if err != nil || patched.GetGeneration() != 2 {
		return fmt.Errorf("patch: %v, generation %d", err, patched.GetGeneration())
	}
	if err = unstructured.SetNestedField(patched.Object, "ok", "status", "health"); err != nil {
		return err
	}
	updated, err := client.UpdateStatus(s.ctx, patched, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	health, _, _ := unstructured.NestedString(updated.Object, "status", "health")
	if health != "ok" || updated.GetGeneration() != 2 {
		return fmt.Errorf("status %q, generation %d", health, updated.GetGeneration())
	}
	if _, err = client.Patch(s.ctx, "c", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{}); err == nil {
		return fmt.Errorf("a strategic merge patch of a custom resource was taken")
	}
	applied, err := client.Apply(s.ctx, "d", cronTab("d", 3), metav1.ApplyOptions{FieldManager: "me"})
	if err != nil || applied.GetUID() == "" {
		return fmt.Errorf("apply: %v", err)
	}
	list, err := client.List(s.ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	if list.GetKind() != "CronTabList" || len(list.Items) != 1 || list.GetContinue() == "" || list.Items[0].GetKind() != "CronTab" {
		return fmt.Errorf("list: %+v", list.Object)
	}
	return client.Delete(s.ctx, "c", metav1.DeleteOptions{})
}

func dynamicInformer(s *suite, ns string) error {
	client := s.dynamic.Resource(crontabs).Namespace(ns)
	if _, err := client.Create(s.ctx, cronTab("c", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.dynamic, 0, ns, nil)
	informer := factory.ForResource(crontabs).Informer()
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
	if _, err := client.Create(s.ctx, cronTab("d", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := client.Delete(s.ctx, "c", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return eventually(s, "changes", seen.is(2, 0, 1))
}
