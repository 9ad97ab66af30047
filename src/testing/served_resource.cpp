#include "served_resource.hpp"

#include <algorithm>
#include <map>

namespace k8s::inline v0::testing {
namespace {

constexpr Scope kNs = Scope::kNamespaced;
constexpr Scope kCluster = Scope::kCluster;
constexpr std::string_view kAllVerbs = "create,delete,deletecollection,get,list,patch,update,watch";

struct Row {
  ResourceInfo info;
  std::string_view singular;
  std::string_view shortNames;
  std::string_view categories;
  std::string_view verbs;         ///< Empty: all.
  std::string_view subresources;  ///< Those that the fake serves.
  std::string_view emptyBody;
};

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// clang-format off
const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
    {{"", "v1", "Binding", "bindings", kNs}, "binding", "", "", "create", "", R"("target":{})"},
    {{"", "v1", "ComponentStatus", "componentstatuses", kCluster}, "componentstatus", "cs", "", "get,list", "", ""},
    {{"", "v1", "ConfigMap", "configmaps", kNs}, "configmap", "cm", "", "", "", ""},
    {{"", "v1", "Endpoints", "endpoints", kNs}, "endpoints", "ep", "", "", "", ""},
    {{"", "v1", "Event", "events", kNs}, "event", "ev", "", "", "", R"("involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":"")"},
    {{"", "v1", "LimitRange", "limitranges", kNs}, "limitrange", "limits", "", "", "", R"("spec":{"limits":null})"},
    {{"", "v1", "Namespace", "namespaces", kCluster}, "namespace", "ns", "", "create,delete,get,list,patch,update,watch", "status", R"("spec":{},"status":{})"},
    {{"", "v1", "Node", "nodes", kCluster}, "node", "no", "", "", "status", R"("spec":{},"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}})"},
    {{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", kNs}, "persistentvolumeclaim", "pvc", "", "", "status", R"("spec":{"resources":{}},"status":{})"},
    {{"", "v1", "PersistentVolume", "persistentvolumes", kCluster}, "persistentvolume", "pv", "", "", "status", R"("spec":{},"status":{})"},
    {{"", "v1", "Pod", "pods", kNs}, "pod", "po", "all", "", "binding,eviction,status", R"("spec":{"containers":null},"status":{})"},
    {{"", "v1", "PodTemplate", "podtemplates", kNs}, "podtemplate", "", "", "", "", R"("template":{"metadata":{},"spec":{"containers":null}})"},
    {{"", "v1", "ReplicationController", "replicationcontrollers", kNs}, "replicationcontroller", "rc", "all", "", "status", R"("spec":{},"status":{"replicas":0})"},
    {{"", "v1", "ResourceQuota", "resourcequotas", kNs}, "resourcequota", "quota", "", "", "status", R"("spec":{},"status":{})"},
    {{"", "v1", "Secret", "secrets", kNs}, "secret", "", "", "", "", ""},
    {{"", "v1", "ServiceAccount", "serviceaccounts", kNs}, "serviceaccount", "sa", "", "", "", ""},
    {{"", "v1", "Service", "services", kNs}, "service", "svc", "all", "", "status", R"("spec":{},"status":{"loadBalancer":{}})"},
    {{"apiregistration.k8s.io", "v1", "APIService", "apiservices", kCluster}, "apiservice", "", "api-extensions", "", "status", R"("spec":{"groupPriorityMinimum":0,"versionPriority":0},"status":{})"},
    {{"apps", "v1", "ControllerRevision", "controllerrevisions", kNs}, "controllerrevision", "", "", "", "", R"("data":null,"revision":0)"},
    {{"apps", "v1", "DaemonSet", "daemonsets", kNs}, "daemonset", "ds", "all", "", "status", R"("spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"updateStrategy":{}},"status":{"currentNumberScheduled":0,"numberMisscheduled":0,"desiredNumberScheduled":0,"numberReady":0})"},
    {{"apps", "v1", "Deployment", "deployments", kNs}, "deployment", "deploy", "all", "", "status", R"("spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{})"},
    {{"apps", "v1", "ReplicaSet", "replicasets", kNs}, "replicaset", "rs", "all", "", "status", R"("spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":0})"},
    {{"apps", "v1", "StatefulSet", "statefulsets", kNs}, "statefulset", "sts", "all", "", "status", R"("spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"serviceName":"","updateStrategy":{}},"status":{"replicas":0,"availableReplicas":0})"},
    {{"events.k8s.io", "v1", "Event", "events", kNs}, "event", "ev", "", "", "", R"("eventTime":null,"regarding":{},"deprecatedSource":{},"deprecatedFirstTimestamp":null,"deprecatedLastTimestamp":null)"},
    {{"authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews", kCluster}, "selfsubjectreview", "", "", "create", "", R"("status":{"userInfo":{}})"},
    {{"authentication.k8s.io", "v1", "TokenReview", "tokenreviews", kCluster}, "tokenreview", "", "", "create", "", R"("spec":{},"status":{"user":{}})"},
    {{"authorization.k8s.io", "v1", "LocalSubjectAccessReview", "localsubjectaccessreviews", kNs}, "localsubjectaccessreview", "", "", "create", "", R"("spec":{},"status":{"allowed":false})"},
    {{"authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", kCluster}, "selfsubjectaccessreview", "", "", "create", "", R"("spec":{},"status":{"allowed":false})"},
    {{"authorization.k8s.io", "v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", kCluster}, "selfsubjectrulesreview", "", "", "create", "", R"("spec":{},"status":{"resourceRules":null,"nonResourceRules":null,"incomplete":false})"},
    {{"authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews", kCluster}, "subjectaccessreview", "", "", "create", "", R"("spec":{},"status":{"allowed":false})"},
    {{"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", kNs}, "horizontalpodautoscaler", "hpa", "all", "", "status", R"("spec":{"scaleTargetRef":{"kind":"","name":""},"maxReplicas":0},"status":{"desiredReplicas":0,"currentMetrics":null})"},
    {{"autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", kNs}, "horizontalpodautoscaler", "hpa", "all", "", "status", R"("spec":{"scaleTargetRef":{"kind":"","name":""},"maxReplicas":0},"status":{"currentReplicas":0,"desiredReplicas":0})"},
    {{"batch", "v1", "CronJob", "cronjobs", kNs}, "cronjob", "cj", "all", "", "status", R"("spec":{"schedule":"","jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},"spec":{"containers":null}}}}},"status":{})"},
    {{"batch", "v1", "Job", "jobs", kNs}, "job", "", "all", "", "status", R"("spec":{"template":{"metadata":{},"spec":{"containers":null}}},"status":{})"},
    {{"certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", kCluster}, "certificatesigningrequest", "csr", "", "", "status", R"("spec":{"request":null,"signerName":""},"status":{})"},
    {{"certificates.k8s.io", "v1", "ClusterTrustBundle", "clustertrustbundles", kCluster}, "clustertrustbundle", "", "", "", "", R"("spec":{"trustBundle":""})"},
    {{"certificates.k8s.io", "v1", "PodCertificateRequest", "podcertificaterequests", kNs}, "podcertificaterequest", "", "", "", "status", R"("spec":{"signerName":"","podName":"","podUID":"","serviceAccountName":"","serviceAccountUID":"","nodeName":"","nodeUID":"","stubPKCS10Request":null},"status":{})"},
    {{"networking.k8s.io", "v1", "IngressClass", "ingressclasses", kCluster}, "ingressclass", "", "", "", "", R"("spec":{})"},
    {{"networking.k8s.io", "v1", "Ingress", "ingresses", kNs}, "ingress", "ing", "", "", "status", R"("spec":{},"status":{"loadBalancer":{}})"},
    {{"networking.k8s.io", "v1", "IPAddress", "ipaddresses", kCluster}, "ipaddress", "ip", "", "", "", R"("spec":{})"},
    {{"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", kNs}, "networkpolicy", "netpol", "", "", "", R"("spec":{"podSelector":{}})"},
    {{"networking.k8s.io", "v1", "ServiceCIDR", "servicecidrs", kCluster}, "servicecidr", "", "", "", "status", R"("spec":{},"status":{})"},
    {{"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", kNs}, "poddisruptionbudget", "pdb", "", "", "status", R"("spec":{},"status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0})"},
    {{"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", kCluster}, "clusterrolebinding", "", "", "", "", R"("roleRef":{"apiGroup":"","kind":"","name":""})"},
    {{"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", kCluster}, "clusterrole", "", "", "", "", R"("rules":null)"},
    {{"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", kNs}, "rolebinding", "", "", "", "", R"("roleRef":{"apiGroup":"","kind":"","name":""})"},
    {{"rbac.authorization.k8s.io", "v1", "Role", "roles", kNs}, "role", "", "", "", "", R"("rules":null)"},
    {{"storage.k8s.io", "v1", "CSIDriver", "csidrivers", kCluster}, "csidriver", "", "", "", "", R"("spec":{})"},
    {{"storage.k8s.io", "v1", "CSINode", "csinodes", kCluster}, "csinode", "", "", "", "status", R"("spec":{"drivers":null},"status":{})"},
    {{"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", kNs}, "csistoragecapacity", "", "", "", "", R"("storageClassName":"")"},
    {{"storage.k8s.io", "v1", "StorageClass", "storageclasses", kCluster}, "storageclass", "sc", "", "", "", R"("provisioner":"")"},
    {{"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", kCluster}, "volumeattachment", "", "", "", "status", R"("spec":{"attacher":"","source":{},"nodeName":""},"status":{"attached":false})"},
    {{"storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses", kCluster}, "volumeattributesclass", "vac", "", "", "", R"("driverName":"")"},
    {{"admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies", kCluster}, "mutatingadmissionpolicy", "", "api-extensions", "", "", R"("spec":{})"},
    {{"admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", kCluster}, "mutatingadmissionpolicybinding", "", "api-extensions", "", "", R"("spec":{})"},
    {{"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", kCluster}, "mutatingwebhookconfiguration", "", "api-extensions", "", "", ""},
    {{"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", kCluster}, "validatingadmissionpolicy", "", "api-extensions", "", "status", R"("spec":{},"status":{})"},
    {{"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", kCluster}, "validatingadmissionpolicybinding", "", "api-extensions", "", "", R"("spec":{})"},
    {{"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", kCluster}, "validatingwebhookconfiguration", "", "api-extensions", "", "", ""},
    {{"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", kCluster}, "customresourcedefinition", "crd,crds", "api-extensions", "", "status", R"("spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":null},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null})"},
    {{"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", kCluster}, "priorityclass", "pc", "", "", "", R"("value":0)"},
    {{"coordination.k8s.io", "v1", "Lease", "leases", kNs}, "lease", "", "", "", "", R"("spec":{})"},
    {{"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", kCluster}, "runtimeclass", "", "", "", "", R"("handler":"")"},
    {{"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", kNs}, "endpointslice", "", "", "", "", R"("addressType":"","endpoints":null,"ports":null)"},
    {{"resource.k8s.io", "v1", "DeviceClass", "deviceclasses", kCluster}, "deviceclass", "", "", "", "", R"("spec":{})"},
    {{"resource.k8s.io", "v1", "DeviceTaintRule", "devicetaintrules", kCluster}, "devicetaintrule", "", "", "", "status", R"("spec":{"taint":{"key":"","effect":""}},"status":{})"},
    {{"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", kNs}, "resourceclaim", "", "", "", "status", R"("spec":{"devices":{"requests":null}},"status":{})"},
    {{"resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", kNs}, "resourceclaimtemplate", "", "", "", "", R"("spec":{"metadata":{},"spec":{"devices":{"requests":null}}})"},
    {{"resource.k8s.io", "v1", "ResourceSlice", "resourceslices", kCluster}, "resourceslice", "", "", "", "", R"("spec":{"driver":"","pool":{"name":"","generation":0,"resourceSliceCount":0}})"},
    {{"flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", "flowschemas", kCluster}, "flowschema", "", "", "", "status", R"("spec":{"priorityLevelConfiguration":{"name":""},"matchingPrecedence":0},"status":{})"},
    {{"flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", kCluster}, "prioritylevelconfiguration", "", "", "", "status", R"("spec":{"type":""},"status":{})"},
    {{"storagemigration.k8s.io", "v1", "StorageVersionMigration", "storageversionmigrations", kCluster}, "storageversionmigration", "", "", "", "status", R"("spec":{"resource":{"group":"","resource":""}},"status":{})"},
  };
  return rows;
}
// clang-format on

