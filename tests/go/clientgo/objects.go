package main

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"

	"context"
)

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func pod(name, node string, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.PodSpec{
			NodeName:   node,
			Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/app:1"}},
		},
	}
}

// wanted turns a surprise into an error.
func wanted(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func objectChecks(s *suite) {
	s.check("create-fills-metadata", createFillsMetadata)
	s.check("create-twice", createTwice)
	s.check("generate-name", generateName)
	s.check("get-absent", getAbsent)
	s.check("invalid-name", invalidName)
	s.check("update-conflict", updateConflict)
	s.check("status-subresource", statusSubresource)
	s.check("delete-preconditions", deletePreconditions)
	s.check("finalizers", finalizers)
	s.check("delete-collection", deleteCollection)
	s.check("dry-run", dryRun)
	s.check("typed-values", typedValues)
	s.check("leader-election", leaderElection)
	s.check("namespaces", namespaces)
}

func createFillsMetadata(s *suite, ns string) error {
	created, err := s.client.CoreV1().ConfigMaps(ns).Create(s.ctx, configMap("a", map[string]string{"k": "v"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if created.UID == "" || created.ResourceVersion == "" || created.CreationTimestamp.IsZero() {
		return fmt.Errorf("metadata is incomplete: %+v", created.ObjectMeta)
	}
	got, err := s.client.CoreV1().ConfigMaps(ns).Get(s.ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return wanted(got.Data["k"] == "v" && got.UID == created.UID, "got %+v", got)
}

func createTwice(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	if _, err := maps.Create(s.ctx, configMap("a", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := maps.Create(s.ctx, configMap("a", nil), metav1.CreateOptions{})
	return wanted(apierrors.IsAlreadyExists(err), "got %v", err)
}

func generateName(s *suite, ns string) error {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "gen-"}}
	created, err := s.client.CoreV1().ConfigMaps(ns).Create(s.ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return wanted(len(created.Name) == len("gen-")+5 && strings.HasPrefix(created.Name, "gen-"), "name %q", created.Name)
}

func getAbsent(s *suite, ns string) error {
	_, err := s.client.CoreV1().Pods(ns).Get(s.ctx, "none", metav1.GetOptions{})
	return wanted(apierrors.IsNotFound(err) && err.Error() == `pods "none" not found`, "got %v", err)
}

func invalidName(s *suite, ns string) error {
	_, err := s.client.CoreV1().ConfigMaps(ns).Create(s.ctx, configMap("Bad_Name", nil), metav1.CreateOptions{})
	return wanted(apierrors.IsInvalid(err), "got %v", err)
}

func updateConflict(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	first, err := maps.Create(s.ctx, configMap("a", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	stale := first.DeepCopy()
	first.Data = map[string]string{"n": "1"}
	second, err := maps.Update(s.ctx, first, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if second.ResourceVersion == stale.ResourceVersion {
		return fmt.Errorf("an update kept the resource version")
	}
	stale.Data = map[string]string{"n": "2"}
	if _, err = maps.Update(s.ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("stale update: %v", err)
	}
	same, err := maps.Update(s.ctx, second.DeepCopy(), metav1.UpdateOptions{})
	if err != nil || same.ResourceVersion != second.ResourceVersion {
		return fmt.Errorf("an update without a change: %v, version %s after %s", err, same.ResourceVersion, second.ResourceVersion)
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh, err := maps.Get(s.ctx, "a", metav1.GetOptions{})
		if err != nil {
			return err
		}
		fresh.Data["n"] = "3"
		_, err = maps.Update(s.ctx, fresh, metav1.UpdateOptions{})
		return err
	})
}

func statusSubresource(s *suite, ns string) error {
	pods := s.client.CoreV1().Pods(ns)
	withStatus := pod("p", "", nil)
	withStatus.Status.Phase = corev1.PodRunning
	created, err := pods.Create(s.ctx, withStatus, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if created.Status.Phase != corev1.PodPending {
		return fmt.Errorf("a create set the status: %q", created.Status.Phase)
	}
	created.Status.Phase = corev1.PodRunning
	created.Labels = map[string]string{"not": "by status"}
	updated, err := pods.UpdateStatus(s.ctx, created, metav1.UpdateOptions{})
	if err != nil || updated.Status.Phase != corev1.PodRunning {
		return fmt.Errorf("UpdateStatus: %v, phase %q", err, updated.Status.Phase)
	}
	updated.Status.Phase = corev1.PodFailed
	updated.Labels = map[string]string{"by": "update"}
	updated, err = pods.Update(s.ctx, updated, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return wanted(updated.Status.Phase == corev1.PodRunning && updated.Labels["by"] == "update", "got %+v", updated.Status)
}

func deletePreconditions(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	created, err := maps.Create(s.ctx, configMap("a", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	other := types.UID("another")
	err = maps.Delete(s.ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("wrong uid: %v", err)
	}
	background := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &background, Preconditions: &metav1.Preconditions{UID: &created.UID}}
	if err = maps.Delete(s.ctx, "a", options); err != nil {
		return err
	}
	err = maps.Delete(s.ctx, "a", metav1.DeleteOptions{})
	return wanted(apierrors.IsNotFound(err), "second delete: %v", err)
}

func finalizers(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	object := configMap("a", nil)
	object.Finalizers = []string{"example.com/wait"}
	if _, err := maps.Create(s.ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(s.ctx, "a", metav1.DeleteOptions{}); err != nil {
		return err
	}
	waiting, err := maps.Get(s.ctx, "a", metav1.GetOptions{})
	if err != nil || waiting.DeletionTimestamp == nil {
		return fmt.Errorf("with a finalizer: %v, deletionTimestamp %v", err, waiting.DeletionTimestamp)
	}
	waiting.Finalizers = nil
	if _, err = maps.Update(s.ctx, waiting, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = maps.Get(s.ctx, "a", metav1.GetOptions{})
	return wanted(apierrors.IsNotFound(err), "after the last finalizer: %v", err)
}

func deleteCollection(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	for i := range 6 {
		object := configMap(fmt.Sprintf("m-%d", i), nil)
		object.Labels = map[string]string{"parity": fmt.Sprint(i % 2)}
		if _, err := maps.Create(s.ctx, object, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := maps.DeleteCollection(s.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "parity=1"}); err != nil {
		return err
	}
	left, err := maps.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return wanted(len(left.Items) == 3, "%d are left", len(left.Items))
}

func dryRun(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	if _, err := maps.Create(s.ctx, configMap("a", nil), options); err != nil {
		return err
	}
	_, err := maps.Get(s.ctx, "a", metav1.GetOptions{})
	return wanted(apierrors.IsNotFound(err), "after a dry run: %v", err)
}

// Values whose protobuf form is unlike their JSON form.
func typedValues(s *suite, ns string) error {
	seconds := int64(7)
	object := pod("typed", "node-1", nil)
	object.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": quantity("250m"), "memory": quantity("64Mi")}
	object.Spec.Containers[0].LivenessProbe = probe("http", 5)
	object.Spec.TerminationGracePeriodSeconds = &seconds
	object.Spec.Tolerations = []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists, TolerationSeconds: &seconds}}
	created, err := s.client.CoreV1().Pods(ns).Create(s.ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	container := created.Spec.Containers[0]
	if container.Resources.Requests.Cpu().String() != "250m" || container.LivenessProbe.HTTPGet.Port.StrVal != "http" {
		return fmt.Errorf("got %+v", container)
	}
	if *created.Spec.TerminationGracePeriodSeconds != 7 || *created.Spec.Tolerations[0].TolerationSeconds != 7 {
		return fmt.Errorf("got %+v", created.Spec)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"blob": {0, 1, 2, 255}}}
	got, err := s.client.CoreV1().Secrets(ns).Create(s.ctx, secret, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return wanted(string(got.Data["blob"]) == "\x00\x01\x02\xff", "got %v", got.Data)
}

func leaderElection(s *suite, ns string) error {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: ns, Name: "leader"},
		Client:     s.client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	ctx, cancel := context.WithTimeout(s.ctx, 20*time.Second)
	defer cancel()
	led := false
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true,
		LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; cancel() },
			OnStoppedLeading: func() {},
		},
	})
	return wanted(led, "never led")
}

func namespaces(s *suite, ns string) error {
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns}}
	created, err := s.client.CoreV1().Namespaces().Create(s.ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return wanted(created.Status.Phase == corev1.NamespaceActive && created.Labels["kubernetes.io/metadata.name"] == ns, "got %+v", created)
}
