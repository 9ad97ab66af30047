package main

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
)

func patchChecks(s *suite) {
	s.check("json-patch", jsonPatch)
	s.check("merge-patch", mergePatch)
	s.check("strategic-merge-patch", strategicMergePatch)
	s.check("apply", serverSideApply)
	s.check("apply-extract", applyExtract)
}

func jsonPatch(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	if _, err := maps.Create(s.ctx, configMap("a", map[string]string{"old": "1"}), metav1.CreateOptions{}); err != nil {
		return err
	}
	patch := `[{"op":"test","path":"/data/old","value":"1"},{"op":"add","path":"/data/new","value":"2"},{"op":"remove","path":"/data/old"}]`
	got, err := maps.Patch(s.ctx, "a", types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if len(got.Data) != 1 || got.Data["new"] != "2" {
		return fmt.Errorf("got %v", got.Data)
	}
	_, err = maps.Patch(s.ctx, "a", types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	return wanted(apierrors.IsInvalid(err), "a failed test: %v", err)
}

func mergePatch(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	created, err := maps.Create(s.ctx, configMap("a", map[string]string{"old": "1"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	got, err := maps.Patch(s.ctx, "a", types.MergePatchType, []byte(`{"data":{"old":null,"new":"2"}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if len(got.Data) != 1 || got.Data["new"] != "2" {
		return fmt.Errorf("got %v", got.Data)
	}
	stale := fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"data":{"x":"y"}}`, created.ResourceVersion)
	_, err = maps.Patch(s.ctx, "a", types.MergePatchType, []byte(stale), metav1.PatchOptions{})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale patch: %v", err)
	}
	_, err = maps.Patch(s.ctx, "none", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	return wanted(apierrors.IsNotFound(err), "a patch of nothing: %v", err)
}

func strategicMergePatch(s *suite, ns string) error {
	pods := s.client.CoreV1().Pods(ns)
	object := pod("p", "", nil)
	object.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}
	if _, err := pods.Create(s.ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	patch := `{"spec":{"containers":[{"name":"main","image":"other","env":[{"name":"A","$patch":"delete"},{"name":"C","value":"3"}]},{"name":"side","image":"s"}]}}`
	got, err := pods.Patch(s.ctx, "p", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	containers := got.Spec.Containers
	if len(containers) != 2 || containers[0].Image != "other" || containers[1].Name != "side" {
		return fmt.Errorf("got %+v", containers)
	}
	env := containers[0].Env
	return wanted(len(env) == 2 && env[0].Name == "B" && env[1].Name == "C", "got %+v", env)
}

func serverSideApply(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	mine := metav1.ApplyOptions{FieldManager: "first"}
	config := applycorev1.ConfigMap("a", ns).WithData(map[string]string{"shared": "1", "mine": "x"})
	if _, err := maps.Apply(s.ctx, config, mine); err != nil {
		return err
	}
	other := applycorev1.ConfigMap("a", ns).WithData(map[string]string{"shared": "2"})
	_, err := maps.Apply(s.ctx, other, metav1.ApplyOptions{FieldManager: "second"})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a conflict: %v", err)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || len(status.Status().Details.Causes) != 1 ||
		status.Status().Details.Causes[0].Type != metav1.CauseTypeFieldManagerConflict {
		return fmt.Errorf("the conflict's causes: %+v", err)
	}
	got, err := maps.Apply(s.ctx, other, metav1.ApplyOptions{FieldManager: "second", Force: true})
	if err != nil || got.Data["shared"] != "2" || got.Data["mine"] != "x" {
		return fmt.Errorf("a forced apply: %v, %v", err, got.Data)
	}
	// A field that its only owner no longer applies goes.
	got, err = maps.Apply(s.ctx, applycorev1.ConfigMap("a", ns).WithLabels(map[string]string{"l": "1"}), mine)
	if err != nil {
		return err
	}
	_, present := got.Data["mine"]
	return wanted(!present && got.Data["shared"] == "2" && got.Labels["l"] == "1", "got %v, labels %v", got.Data, got.Labels)
}

func applyExtract(s *suite, ns string) error {
	maps := s.client.CoreV1().ConfigMaps(ns)
	config := applycorev1.ConfigMap("a", ns).WithData(map[string]string{"k": "v"})
	applied, err := maps.Apply(s.ctx, config, metav1.ApplyOptions{FieldManager: "me"})
	if err != nil {
		return err
	}
	extracted, err := applycorev1.ExtractConfigMap(applied, "me")
	if err != nil {
		return err
	}
	return wanted(len(extracted.Data) == 1 && extracted.Data["k"] == "v", "got %+v", extracted)
}
