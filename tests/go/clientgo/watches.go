package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	toolswatch "k8s.io/client-go/tools/watch"
)

const patience = 20 * time.Second

func watchChecks(s *suite) {
	s.check("watch-from-version", watchFromVersion)
	s.check("watch-initial-state", watchInitialState)
	s.check("watch-streaming-list", watchStreamingList)
	s.check("watch-selector", watchSelector)
	s.check("watch-bookmarks", watchBookmarks)
	s.check("watch-timeout", watchTimeout)
	s.check("watch-expired", watchExpired)
	s.check("watch-name", watchName)
	s.check("retry-watcher", retryWatcher)
}

// next waits for an event of a type and, unless it is empty, a name.
func next(w watch.Interface, kind watch.EventType, name string) (watch.Event, error) {
	select {
	case event, open := <-w.ResultChan():
		if !open {
			return event, fmt.Errorf("the watch ended, %s %s was expected", kind, name)
		}
		if event.Type != kind {
			return event, fmt.Errorf("%s %+v in place of %s %s", event.Type, event.Object, kind, name)
		}
		if object, ok := event.Object.(metav1.Object); ok && name != "" && object.GetName() != name {
			return event, fmt.Errorf("%s %s in place of %s", kind, object.GetName(), name)
		}
		return event, nil
	case <-time.After(patience):
		return watch.Event{}, fmt.Errorf("no event, %s %s was expected", kind, name)
	}
}

