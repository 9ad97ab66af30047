package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
)

type (
	runtimeObject  = runtime.Object
	watchInterface = watch.Interface
)

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

func probe(port string, seconds int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/", Port: intstr.FromString(port)}},
		PeriodSeconds: seconds,
	}
}
