#include "sample_pod.hpp"

#include "times.hpp"

#include <cstdio>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {
namespace {

// clang-format off
constexpr std::string_view kTemplate =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"@NAME@","namespace":"@NAMESPACE@",)"
    R"("generation":2,"creationTimestamp":"@TIME@","labels":{"app":"@PREFIX@",)"
    R"("app.kubernetes.io/name":"@PREFIX@","app.kubernetes.io/version":"2.1.1",)"
    R"("pod-template-hash":"7d9f8c6b54","tier":"backend"},)"
    R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"@PREFIX@",)"
    R"("uid":"9e3779b1-5c1e-4b7a-9d3f-0000000f4243","controller":true,)"
    R"("blockOwnerDeletion":true}],"managedFields":[{"manager":"kube-controller-manager",)"
    R"("operation":"Update","apiVersion":"v1","time":"@TIME@","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{},"f:app.kubernetes.io/name":{},)"
    R"("f:app.kubernetes.io/version":{},"f:pod-template-hash":{},"f:tier":{}},)"
    R"("f:ownerReferences":{".":{},"k:{\"uid\":\"9e3779b1-5c1e-4b7a-9d3f-0000000f4243\"}":{}}},)"
    R"("f:spec":{"f:containers":{"k:{\"name\":\"server\"}":{".":{},"f:env":{".":{},)"
    R"("k:{\"name\":\"POD_NAME\"}":{".":{},"f:name":{},"f:valueFrom":{".":{},)"
    R"("f:fieldRef":{}}}},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},)"
    R"("k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},)"
    R"("f:name":{},"f:protocol":{}}},"f:readinessProbe":{".":{},"f:failureThreshold":{},)"
    R"("f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:initialDelaySeconds":{},)"
    R"("f:periodSeconds":{},"f:successThreshold":{},"f:timeoutSeconds":{}},)"
    R"("f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},)"
    R"("f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{},)"
    R"("f:volumeMounts":{".":{},)"
    R"("k:{\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"}":{".":{},)"
    R"("f:mountPath":{},"f:name":{},"f:readOnly":{}}}}},"f:dnsPolicy":{},)"
    R"("f:enableServiceLinks":{},"f:nodeName":{},"f:restartPolicy":{},"f:schedulerName":{},)"
    R"("f:securityContext":{},"f:serviceAccount":{},"f:serviceAccountName":{},)"
    R"("f:terminationGracePeriodSeconds":{},"f:volumes":{".":{},)"
    R"("k:{\"name\":\"kube-api-access\"}":{".":{},"f:name":{},"f:projected":{".":{},)"
    R"("f:defaultMode":{},"f:sources":{}}}}}}},{"manager":"kubelet","operation":"Update",)"
    R"("apiVersion":"v1","time":"@TIME@","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:status":{"f:conditions":{".":{},)"
    R"("k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},)"
    R"("f:lastTransitionTime":{},"f:status":{},"f:type":{}},)"
    R"("k:{\"type\":\"Initialized\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},)"
    R"("f:status":{},"f:type":{}},"k:{\"type\":\"PodReadyToStartContainers\"}":{".":{},)"
    R"("f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},)"
    R"("k:{\"type\":\"PodScheduled\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},)"
    R"("f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},)"
    R"("f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},)"
    R"("f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},)"
    R"("k:{\"ip\":\"@IP@\"}":{".":{},"f:ip":{}}},"f:startTime":{}}},"subresource":"status"}]},)"
    R"("spec":{"volumes":[{"name":"kube-api-access",)"
    R"("projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,)"
    R"("path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt",)"
    R"("path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace",)"
    R"("fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}],)"
    R"("defaultMode":420}}],"containers":[{"name":"server",)"
    R"("image":"registry.example.com/shop/app-@NODE@:2.1.1","ports":[{"name":"http",)"
    R"("containerPort":8080,"protocol":"TCP"}],"env":[{"name":"POD_NAME",)"
    R"("valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],)"
    R"("resources":{"limits":{"memory":"512Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},)"
    R"("volumeMounts":[{"name":"kube-api-access","readOnly":true,)"
    R"("mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],)"
    R"("readinessProbe":{"httpGet":{"path":"/healthz/ready","port":"http","scheme":"HTTP"},)"
    R"("initialDelaySeconds":5,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,)"
    R"("failureThreshold":3},"terminationMessagePath":"/dev/termination-log",)"
    R"("terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],)"
    R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
    R"("serviceAccountName":"default","serviceAccount":"default","nodeName":"node-@NODE@",)"
    R"("securityContext":{},"schedulerName":"default-scheduler",)"
    R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
    R"("effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable",)"
    R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,)"
    R"("enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},)"
    R"("status":{"phase":"Running","conditions":[{"type":"PodReadyToStartContainers",)"
    R"("status":"True","lastProbeTime":null,"lastTransitionTime":"@TIME@"},)"
    R"({"type":"Initialized","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"@TIME@"},{"type":"Ready","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"@TIME@"},{"type":"ContainersReady","status":"True",)"
    R"("lastProbeTime":null,"lastTransitionTime":"@TIME@"},{"type":"PodScheduled",)"
    R"("status":"True","lastProbeTime":null,"lastTransitionTime":"@TIME@"}],)"
    R"("hostIP":"192.168.0.2","hostIPs":[{"ip":"192.168.0.2"}],"podIP":"@IP@",)"
    R"("podIPs":[{"ip":"@IP@"}],"startTime":"@TIME@","containerStatuses":[{"name":"server",)"
    R"("state":{"running":{"startedAt":"@TIME@"}},"lastState":{},"ready":true,"restartCount":0,)"
    R"("image":"registry.example.com/shop/app-@NODE@:2.1.1",)"
    R"("imageID":"registry.example.com/shop/app-@NODE@@sha256:000000000000000000000000000000000)"
    R"(0000000000000000000000000019919",)"
    R"("containerID":"containerd://0000000000000000000000000000000000000000000000000000000000@N)"
    R"(UMBER@","started":true}],"qosClass":"Burstable"}})";
