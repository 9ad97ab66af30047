package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

// historyOverflow is more events than the server keeps.
const historyOverflow = 400

func listChecks(s *suite) {
	s.check("list-pages", listPages)
	s.check("pager", pagerLists)
	s.check("pager-expired", pagerExpired)
	s.check("list-snapshot", listSnapshot)
	s.check("list-versions", listVersions)
	s.check("label-selectors", labelSelectors)
	s.check("field-selectors", fieldSelectors)
	s.check("metadata-client", metadataClient)
}

func createMaps(s *suite, ns string, count int) error {
	for i := range count {
		if _, err := s.client.CoreV1().ConfigMaps(ns).Create(s.ctx, configMap(fmt.Sprintf("m-%03d", i), nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// overflow writes so much that older resource versions expire.
func overflow(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	object, err := maps.Create(s.ctx, configMap("overflow", nil), metav1.CreateOptions{})
	for i := 0; err == nil && i < historyOverflow; i++ {
		object.Data = map[string]string{"i": fmt.Sprint(i)}
		object, err = maps.Update(s.ctx, object, metav1.UpdateOptions{})
	}
	return err
}

func listPages(s *suite, ns string) error {
	if err := createMaps(s, ns, 10); err != nil {
		return err
	}
	maps := s.client.CoreV1().ConfigMaps(ns)
	options := metav1.ListOptions{Limit: 4}
	var names []string
	for page := 0; ; page++ {
		list, err := maps.List(s.ctx, options)
		if err != nil {
			return err
		}
		for _, item := range list.Items {
			names = append(names, item.Name)
		}
		if page == 0 && (list.RemainingItemCount == nil || *list.RemainingItemCount != 6) {
			return fmt.Errorf("remainingItemCount of page 1: %v", list.RemainingItemCount)
		}
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	return wanted(len(names) == 10 && names[0] == "m-000" && names[9] == "m-009", "names %v", names)
}

func listMaps(s *suite, ns string) pager.ListPageFunc {
	return func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return s.client.CoreV1().ConfigMaps(ns).List(ctx, options)
	}
}

func pagerLists(s *suite, ns string) error {
	if err := createMaps(s, ns, 25); err != nil {
		return err
	}
	p := pager.New(listMaps(s, ns))
	p.PageSize = 10
	list, paged, err := p.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if !paged || meta.LenList(list) != 25 {
		return fmt.Errorf("paged %v, %d items", paged, meta.LenList(list))
	}
	// Servers answer "0" from their cache, whatever the limit.
	list, paged, err = p.List(s.ctx, metav1.ListOptions{ResourceVersion: "0"})
	return wanted(err == nil && !paged && meta.LenList(list) == 25, "at 0: %v, paged %v", err, paged)
}

func pagerExpired(s *suite, ns string) error {
	if err := createMaps(s, ns, 25); err != nil {
		return err
	}
	pages := 0
	p := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		if pages++; pages == 2 {
			if err := overflow(s, ns); err != nil {
				return nil, err
			}
		}
		return listMaps(s, ns)(ctx, options)
	})
	p.PageSize = 10
	list, _, err := p.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	// The second page expired: the pager lists anew and whole.
	return wanted(pages == 3 && meta.LenList(list) == 26, "%d pages, %d items", pages, meta.LenList(list))
}

func listSnapshot(s *suite, ns string) error {
	if err := createMaps(s, ns, 6); err != nil {
		return err
	}
	maps := s.client.CoreV1().ConfigMaps(ns)
	first, err := maps.List(s.ctx, metav1.ListOptions{Limit: 3})
	if err != nil {
		return err
	}
	if err = maps.Delete(s.ctx, "m-005", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if _, err = maps.Create(s.ctx, configMap("m-004a", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	second, err := maps.List(s.ctx, metav1.ListOptions{Limit: 3, Continue: first.Continue})
	if err != nil {
		return err
	}
	if len(second.Items) != 3 || second.Items[2].Name != "m-005" || second.ResourceVersion != first.ResourceVersion {
		return fmt.Errorf("page 2 is not of the same state: %d items, version %s", len(second.Items), second.ResourceVersion)
	}
	exact, err := maps.List(s.ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	return wanted(err == nil && len(exact.Items) == 6 && exact.Items[5].Name == "m-005", "exact list: %v", err)
}

func listVersions(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	// The answer asks to come again after a second: no retries, for the sake of time.
	err := s.client.CoreV1().RESTClient().Get().Namespace(ns).Resource("configmaps").
		Param("resourceVersion", "999999999").MaxRetries(0).Do(s.ctx).Error()
	if !apierrors.IsTimeout(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return fmt.Errorf("a version of the future: %v", err)
	}
	first, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err = overflow(s, ns); err != nil {
		return err
	}
	_, err = maps.List(s.ctx, metav1.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	if !apierrors.IsResourceExpired(err) {
		return fmt.Errorf("an expired version: %v", err)
	}
	_, err = maps.List(s.ctx, metav1.ListOptions{Continue: "nonsense"})
	return wanted(apierrors.IsBadRequest(err), "a bad continue token: %v", err)
}

func createPods(s *suite, ns string, pods ...*corev1.Pod) error {
	for _, p := range pods {
		if _, err := s.client.CoreV1().Pods(ns).Create(s.ctx, p, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func selectorChecks(s *suite, ns string, cases map[string]int, options func(selector string) metav1.ListOptions) error {
	for selector, count := range cases {
		list, err := s.client.CoreV1().Pods(ns).List(s.ctx, options(selector))
		if err != nil {
			return fmt.Errorf("%s: %w", selector, err)
		}
		if len(list.Items) != count {
			return fmt.Errorf("%s: %d items, not %d", selector, len(list.Items), count)
		}
	}
	return nil
}

func threePods(s *suite, ns string) error {
	return createPods(s, ns,
		pod("a", "node-1", map[string]string{"app": "web", "tier": "front", "n": "1"}),
		pod("b", "node-2", map[string]string{"app": "web", "n": "5"}),
		pod("c", "", map[string]string{"app": "db"}))
}

func labelSelectors(s *suite, ns string) error {
	if err := threePods(s, ns); err != nil {
		return err
	}
	cases := map[string]int{
		"": 3, "app=web": 2, "app==web": 2, "app!=web": 1, "tier": 1, "!tier": 2, "app in (web, db)": 3,
		"app notin (web)": 1, "tier notin (front)": 2, "n>1": 1, "n<5": 1, "app=web,tier=front": 1, "app=none": 0,
	}
	err := selectorChecks(s, ns, cases, func(selector string) metav1.ListOptions { return metav1.ListOptions{LabelSelector: selector} })
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Pods(ns).List(s.ctx, metav1.ListOptions{LabelSelector: "a b"})
	return wanted(apierrors.IsBadRequest(err), "a bad selector: %v", err)
}

func fieldSelectors(s *suite, ns string) error {
	if err := threePods(s, ns); err != nil {
		return err
	}
	cases := map[string]int{
		"metadata.name=a": 1, "metadata.name!=a": 2, "metadata.namespace=" + ns: 3, "spec.nodeName=node-1": 1,
		"spec.nodeName=": 1, "status.phase=Pending": 3, "spec.nodeName!=,status.phase=Pending": 2,
	}
	err := selectorChecks(s, ns, cases, func(selector string) metav1.ListOptions { return metav1.ListOptions{FieldSelector: selector} })
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Pods(ns).List(s.ctx, metav1.ListOptions{FieldSelector: "spec.none=1"})
	return wanted(apierrors.IsBadRequest(err), "an unknown field: %v", err)
}

func metadataClient(s *suite, ns string) error {
	if err := threePods(s, ns); err != nil {
		return err
	}
	pods := s.metadata.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(ns)
	list, err := pods.List(s.ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 3 || list.Items[0].Labels["app"] != "web" {
		return fmt.Errorf("list: %v", err)
	}
	one, err := pods.Get(s.ctx, "b", metav1.GetOptions{})
	return wanted(err == nil && one.Name == "b" && one.Labels["n"] == "5", "get: %v", err)
}