func expect(w watch.Interface, events ...string) error {
	for i := 0; i < len(events); i += 2 {
		if _, err := next(w, watch.EventType(events[i]), events[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func watchFromVersion(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	list, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err = createMaps(s, ns, 2); err != nil {
		return err
	}
	w, err := maps.Watch(s.ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer w.Stop()
	if err = expect(w, "ADDED", "m-000", "ADDED", "m-001"); err != nil {
		return err
	}
	changed, err := maps.Update(s.ctx, configMap("m-000", map[string]string{"k": "v"}), metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	event, err := next(w, watch.Modified, "m-000")
	if err != nil {
		return err
	}
	if event.Object.(*corev1.ConfigMap).ResourceVersion != changed.ResourceVersion {
		return fmt.Errorf("the event has another version than the answer")
	}
	if err = maps.Delete(s.ctx, "m-001", metav1.DeleteOptions{}); err != nil {
		return err
	}
	event, err = next(w, watch.Deleted, "m-001")
	if err != nil {
		return err
	}
	gone := event.Object.(*corev1.ConfigMap)
	return wanted(gone.ResourceVersion > changed.ResourceVersion, "a deletion's version %s after %s", gone.ResourceVersion, changed.ResourceVersion)
}

func watchInitialState(s *suite, ns string) error {
	if err := createMaps(s, ns, 3); err != nil {
		return err
	}
	for _, version := range []string{"", "0"} {
		w, err := s.client.CoreV1().ConfigMaps(ns).Watch(s.ctx, metav1.ListOptions{ResourceVersion: version})
		if err != nil {
			return err
		}
		err = expect(w, "ADDED", "m-000", "ADDED", "m-001", "ADDED", "m-002")
		w.Stop()
		if err != nil {
			return fmt.Errorf("at %q: %w", version, err)
		}
	}
	return nil
}

func streamingList() metav1.ListOptions {
	yes := true
	return metav1.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
}

func watchStreamingList(s *suite, ns string) error {
	if err := createMaps(s, ns, 2); err != nil {
		return err
	}
	maps := s.client.CoreV1().ConfigMaps(ns)
	w, err := maps.Watch(s.ctx, streamingList())
	if !s.streams {
		return wanted(apierrors.IsInvalid(err), "without the feature: %v", err)
	}
	if err != nil {
		return err
	}
	defer w.Stop()
	if err = expect(w, "ADDED", "m-000", "ADDED", "m-001"); err != nil {
		return err
	}
	event, err := next(w, watch.Bookmark, "")
	if err != nil {
		return err
	}
	bookmark := event.Object.(*corev1.ConfigMap)
	if bookmark.Annotations[metav1.InitialEventsAnnotationKey] != "true" || bookmark.ResourceVersion == "" {
		return fmt.Errorf("the bookmark: %+v", bookmark.ObjectMeta)
	}
	options := streamingList()
	options.ResourceVersionMatch = ""
	_, err = maps.Watch(s.ctx, options)
	return wanted(apierrors.IsInvalid(err), "without a match: %v", err)
}

func watchSelector(s *suite, ns string) error {
	pods := s.client.CoreV1().Pods(ns)
	w, err := pods.Watch(s.ctx, metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		return err
	}
	defer w.Stop()
	if err = createPods(s, ns, pod("other", "", nil), pod("p", "", nil)); err != nil {
		return err
	}
	label := func(value string) error {
		p, err := pods.Get(s.ctx, "p", metav1.GetOptions{})
		if err != nil {
			return err
		}
		p.Labels = map[string]string{"app": value}
		_, err = pods.Update(s.ctx, p, metav1.UpdateOptions{})
		return err
	}
	if err = label("web"); err != nil {
		return err
	}
	if err = expect(w, "ADDED", "p"); err != nil {
		return err
	}
	if err = label("db"); err != nil {
		return err
	}
	event, err := next(w, watch.Deleted, "p")
	if err != nil {
		return err
	}
	// The state that was selected last, not the one that left the selection.
	if event.Object.(*corev1.Pod).Labels["app"] != "web" {
		return fmt.Errorf("the deletion shows labels %v", event.Object.(*corev1.Pod).Labels)
	}
	if err = label("web"); err != nil {
		return err
	}
	if err = pods.Delete(s.ctx, "p", *metav1.NewDeleteOptions(0)); err != nil {
		return err
	}
	return expect(w, "ADDED", "p", "DELETED", "p")
}

func watchBookmarks(s *suite, ns string) error {
	seconds := int64(4)
	maps := s.client.CoreV1().ConfigMaps(ns)
	list, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	w, err := maps.Watch(s.ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &seconds})
	if err != nil {
		return err
	}
	defer w.Stop()
	event, err := next(w, watch.Bookmark, "")
	if err != nil {
		return err
	}
	return wanted(event.Object.(*corev1.ConfigMap).ResourceVersion != "", "a bookmark without a version")
}

func watchTimeout(s *suite, ns string) error {
	seconds := int64(1)
	w, err := s.client.CoreV1().ConfigMaps(ns).Watch(s.ctx, metav1.ListOptions{TimeoutSeconds: &seconds})
	if err != nil {
		return err
	}
	defer w.Stop()
	select {
	case event, open := <-w.ResultChan():
		return wanted(!open, "%s in place of the end", event.Type)
	case <-time.After(patience):
		return fmt.Errorf("timeoutSeconds did not end the watch")
	}
}

func watchExpired(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	list, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err = overflow(s, ns); err != nil {
		return err
	}
	w, err := maps.Watch(s.ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return fmt.Errorf("the watch was refused: %w", err)
	}
	defer w.Stop()
	event, err := next(w, watch.Error, "")
	if err != nil {
		return err
	}
	err = apierrors.FromObject(event.Object)
	return wanted(apierrors.IsResourceExpired(err), "the error event: %v", err)
}

func watchName(s *suite, ns string) error {
	w, err := s.client.CoreV1().ConfigMaps(ns).Watch(s.ctx, metav1.SingleObject(metav1.ObjectMeta{Name: "m-001"}))
	if err != nil {
		return err
	}
	defer w.Stop()
	if err = createMaps(s, ns, 3); err != nil {
		return err
	}
	return expect(w, "ADDED", "m-001")
}

func retryWatcher(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	list, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	seconds := int64(1)
	w, err := toolswatch.NewRetryWatcherWithContext(s.ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.TimeoutSeconds = &seconds
			return maps.Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer w.Stop()
	for i := range 3 {
		name := fmt.Sprintf("r-%d", i)
		if _, err = maps.Create(s.ctx, configMap(name, nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		if err = expect(w, "ADDED", name); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
	return nil
}