std::shared_ptr<const ServedResource> FromRow(const Row& row) {
  ServedResource resource;
  resource.info = row.info;
  resource.singular = row.singular;
  resource.shortNames = Split(row.shortNames);
  resource.categories = Split(row.categories);
  resource.verbs = Split(row.verbs.empty() ? kAllVerbs : row.verbs);
  resource.subresources = Split(row.subresources);
  resource.emptyBody = row.emptyBody;
  return std::make_shared<const ServedResource>(std::move(resource));
}

}  // namespace

bool ServedResource::HasVerb(std::string_view verb) const { return Contains(verbs, verb); }

bool ServedResource::HasSubresource(std::string_view name) const {
  return Contains(subresources, name);
}

std::string ServedResource::QualifiedName() const {
  return info.group.empty() ? info.plural : info.plural + "." + info.group;
}

std::string ServedResource::TypeMembers() const {
  const std::string kind = "\"kind\":\"" + info.kind + "\"";
  const std::string version = "\"apiVersion\":\"" + info.ApiVersion() + "\"";
  return custom ? version + "," + kind : kind + "," + version;
}

std::vector<std::shared_ptr<const ServedResource>> BuiltinResources() {
  std::vector<std::shared_ptr<const ServedResource>> resources;
  for (const Row& row : Rows()) resources.push_back(FromRow(row));
  return resources;
}

ServedResource CustomResource(const ResourceInfo& info) {
  ServedResource resource;
  resource.info = info;
  resource.singular = info.kind;
  std::transform(resource.singular.begin(), resource.singular.end(), resource.singular.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  resource.verbs = Split(kAllVerbs);
  resource.subresources = {"status"};
  resource.custom = true;
  return resource;
}

const std::vector<std::string>& FieldLabels(const ResourceInfo& info) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> labels = {
      {"pods",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
        "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"}},
      {"events",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
        "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
        "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"}},
      {"secrets", {"type"}},
      {"namespaces", {"status.phase"}},
      {"nodes", {"spec.unschedulable"}},
      {"services", {"spec.clusterIP", "spec.type"}},
      {"replicationcontrollers", {"status.replicas"}},
      {"replicasets.apps", {"status.replicas"}},
      {"jobs.batch", {"status.successful"}},
      {"certificatesigningrequests.certificates.k8s.io", {"spec.signerName"}},
  };
  static const std::vector<std::string> none;
  const auto found = labels.find(info.group.empty() ? info.plural : info.plural + "." + info.group);
  return found == labels.end() ? none : found->second;
}

}  // namespace k8s::inline v0::testing