// clang-format on

std::string Number(std::size_t number, int width) {
  char text[32];
  std::snprintf(text, sizeof(text), "%0*zu", width, number);
  return text;
}

std::string Address(std::size_t i) {
  return "10." + std::to_string(64 + (i >> 16) % 64) + "." + std::to_string((i >> 8) % 256) + "." +
         std::to_string(i % 256);
}

/// Replaces every "@KEY@" of the template.
std::string Fill(const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  std::string_view rest = kTemplate;
  for (auto at = rest.find('@'); at != rest.npos; at = rest.find('@')) {
    out.append(rest.substr(0, at));
    rest.remove_prefix(at + 1);
    const auto end = rest.find('@');
    const std::string_view key = rest.substr(0, end);
    // A lone "@" belongs to an image's digest.
    bool known = false;
    for (const auto& [name, value] : values) {
      if (name != key) continue;
      out.append(value);
      rest.remove_prefix(end + 1);
      known = true;
    }
    if (!known) out.push_back('@');
  }
  return out.append(rest);
}

}  // namespace

std::string SamplePod(std::size_t number, std::string_view namespace_, std::string_view prefix) {
  std::string app(prefix);
  while (!app.empty() && (app.back() == '-' || app.back() == '.')) app.pop_back();
  return Fill({{"NAME", std::string(prefix) + Number(number, 5)},
               {"NAMESPACE", std::string(namespace_)},
               {"PREFIX", app},
               {"NODE", Number(number % 10, 3)},
               {"IP", Address(number + 1)},
               {"NUMBER", Number(number, 6)},
               {"TIME", NowText()}});
}

}  // namespace k8s::inline v0::testing
